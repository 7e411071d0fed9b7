// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/shown_frames.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/features/extractor.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "looptree/store/map.hpp"
#endif

#include "cli/run/run_sequence.hpp"

namespace looptree::cli {
namespace {

std::unique_ptr<FeatureExtractor> extractor_of(const nlohmann::json& config) {
  ExtractorOptions options;
  const auto& features = config.at("features");
  options.kind = parse_feature_kind(std::string(features.at("kind")));
  options.max_features = features.at("max_features");
  options.fast_threshold = features.at("fast_threshold");
  // Runs of looptree 0.1 have no such line.
  options.network = features.value("network", std::string());
  return make_extractor(options);
}

#ifdef LOOPTREE_WITH_STORE
/// The image of a frame of an earlier session, whose name says where that was read from; nothing if
/// it is no longer there.
std::optional<Image> original_of(const FrameInfo& info, const std::string& session) {
  if (!info.number) return std::nullopt;
  try {
    const auto sequence = open_sequence(session);
    const auto& frames = sequence->info().frames;
    if (*info.number >= frames.size() || frames[*info.number].name != info.name) return {};
    return sequence->image(*info.number);
  } catch (const Error&) {
    return std::nullopt;
  }
}
#endif

}  // namespace

struct ShownFrames::State {
  std::unique_ptr<FeatureExtractor> extractor;
  std::unique_ptr<Sequence> sequence;  ///< null where it cannot be opened
  std::optional<Error> gone{};         ///< and why
#ifdef LOOPTREE_WITH_STORE
  std::string map_path;  ///< empty: a run without a map
  FrameId first;         ///< of the run
  std::optional<Map> map{};

  const Map& opened_map() {
    if (map_path.empty()) {
      throw Error(ErrorKind::not_found, "expected a run with --map, found one without");
    }
    if (!map) map = Map::open(map_path, {.access = MapAccess::read});
    return *map;
  }

  /// The frame of the run with that number, by its id in the map.
  std::optional<FrameId> find(std::size_t number) {
    const Map& frames = opened_map();
    for (FrameId id = first; id < frames.next_id(); ++id.value) {
      const auto info = frames.info(id);
      if (info && info->number == number) return id;
    }
    return std::nullopt;
  }

  /// What the map kept of a frame; nothing if it has no thumbnail.
  std::optional<ShownFrame> kept(FrameId id, const std::string& name) {
    const auto thumbnail = opened_map().thumbnail(id);
    const auto features = opened_map().features(id);
    if (!thumbnail || thumbnail->empty() || !features) return std::nullopt;
    return ShownFrame{decode_image(*thumbnail, "the thumbnail of " + name), *features, name};
  }
#endif

  ShownFrame from_image(Image image, std::string name) const {
    Features features = extractor->extract(image);
    return {std::move(image), std::move(features), std::move(name)};
  }
};

ShownFrames::ShownFrames(const nlohmann::json& config) : state_(std::make_unique<State>()) {
  state_->extractor = extractor_of(config);
#ifdef LOOPTREE_WITH_STORE
  if (config.contains("map")) {
    state_->map_path = config.at("map").at("path");
    state_->first = FrameId{config.at("map").at("first_frame")};
  }
#endif
  try {
    state_->sequence = open_sequence_of(config);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::corruption) throw;
    state_->gone = error;
  }
}

ShownFrames::~ShownFrames() = default;

ShownFrame ShownFrames::frame(std::size_t number) {
  const std::string name = fmt::format("frame {}", number);
  std::optional<Error> problem = state_->gone;
  if (state_->sequence != nullptr) {
    try {
      return state_->from_image(state_->sequence->image(number), name);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::invalid_argument) throw;  // there is no such frame
      problem = error;
    }
  }
#ifdef LOOPTREE_WITH_STORE
  if (!state_->map_path.empty()) {
    const auto id = state_->find(number);
    auto kept = id ? state_->kept(*id, name) : std::nullopt;
    if (kept) return std::move(*kept);
  }
#endif
  throw Error(problem->kind(), fmt::format("{}; a run with --map keeps small images of its frames",
                                           problem->what()));
}

#ifdef LOOPTREE_WITH_STORE
ShownFrame ShownFrames::map_frame(std::uint32_t id) {
  const Map& map = state_->opened_map();
  const auto info = map.info(FrameId{id});
  if (!info) {
    throw Error(ErrorKind::not_found,
                fmt::format("expected the id of a frame in {}, as map_frame in map_closures.csv, "
                            "found {}",
                            state_->map_path, id));
  }
  const std::string name =
      fmt::format("frame {}{} of session {}", info->number.value_or(id),
                  info->name.empty() ? "" : " (" + info->name + ")", info->session.value);
  const std::vector<MapSession> sessions = map.sessions();
  const auto session = std::find_if(sessions.begin(), sessions.end(), [&](const MapSession& each) {
    return each.id == info->session;
  });
  const std::string where = session == sessions.end() ? "" : session->name;
  if (auto image = original_of(*info, where)) return state_->from_image(std::move(*image), name);
  auto kept = state_->kept(FrameId{id}, name);
  if (kept) return std::move(*kept);
  throw Error(ErrorKind::not_found,
              fmt::format("expected the image of {} in \"{}\" or a thumbnail in {}, found neither; "
                          "a run whose --thumbnail-width is 0 keeps none",
                          name, where, state_->map_path));
}
#else
ShownFrame ShownFrames::map_frame(std::uint32_t id) {
  throw Error(
      ErrorKind::unsupported,
      fmt::format("expected a build with maps to show frame {} of one, found one without", id));
}
#endif

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/detect_map.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/detect/map_detector.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

MapOpenOptions open_options(const LoopDetectorOptions& detector) {
  MapOpenOptions options;
  options.stored_features = detector.stored_features;
  if (detector.max_frames) options.bound.max_frames = *detector.max_frames;
  // What is lost when the machine stops is the last second of the route, which can be filmed again.
  options.durability = Durability::every(std::chrono::milliseconds(1000));
  return options;
}

}  // namespace

struct DetectMap::State {
  std::string path;
  Topology topology;
  std::shared_ptr<Map> map;  ///< null until it is made
  FrameId first;
  std::size_t before = 0;
};

DetectMap::DetectMap(const std::string& path, const std::optional<std::string>& topology,
                     const LoopDetectorOptions& detector)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  if (topology) state_->topology = Topology::parse(*topology);
  std::error_code none;
  // An empty file, as mktemp leaves it, is made a map as none is.
  if (!std::filesystem::exists(path) || std::filesystem::file_size(path, none) == 0) return;
  ProgressBar bar("opening " + path);
  MapOpenOptions options = open_options(detector);
  options.progress = bar.callback();
  state_->map = std::make_shared<Map>(Map::open(path, options));
  if (topology && state_->map->topology() != state_->topology) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("{}: expected a map of topology {}, found one of {}; leave --topology "
                            "out to continue it",
                            path, state_->topology.name(), state_->map->topology().name()));
  }
}

DetectMap::~DetectMap() = default;

std::optional<Vocabulary> DetectMap::vocabulary() const {
  if (!state_->map) return std::nullopt;
  return load_vocabulary(*state_->map);
}

LoopDetector DetectMap::start(const Vocabulary& vocabulary, const std::string& session,
                              const LoopDetectorOptions& options,
                              std::unique_ptr<KeyframeSelector> selector) {
  if (state_->map && state_->map->vocabulary().hash != vocabulary.content_hash()) {
    throw Error(ErrorKind::invalid_argument,
                state_->path +
                    ": expected the vocabulary that the map was made with, found "
                    "another; leave --vocabulary out to continue with the map's own");
  }
  if (!state_->map) {
    state_->map = std::make_shared<Map>(Map::create(
        state_->path, {embedded_vocabulary(vocabulary), state_->topology}, open_options(options)));
  }
  state_->first = state_->map->next_id();
  state_->before = state_->map->size();
  return make_map_detector(state_->map, vocabulary, session, options, std::move(selector));
}

FrameId DetectMap::first() const {
  return state_->first;
}

std::size_t DetectMap::frames_before() const {
  return state_->before;
}

void DetectMap::close() {
  if (state_->map) state_->map->close();
}

}  // namespace looptree::cli

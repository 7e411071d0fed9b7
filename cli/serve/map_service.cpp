// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/map_service.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "cli/fit_features.hpp"
#include "cli/serve/gate.hpp"
#include "cli/serve/query_input.hpp"

namespace looptree::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kPlacesAtOnce = 1000;
constexpr std::chrono::seconds kPatience{2};
/// Per core: images that wait, at a tenth of a second each; words and descriptors that are looked
/// up at once, at less than a millisecond, which bounds the memory they take; and those that wait.
constexpr std::size_t kImagesInLine = 8;
constexpr std::size_t kLookups = 4;
constexpr std::size_t kLookupsInLine = 64;

Map open(const std::string& path) {
  MapOpenOptions options;
  options.access = MapAccess::read;
  return Map::open(path, options);
}

HttpReply reply(const Json& json) {
  return {200, "application/json", json.dump(-1, ' ', true, Json::error_handler_t::replace)};
}

/// A whole number of the address; `missing` where it is not given.
std::uint32_t number(const HttpRequest& request, const char* name, std::uint32_t missing) {
  const std::string text = request.parameter(name);
  if (text.empty()) return missing;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(ErrorKind::invalid_argument,
                "expected a whole number as " + std::string(name) + ", found \"" + text + '"');
  }
  return value;
}

Json frame_json(FrameId id, const FrameInfo& info) {
  Json frame = {{"id", id.value}, {"session", info.session.value}, {"name", info.name}};
  if (info.number) frame["number"] = *info.number;
  if (info.time_s) frame["time_s"] = *info.time_s;
  if (info.pose) frame["place"] = info.pose->translation;
  return frame;
}

Image decode(const std::string& body) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  image_size(bytes);  // refuses what would take too much memory
  cv::Mat grey;
  try {
    grey = cv::imdecode(
        cv::Mat(1, static_cast<int>(body.size()), CV_8U, const_cast<std::uint8_t*>(bytes.data())),
        cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {
    grey.release();
  }
  if (grey.empty()) {
    throw Error(ErrorKind::corruption, "expected a whole image, found a damaged one");
  }
  Image image(grey.cols, grey.rows);
  for (int y = 0; y < grey.rows; ++y) std::copy_n(grey.ptr(y), grey.cols, image.row(y));
  return image;
}

}  // namespace

struct MapService::State {
  State(const std::string& file, ExtractorChoice extracting, RelocalizeOptions relocalizing,
        std::optional<std::size_t> min_inliers)
      : path(file),
        map(open(file)),
        vocabulary(load_vocabulary(map)),
        options(std::move(relocalizing)) {
    fit_features(extracting, map.vocabulary().hash);
    ask_for_evidence(options, extracting.kind, min_inliers);
    extractor = make_extractor(extracting);
  }

  /// Images take a core for long, words and descriptors hardly at all: they wait in lines of their
  /// own, so that these are answered however many images there are.
  HttpReply query(const HttpRequest& request) {
    const bool is_json = request.type.starts_with("application/json");
    const Gate::Pass pass = (is_json ? lookups : images).enter();
    if (!pass) return refusal(503, "expected a free core within 2 s, found too many in line");
    refresh();
    return is_json ? query_json(request) : query_image(request);
  }

  /// What the writer has added since. Queries wait for it, so that answers speak of one state.
  void refresh() {
    const std::unique_lock lock(changing, std::try_to_lock);
    if (lock && map.refresh()) ++generation;
  }

  /// Counted anew only where the map has changed: that scans all rows.
  HttpReply summary() {
    refresh();
    const std::lock_guard counting(summarizing);
    const std::shared_lock lock(changing);
    if (!known || known_generation != generation) {
      known = summarize();
      known_generation = generation;
    }
    return *known;
  }

  HttpReply summarize() {
    const MapSummary found = summarize_map(path);
    const MapStorage storage = measure_storage(path);
    Json sessions = Json::array();
    for (const auto& [session, frames] : found.sessions) {
      sessions.push_back({{"id", session.id.value}, {"name", session.name}, {"frames", frames}});
    }
    return reply({{"path", path},
                  {"frames", found.frames},
                  {"next_id", found.next_id},
                  {"erased", found.erased},
                  {"closures", found.closures},
                  {"with_pose", found.with_pose},
                  {"with_features", found.with_features},
                  {"with_thumbnail", found.with_thumbnail},
                  {"topology", found.topology},
                  {"words", vocabulary.size()},
                  {"storage",
                   {{"file", found.file_bytes},
                    {"vocabulary", storage.vocabulary},
                    {"words", storage.words},
                    {"features", storage.features},
                    {"thumbnails", storage.thumbnails},
                    {"other", storage.other},
                    {"index_in_memory", map.index()->memory().bytes}}},
                  {"sessions", sessions}});
  }

  HttpReply places(const HttpRequest& request) {
    const std::shared_lock lock(changing);
    const std::uint32_t end = map.next_id().value;
    std::uint32_t id = number(request, "from", 0);
    const std::size_t count = std::min<std::size_t>(number(request, "count", 100), kPlacesAtOnce);
    const bool any_session = request.parameter("session").empty();
    const std::uint32_t session = number(request, "session", 0);
    Json found = Json::array();
    for (; id < end && found.size() < count; ++id) {
      const auto info = map.info(FrameId(id));
      if (info && (any_session || info->session.value == session)) {
        found.push_back(frame_json(FrameId(id), *info));
      }
    }
    return reply({{"places", found}, {"next", id < end ? Json(id) : Json(nullptr)}});
  }

  HttpReply thumbnail(const HttpRequest& request) {
    std::uint32_t id = 0;
    const std::string& text = request.groups[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    const std::shared_lock lock(changing);
    const auto bytes = error == std::errc{} && end == text.data() + text.size()
                           ? map.thumbnail(FrameId(id))
                           : std::nullopt;
    if (!bytes) return refusal(404, "expected the id of a place, found " + text);
    if (bytes->empty()) return refusal(404, "expected a place with a picture, found one without");
    return {200, "image/jpeg", std::string(bytes->begin(), bytes->end())};
  }

  HttpReply closures() {
    const std::shared_lock lock(changing);
    Json rows = Json::array();
    for (const MapClosure& closure : map.closures()) {
      rows.push_back({closure.query.value, closure.match.value, closure.score, closure.inliers});
    }
    return reply({{"columns", {"query", "match", "score", "inliers"}}, {"closures", rows}});
  }

  HttpReply verify() {
    const std::unique_lock lock(verifying, std::try_to_lock);
    if (!lock) return refusal(503, "expected no other verification, found one going on");
    const VerifyResult result = verify_map(path);
    return reply(
        {{"sound", result.sound()}, {"frames", result.frames}, {"problems", result.problems}});
  }

  HttpReply query_image(const HttpRequest& request) {
    const Features features = extractor->extract(decode(request.body));
    const std::shared_lock lock(changing);
    Json matches = Json::array();
    for (const Relocation& found : relocalize(map, vocabulary, features, options)) {
      Json match = frame_json(found.frame, map.info(found.frame).value_or(FrameInfo{}));
      match["score"] = found.score;
      match["inliers"] = found.verification.inliers.size();
      match["correspondences"] = found.verification.correspondences;
      match["coverage"] = found.verification.coverage;
      match["verified"] = found.has_features ? Json(found.verified) : Json(nullptr);
      matches.push_back(match);
    }
    return reply({{"features", features.size()}, {"matches", matches}});
  }

  HttpReply query_json(const HttpRequest& request) {
    const JsonQuery query = parse_query(request.body);
    std::vector<WordId> words;
    if (query.width > 0) {
      const DescriptorView rows(query.descriptors.data(), query.descriptors.size() / query.width,
                                query.width);
      words = vocabulary.quantize(rows).words;
    } else {
      for (const std::uint32_t word : query.words) words.emplace_back(word);
    }
    const Histogram histogram =
        make_histogram(words, vocabulary.word_weights(), {.weighting = vocabulary.weighting()});
    QueryOptions looking{.top_k = query.top_k, .threshold = query.threshold};
    if (query.sessions) {
      looking.filter.sessions.emplace();
      for (const std::uint32_t id : *query.sessions) looking.filter.sessions->emplace_back(id);
    }
    const std::shared_lock lock(changing);
    Json matches = Json::array();
    if (!histogram.empty()) {
      for (const Match& found : map.query(histogram, looking).matches) {
        Json match = frame_json(found.frame, map.info(found.frame).value_or(FrameInfo{}));
        match["score"] = found.score;
        matches.push_back(match);
      }
    }
    return reply({{"words", words.size()}, {"matches", matches}});
  }

  std::string path;
  Map map;
  Vocabulary vocabulary;
  std::unique_ptr<FeatureExtractor> extractor;
  RelocalizeOptions options;
  Gate images{thread_count(), thread_count() * kImagesInLine, kPatience};
  Gate lookups{thread_count() * kLookups, thread_count() * kLookupsInLine, kPatience};
  std::shared_mutex changing;
  std::uint64_t generation = 0;  ///< of the map; guarded by `changing`
  std::mutex summarizing;
  std::optional<HttpReply> known;  ///< the summary of `known_generation`
  std::uint64_t known_generation = 0;
  std::mutex verifying;
};

MapService::MapService(const std::string& map, const ExtractorChoice& extractor,
                       RelocalizeOptions options, std::optional<std::size_t> min_inliers)
    : state_(std::make_unique<State>(map, extractor, std::move(options), min_inliers)) {}

MapService::~MapService() = default;

void MapService::add_to(HttpServer& server) {
  State& state = *state_;
  server.get("/api/map", [&](const HttpRequest&) { return state.summary(); });
  server.get("/api/places", [&](const HttpRequest& request) { return state.places(request); });
  server.get(R"(/api/places/(\d+)/thumbnail)",
             [&](const HttpRequest& request) { return state.thumbnail(request); });
  server.get("/api/closures", [&](const HttpRequest&) { return state.closures(); });
  server.post("/api/verify", [&](const HttpRequest&) { return state.verify(); });
  server.post("/api/query", [&](const HttpRequest& request) { return state.query(request); });
}

}  // namespace looptree::cli

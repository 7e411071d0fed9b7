// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/live_run.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "looptree/common/pose.hpp"

#include "cli/serve/serve_options.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Pictures of the frames so far, in a folder that goes with the run.
class LivePictures {
 public:
  LivePictures()
      : folder_(fs::temp_directory_path() /
                fmt::format("looptree-live-{:08x}", std::random_device{}())) {
    fs::create_directories(folder_);
  }
  ~LivePictures() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  LivePictures(const LivePictures&) = delete;
  LivePictures& operator=(const LivePictures&) = delete;

  void add(std::size_t frame, const std::vector<std::uint8_t>& jpeg) {
    std::ofstream(path(frame), std::ios::binary)
        .write(reinterpret_cast<const char*>(jpeg.data()),
               static_cast<std::streamsize>(jpeg.size()));
  }

  /// Empty where there is none.
  std::string get(std::size_t frame) const {
    std::ifstream file(path(frame), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path path(std::size_t frame) const { return folder_ / (std::to_string(frame) + ".jpg"); }

  fs::path folder_;
};

Json pose_json(const std::optional<RelativePose>& pose) {
  if (!pose) return nullptr;
  const auto [x, y, z, w] = quaternion(pose->rotation);
  const auto& d = pose->direction;
  return {x, y, z, w, d[0], d[1], d[2]};
}

/// A row of what run_data.cpp writes by columns.
Json frame_json(const FrameFeatures& frame, const Detection& detection,
                const FrameEvidence& evidence) {
  const Verification& verification = detection.verification;
  const StageTimes& times = detection.times;
  const auto& match = detection.match;
  const bool here = match && !match->earlier_session;
  Json json = {{"number", frame.number},
               {"name", frame.info.name},
               {"decision", std::string(to_string(detection.decision))},
               {"match", here ? Json(match->number) : Json(-1)},
               {"reason", detection.explain()},
               {"score", detection.score},
               {"threshold", detection.threshold},
               {"consistent", detection.consistent},
               {"correspondences", verification.correspondences},
               {"inliers", verification.inliers.size()},
               {"coverage", verification.coverage},
               {"verified", detection.verified},
               {"needed_inliers", detection.needed_inliers},
               {"stages",
                {{"read_ms", frame.read_ms},
                 {"extract_ms", frame.extract_ms},
                 {"histogram_ms", times.histogram_ms},
                 {"query_ms", times.query_ms},
                 {"temporal_ms", times.temporal_ms},
                 {"verify_ms", times.verify_ms},
                 {"insert_ms", times.insert_ms}}}};
  if (frame.info.pose) json["place"] = frame.info.pose->translation;
  if (!evidence.others.empty()) json["similar"] = evidence.others;
  if (evidence.match) {
    json["evidence"] = {*evidence.match, pose_json(verification.match_from_query), evidence.points};
  }
  return json;
}

double now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

struct LiveRun::State {
  State(const std::string& source, const ServeOptions& serve) : server(serve) {
    const std::string page = served_page({{"live", {{"path", source}}}});
    server.get("/", [page](const HttpRequest&) { return HttpReply{200, "text/html", page}; });
    server.get(R"(/api/frames/(\d{1,9})/image)", [this](const HttpRequest& request) {
      const std::string bytes = pictures.get(std::stoul(request.groups[1]));
      if (bytes.empty()) return refusal(404, "expected a frame with a picture, found none");
      return HttpReply{200, "image/jpeg", bytes};
    });
    server.events("/api/events", feed);
    server.start();
  }

  EventFeed feed;
  LivePictures pictures;
  HttpServer server;  // last: it stops first
};

LiveRun::LiveRun(const std::string& source, const ServeOptions& serve)
    : state_(std::make_unique<State>(source, serve)) {}

LiveRun::~LiveRun() = default;

std::string LiveRun::url() const {
  return state_->server.url();
}

void LiveRun::add(const FrameFeatures& frame, const Detection& detection,
                  const FrameEvidence& evidence) {
  Json json = frame_json(frame, detection, evidence);
  json["image"] = {frame.features.width, frame.features.height};
  json["sent"] = now_ms();
  state_->pictures.add(frame.number, frame.thumbnail);
  state_->feed.publish(text_of(json));
}

void LiveRun::finish(const std::string& next) {
  state_->feed.publish(text_of({{"end", true}, {"next", next}}));
  state_->feed.close();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

}  // namespace looptree::cli

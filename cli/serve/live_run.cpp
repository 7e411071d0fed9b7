// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/live_run.hpp"

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/dataset/open.hpp"

#include "cli/serve/serve_options.hpp"
#include "cli/view/page_pictures.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kPictureWidth = 480;

/// Null for a source that gives its images only once.
std::unique_ptr<Sequence> open_again(const SequenceOptions& options) {
  try {
    return open_sequence(options.path, options.open);
  } catch (const Error&) {
    return nullptr;
  }
}

/// Pictures of a sequence up to the frame that was detected last, made on a thread of its own.
class LivePictures {
 public:
  explicit LivePictures(const SequenceOptions& options)
      : folder_(fs::temp_directory_path() /
                fmt::format("looptree-live-{:08x}", std::random_device{}())),
        sequence_(open_again(options)) {
    fs::create_directories(folder_);
    thread_ = std::thread([this] { work(); });
  }
  ~LivePictures() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  LivePictures(const LivePictures&) = delete;
  LivePictures& operator=(const LivePictures&) = delete;

  void reached(std::size_t frame) {
    {
      const std::lock_guard lock(mutex_);
      wanted_ = frame + 1;
    }
    changed_.notify_all();
  }

  /// Waits for it for up to 2 s; empty where there is none.
  std::string get(std::size_t frame) {
    if (!sequence_) return {};
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::seconds(2), [&] { return stopping_ || made_ > frame; });
      if (made_ <= frame) return {};
    }
    std::ifstream file(path(frame), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path path(std::size_t frame) const { return folder_ / (std::to_string(frame) + ".webp"); }

  void work() {
    for (std::size_t next = 0;; ++next) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || (sequence_ && next < wanted_); });
        if (stopping_) return;
      }
      try {
        const auto bytes = encode_picture(sequence_->image(next), kPictureWidth);
        std::ofstream(path(next), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
      } catch (const Error&) {
        // There is no picture then; the run says why the image was skipped.
      }
      {
        const std::lock_guard lock(mutex_);
        made_ = next + 1;
      }
      changed_.notify_all();
    }
  }

  fs::path folder_;
  std::unique_ptr<Sequence> sequence_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t wanted_ = 0;
  std::size_t made_ = 0;
  bool stopping_ = false;
  std::thread thread_;
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
  State(const SequenceOptions& sequence, const ServeOptions& serve)
      : pictures(sequence), server(serve) {
    const std::string page = served_page({{"live", {{"path", sequence.path}}}});
    server.get("/", [page](const HttpRequest&) { return HttpReply{200, "text/html", page}; });
    server.get(R"(/api/frames/(\d{1,9})/image)", [this](const HttpRequest& request) {
      const std::string bytes = pictures.get(std::stoul(request.groups[1]));
      if (bytes.empty()) return refusal(404, "expected a frame with a picture, found none");
      return HttpReply{200, "image/webp", bytes};
    });
    server.events("/api/events", feed);
    server.start();
  }

  EventFeed feed;
  LivePictures pictures;
  HttpServer server;  // last: it stops first
};

LiveRun::LiveRun(const SequenceOptions& sequence, const ServeOptions& serve)
    : state_(std::make_unique<State>(sequence, serve)) {}

LiveRun::~LiveRun() = default;

std::string LiveRun::url() const {
  return state_->server.url();
}

void LiveRun::add(const FrameFeatures& frame, const Detection& detection,
                  const FrameEvidence& evidence) {
  Json json = frame_json(frame, detection, evidence);
  json["image"] = {frame.features.width, frame.features.height};
  json["sent"] = now_ms();
  state_->feed.publish(text_of(json));
  state_->pictures.reached(frame.number);
}

void LiveRun::finish() {
  state_->feed.publish(text_of({{"end", true}}));
  state_->feed.close();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

}  // namespace looptree::cli

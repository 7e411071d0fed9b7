// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Cameras and streams, which do not wait for whoever looks at them.
#include "looptree/dataset/detail/live_camera.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

namespace looptree::detail {
namespace {

Image grey(const cv::Mat& picture) {
  Image image(picture.cols, picture.rows);
  cv::Mat target(image.height, image.width, CV_8U, image.pixels.data());
  if (picture.channels() == 1) {
    picture.convertTo(target, CV_8U);
  } else {
    cv::cvtColor(picture, target, cv::COLOR_BGR2GRAY);
  }
  return image;
}

class CameraSource final : public LiveSource {
 public:
  CameraSource(const std::string& what, const LiveOptions& options) : idle_s_(options.idle_s) {
    const bool is_address = what.find("://") != std::string::npos;
    const std::string device = what.starts_with("/dev/video") ? what.substr(10) : what;
    bool opened = false;
    try {
      opened = is_address ? capture_.open(what) : capture_.open(std::atoi(device.c_str()));
    } catch (const cv::Exception&) {
      opened = false;
    }
    if (!opened) {
      throw Error(ErrorKind::not_found, std::string("expected ") +
                                            (is_address ? "a stream at " : "a camera at ") + what +
                                            ", found none that opens");
    }
    reader_ = std::thread([this] { read(); });
  }

  ~CameraSource() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    reader_.join();
  }

  std::optional<LiveFrame> next(const KeepWaiting& keep_waiting) override {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!newest_) {
      if (ended_) return std::nullopt;
      came_.wait_for(lock, std::chrono::milliseconds(100));
      if (newest_) break;
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
      if (idle_s_ > 0 && waited.count() > idle_s_) return std::nullopt;
      if (keep_waiting && !keep_waiting()) return std::nullopt;
    }
    std::optional<LiveFrame> frame = std::move(newest_);
    newest_.reset();
    return frame;
  }

  std::uint64_t dropped() const override {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  void read() {
    cv::Mat picture;
    for (std::uint64_t count = 0;; ++count) {
      bool got = false;
      try {
        got = capture_.read(picture) && !picture.empty();
      } catch (const cv::Exception&) {
        got = false;
      }
      LiveFrame frame{.number = count};
      if (got) {
        frame.info = {.name = "frame " + std::to_string(count), .time_s = wall_clock_s()};
        frame.image = grey(picture);
      }
      const std::lock_guard lock(mutex_);
      ended_ = !got;
      if (got) {
        dropped_ += newest_ ? 1 : 0;
        newest_ = std::move(frame);
      }
      came_.notify_all();
      if (stopping_ || ended_) return;
    }
  }

  double idle_s_;
  cv::VideoCapture capture_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::optional<LiveFrame> newest_;
  std::uint64_t dropped_ = 0;
  bool ended_ = false;
  bool stopping_ = false;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<LiveSource> open_camera(const std::string& what, const LiveOptions& options) {
  return std::make_unique<CameraSource>(what, options);
}

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/sources.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

class FileSource final : public ImageSource {
 public:
  explicit FileSource(std::vector<std::filesystem::path> paths) : paths_(std::move(paths)) {}
  Image load(std::size_t frame) override { return read_image(paths_[frame].string()); }
  bool is_random_access() const override { return true; }

 private:
  std::vector<std::filesystem::path> paths_;
};

class VideoSource final : public ImageSource {
 public:
  explicit VideoSource(std::string path) : path_(std::move(path)) { rewind(); }

  std::size_t announced() const {
    return static_cast<std::size_t>(std::max(0.0, capture_.get(cv::CAP_PROP_FRAME_COUNT)));
  }

  Image load(std::size_t frame) override {
    if (frame < position_) rewind();
    // Seeking by time is inexact with some codecs; decoding every frame never is.
    while (position_ < frame) {
      if (!capture_.grab()) fail(frame);
      ++position_;
    }
    if (!capture_.read(decoded_)) fail(frame);
    ++position_;
    return grey();
  }

  bool is_random_access() const override { return false; }

 private:
  void rewind() {
    position_ = 0;
    if (!capture_.open(path_, cv::CAP_FFMPEG)) {
      throw Error(ErrorKind::corruption,
                  "expected a video that can be decoded, found " + path_ + ", which cannot");
    }
  }

  [[noreturn]] void fail(std::size_t frame) const {
    throw Error(ErrorKind::corruption, "expected frame " + std::to_string(frame) + " in " + path_ +
                                           ", found that the video ends or breaks after " +
                                           std::to_string(position_) + " frames");
  }

  Image grey() {
    Image image(decoded_.cols, decoded_.rows);
    cv::Mat target(image.height, image.width, CV_8U, image.pixels.data());
    if (decoded_.channels() == 1) {
      decoded_.copyTo(target);
    } else {
      cv::cvtColor(decoded_, target, cv::COLOR_BGR2GRAY);
    }
    return image;
  }

  std::string path_;
  cv::VideoCapture capture_;
  cv::Mat decoded_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ImageSource> file_source(std::vector<std::filesystem::path> paths) {
  return std::make_unique<FileSource>(std::move(paths));
}

Video video_source(const std::filesystem::path& path) {
  auto source = std::make_unique<VideoSource>(path.string());
  const std::size_t frames = source->announced();
  if (frames == 0) {
    throw Error(ErrorKind::corruption,
                "expected a video with frames, found none in " + path.string());
  }
  return {std::move(source), frames};
}

}  // namespace looptree::detail

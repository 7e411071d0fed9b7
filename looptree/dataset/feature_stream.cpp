// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/feature_stream.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/parallel.hpp"
#include "looptree/features/keypoint_depth.hpp"

namespace looptree {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

StereoRig rig_of(const SequenceInfo& info) {
  return {info.calibration->fx, *info.baseline_m};
}

/// The images of a frame; those that nobody asked for are empty.
struct Sight {
  Image image;
  Image right;
  DepthImage depth;
};

std::vector<std::uint8_t> encode_thumbnail(const cv::Mat& whole, int width) {
  cv::Mat small = whole;
  if (width < whole.cols) {
    cv::resize(whole, small, {width, std::max(1, whole.rows * width / whole.cols)}, 0, 0,
               cv::INTER_AREA);
  }
  std::vector<std::uint8_t> bytes;
  cv::imencode(".jpg", small, bytes, {cv::IMWRITE_JPEG_QUALITY, 75});
  return bytes;
}

/// Throws Error(invalid_argument) for depth from what the sequence does not have.
void require_source(const Sequence& sequence, DepthFrom depth) {
  require(depth != DepthFrom::images || sequence.has_depth(), ErrorKind::invalid_argument,
          "expected a sequence with depth images, found none");
  require(depth != DepthFrom::stereo ||
              (sequence.has_right() && sequence.info().baseline_m && sequence.info().calibration),
          ErrorKind::invalid_argument,
          "expected a sequence with a calibrated second camera, found none");
}

}  // namespace

DepthFrom best_depth(const Sequence& sequence) {
  if (sequence.has_depth()) return DepthFrom::images;
  const SequenceInfo& info = sequence.info();
  const bool is_stereo = sequence.has_right() && info.baseline_m && info.calibration;
  return is_stereo ? DepthFrom::stereo : DepthFrom::nothing;
}

double inverse_depth_sigma(const SequenceInfo& info, DepthFrom depth) {
  if (depth == DepthFrom::images) return info.inverse_depth_sigma;
  return depth == DepthFrom::stereo ? rig_of(info).inverse_depth_sigma() : 0;
}

/// Threads draw frame numbers, load, extract, and put results where next() picks them up in order.
/// The workers leave a core to the thread that calls next(), so that what it does between two calls
/// is not slowed down; while it would wait, it works like one of them.
struct FeatureStream::Impl {
  Impl(Sequence& seq, const FeatureExtractor& ext, std::size_t threads, std::size_t step,
       DepthFrom from, int thumbnail)
      : sequence(seq),
        extractor(ext),
        stride(std::max<std::size_t>(1, step)),
        depth(from),
        thumbnail_width(thumbnail) {
    require_source(seq, depth);
    const std::size_t count = thread_count(threads);
    window = 2 * count;
    for (std::size_t i = 1; i < count; ++i) workers.emplace_back([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  std::size_t steps() const { return (sequence.size() + stride - 1) / stride; }

  bool may_draw() const { return drawn < std::min(taken + window, steps()); }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stopping || drawn == steps() || may_draw(); });
      if (stopping || drawn == steps()) return;
      draw(lock);
    }
  }

  /// Works out the next frame that nobody has drawn. The lock is held, but not meanwhile.
  void draw(std::unique_lock<std::mutex>& lock) {
    const std::size_t step = drawn++;
    lock.unlock();
    FrameFeatures frame{
        .number = step * stride, .info = sequence.info().frames[step * stride], .features = {}};
    std::exception_ptr trouble;
    try {
      process(frame, step);
    } catch (...) {
      trouble = std::current_exception();
    }
    lock.lock();
    if (trouble && !failure) failure = trouble;
    done.emplace(step, std::move(frame));
    changed.notify_all();
  }

  void process(FrameFeatures& frame, std::size_t step) {
    try {
      const Sight sight = load(frame, step);
      const auto start = Clock::now();
      frame.features = extractor.extract(sight.image);
      if (depth == DepthFrom::images) {
        frame.features.inverse_depths =
            inverse_depths_from_image(sight.depth, frame.features.keypoints);
      } else if (depth == DepthFrom::stereo) {
        frame.features.inverse_depths = inverse_depths_from_stereo(
            sight.image, sight.right, frame.features.keypoints, rig_of(sequence.info()));
      }
      frame.extract_ms = milliseconds(start);
      frame.thumbnail = make_thumbnail(sight.image, thumbnail_width);
    } catch (const Error& error) {
      frame.error = error;
    }
  }

  Sight load(FrameFeatures& frame, std::size_t step) {
    if (sequence.is_random_access()) return timed_load(frame);
    // A video is read in order, by whoever's turn it is.
    std::unique_lock lock(reading);
    turn_changed.wait(lock, [&] { return turn == step; });
    struct NextTurn {
      Impl& impl;
      ~NextTurn() {
        ++impl.turn;
        impl.turn_changed.notify_all();
      }
    } const next_turn{*this};
    return timed_load(frame);
  }

  Sight timed_load(FrameFeatures& frame) {
    const auto start = Clock::now();
    Sight sight{sequence.image(frame.number), {}, {}};
    if (depth == DepthFrom::images) sight.depth = sequence.depth_image(frame.number, sight.image);
    if (depth == DepthFrom::stereo) sight.right = sequence.right_image(frame.number, sight.image);
    frame.read_ms = milliseconds(start);
    return sight;
  }

  std::optional<FrameFeatures> next() {
    std::unique_lock lock(mutex);
    if (taken == steps()) return std::nullopt;
    while (failure == nullptr && !done.contains(taken)) {
      if (may_draw()) {
        draw(lock);
      } else {
        changed.wait(lock);
      }
    }
    if (failure) std::rethrow_exception(failure);
    FrameFeatures frame = std::move(done.extract(taken).mapped());
    ++taken;
    lock.unlock();
    changed.notify_all();
    check_frame_size(frame);
    return frame;
  }

  /// In the order of the frames, so that it is always the later one that is wrong.
  void check_frame_size(FrameFeatures& frame) {
    if (frame.error || !sequence.info().is_route) return;
    if (width == 0) {
      width = frame.features.width;
      height = frame.features.height;
    }
    Image size;
    size.width = frame.features.width;
    size.height = frame.features.height;
    try {
      check_size(size, width, height, frame.info.name);
    } catch (const Error& error) {
      frame.error = error;
      frame.is_another_size = true;
      frame.features = {};
    }
  }

  Sequence& sequence;
  const FeatureExtractor& extractor;
  std::size_t stride;
  DepthFrom depth;
  int thumbnail_width;
  std::size_t window = 0;  ///< frames that may be under way or waiting, at most

  std::mutex mutex;
  std::condition_variable changed;
  std::size_t drawn = 0;
  std::size_t taken = 0;
  std::map<std::size_t, FrameFeatures> done;
  std::exception_ptr failure;
  bool stopping = false;

  std::mutex reading;
  std::condition_variable turn_changed;
  std::size_t turn = 0;

  int width = 0;
  int height = 0;
  std::vector<std::thread> workers;  // last: they use all of the above
};

FrameInfo frame_info(const FrameFeatures& frame) {
  return {.time_s = frame.info.time_s,
          .pose = frame.info.pose,
          .name = frame.info.name,
          .number = frame.number,
          .thumbnail = frame.thumbnail};
}

std::vector<std::uint8_t> make_thumbnail(const Image& image, int width) {
  if (width <= 0 || image.width <= 0 || image.height <= 0) return {};
  return encode_thumbnail(
      cv::Mat(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())),
      width);
}

std::vector<std::uint8_t> smaller_thumbnail(const std::vector<std::uint8_t>& thumbnail, int width) {
  if (width <= 0 || thumbnail.empty()) return {};
  return encode_thumbnail(cv::imdecode(thumbnail, cv::IMREAD_GRAYSCALE), width);
}

FeatureStream::FeatureStream(Sequence& sequence, const FeatureExtractor& extractor,
                             std::size_t threads, std::size_t stride, DepthFrom depth,
                             int thumbnail_width)
    : impl_(std::make_unique<Impl>(sequence, extractor, threads, stride, depth, thumbnail_width)) {}

FeatureStream::~FeatureStream() = default;

std::optional<FrameFeatures> FeatureStream::next() {
  return impl_->next();
}

}  // namespace looptree

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

#include "looptree/common/parallel.hpp"

namespace looptree {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

}  // namespace

/// Threads draw frame numbers, load, extract, and put results where next() picks them up in order.
/// The workers leave a core to the thread that calls next(), so that what it does between two calls
/// is not slowed down; while it would wait, it works like one of them.
struct FeatureStream::Impl {
  Impl(Sequence& seq, const FeatureExtractor& ext, std::size_t threads, std::size_t step)
      : sequence(seq), extractor(ext), stride(std::max<std::size_t>(1, step)) {
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
    FrameFeatures frame{.number = step * stride, .features = {}};
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
      const Image image = load(frame, step);
      const auto start = Clock::now();
      frame.features = extractor.extract(image);
      frame.extract_ms = milliseconds(start);
    } catch (const Error& error) {
      frame.error = error;
    }
  }

  Image load(FrameFeatures& frame, std::size_t step) {
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

  Image timed_load(FrameFeatures& frame) {
    const auto start = Clock::now();
    Image image = sequence.image(frame.number);
    frame.read_ms = milliseconds(start);
    return image;
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
      check_size(size, width, height, sequence.info().frames[frame.number].name);
    } catch (const Error& error) {
      frame.error = error;
      frame.features = {};
    }
  }

  Sequence& sequence;
  const FeatureExtractor& extractor;
  std::size_t stride;
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

FeatureStream::FeatureStream(Sequence& sequence, const FeatureExtractor& extractor,
                             std::size_t threads, std::size_t stride)
    : impl_(std::make_unique<Impl>(sequence, extractor, threads, stride)) {}

FeatureStream::~FeatureStream() = default;

std::optional<FrameFeatures> FeatureStream::next() {
  return impl_->next();
}

}  // namespace looptree

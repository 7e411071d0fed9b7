// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/feed.hpp"

#include <chrono>
#include <utility>

namespace looptree::cli {
namespace {

class SequenceFeed final : public Feed {
 public:
  SequenceFeed(Sequence& sequence, const FeatureExtractor& extractor, DepthFrom depth,
               int thumbnail_width)
      : sequence_(sequence), stream_(sequence, extractor, 0, 1, depth, thumbnail_width) {}
  std::optional<FrameFeatures> next() override { return stream_.next(); }
  const SequenceInfo& info() const override { return sequence_.info(); }
  std::size_t total() const override { return sequence_.size(); }

 private:
  Sequence& sequence_;
  FeatureStream stream_;
};

/// Extracts on the caller's thread: a camera is read on its own.
class LiveFeed final : public Feed {
 public:
  LiveFeed(LiveSource& source, const FeatureExtractor& extractor,
           std::function<bool()> keep_waiting, int thumbnail_width)
      : source_(source),
        extractor_(extractor),
        keep_waiting_(std::move(keep_waiting)),
        thumbnail_width_(thumbnail_width) {
    info_.format = "live";
  }

  std::optional<FrameFeatures> next() override {
    if (!keep_waiting_()) return std::nullopt;
    auto frame = source_.next(keep_waiting_);
    if (!frame) return std::nullopt;
    FrameFeatures result{.number = frame->number, .info = frame->info, .features = {}};
    result.error = std::move(frame->error);
    if (!result.error) {
      result.error = problem_with_size(frame->image, frame->info.name);
      result.is_another_size = result.error.has_value();
    }
    const auto start = std::chrono::steady_clock::now();
    if (!result.error) result.features = extractor_.extract(frame->image);
    const auto taken = std::chrono::steady_clock::now() - start;
    result.extract_ms = std::chrono::duration<double, std::milli>(taken).count();
    if (!result.error) result.thumbnail = make_thumbnail(frame->image, thumbnail_width_);
    info_.frames.resize(frame->number + 1);
    info_.frames[frame->number] = std::move(frame->info);
    return result;
  }

  const SequenceInfo& info() const override { return info_; }
  std::size_t total() const override { return 0; }
  std::uint64_t dropped() const override { return source_.dropped(); }

 private:
  std::optional<Error> problem_with_size(const Image& image, const std::string& name) {
    if (width_ == 0) {
      width_ = image.width;
      height_ = image.height;
    }
    try {
      check_size(image, width_, height_, name);
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }

  LiveSource& source_;
  const FeatureExtractor& extractor_;
  std::function<bool()> keep_waiting_;
  int thumbnail_width_;
  SequenceInfo info_;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace

std::unique_ptr<Feed> feed_of(Sequence& sequence, const FeatureExtractor& extractor,
                              DepthFrom depth, int thumbnail_width) {
  return std::make_unique<SequenceFeed>(sequence, extractor, depth, thumbnail_width);
}

std::unique_ptr<Feed> feed_of(LiveSource& source, const FeatureExtractor& extractor,
                              std::function<bool()> keep_waiting, int thumbnail_width) {
  return std::make_unique<LiveFeed>(source, extractor, std::move(keep_waiting), thumbnail_width);
}

}  // namespace looptree::cli

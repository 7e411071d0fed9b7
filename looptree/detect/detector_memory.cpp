// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/detector_memory.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

class InMemory final : public DetectorMemory {
 public:
  InMemory(const IndexOptions& options, const StoredFeatures& stored, std::size_t max_frames)
      : index_(std::make_shared<PooledIndex>(options)), stored_(stored), max_frames_(max_frames) {
    require(max_frames >= 1, ErrorKind::invalid_argument,
            "expected room for at least 1 frame, found max_frames 0");
  }

  std::shared_ptr<const PooledIndex> index() const override { return index_; }

  FrameId insert(const Histogram& histogram, const Features& features,
                 const FrameInfo& info) override {
    Kept kept{CompactFeatures(features, stored_), info};
    kept.info.thumbnail = {};
    const FrameId frame = index_->insert(histogram, {.session = info.session});
    if (kept_.size() == max_frames_) {
      index_->erase(FrameId{first_++});
      kept_.pop_front();
    }
    kept_.push_back(std::move(kept));
    return frame;
  }

  const Features& features(FrameId frame) const override {
    if (holds(frame)) return last_ = kept_[frame.value - first_].features.features();
    throw Error(ErrorKind::not_found, "expected a frame from " + std::to_string(first_) +
                                          " on and below " + std::to_string(first_ + kept_.size()) +
                                          ", found " + std::to_string(frame.value));
  }

  std::optional<FrameInfo> info(FrameId frame) const override {
    if (holds(frame)) return kept_[frame.value - first_].info;
    return std::nullopt;
  }

  void add_closure(const MapClosure&) override {}

 private:
  struct Kept {
    CompactFeatures features;
    FrameInfo info;
  };

  bool holds(FrameId frame) const {
    return frame.value >= first_ && frame.value - first_ < kept_.size();
  }

  std::shared_ptr<PooledIndex> index_;
  StoredFeatures stored_;
  std::size_t max_frames_;
  std::deque<Kept> kept_;  // by frame, from first_ on
  std::uint32_t first_ = 0;
  mutable Features last_;  // that were asked for
};

}  // namespace

std::unique_ptr<DetectorMemory> keep_in_memory(const IndexOptions& options,
                                               const StoredFeatures& stored,
                                               std::size_t max_frames) {
  return std::make_unique<InMemory>(options, stored, max_frames);
}

}  // namespace looptree

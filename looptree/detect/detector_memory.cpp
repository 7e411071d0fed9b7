// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/detector_memory.hpp"

#include <deque>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

class InMemory final : public DetectorMemory {
 public:
  explicit InMemory(const IndexOptions& options) : index_(std::make_shared<PooledIndex>(options)) {}

  std::shared_ptr<const PooledIndex> index() const override { return index_; }

  FrameId insert(const Histogram& histogram, const Features& features,
                 const FrameInfo& info) override {
    const FrameId frame = index_->insert(histogram, {.session = info.session});
    features_.push_back(features);
    infos_.push_back(info);
    infos_.back().thumbnail = {};  // for maps
    return frame;
  }

  const Features& features(FrameId frame) const override {
    if (frame.value < features_.size()) return features_[frame.value];
    throw Error(ErrorKind::not_found, "expected a frame below " + std::to_string(features_.size()) +
                                          ", found " + std::to_string(frame.value));
  }

  std::optional<FrameInfo> info(FrameId frame) const override {
    if (frame.value < infos_.size()) return infos_[frame.value];
    return std::nullopt;
  }

  void add_closure(const MapClosure&) override {}

 private:
  std::shared_ptr<PooledIndex> index_;
  std::deque<Features> features_;  // by frame
  std::deque<FrameInfo> infos_;    // by frame
};

}  // namespace

std::unique_ptr<DetectorMemory> keep_in_memory(const IndexOptions& options) {
  return std::make_unique<InMemory>(options);
}

}  // namespace looptree

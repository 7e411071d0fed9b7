// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <utility>

#include "looptree/index/detail/layer.hpp"

namespace looptree::detail {
namespace {

struct Posting {
  std::uint32_t frame;
  FixedWeight weight;
};

/// The classic: for each word the frames that have it, and for each frame its words.
class FrameLists final : public FrameLayer {
 public:
  explicit FrameLists(std::uint32_t vocabulary_size) : lists_(vocabulary_size) {}

  void append(const Terms& terms) override {
    const auto frame = static_cast<std::uint32_t>(frames_.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      lists_[terms.words[i]].push_back({frame, terms.weights[i]});
    }
    frames_.push_back(
        {{terms.words.begin(), terms.words.end()}, {terms.weights.begin(), terms.weights.end()}});
    postings_ += terms.size();
  }

  void erase(std::uint32_t frame) override {
    dead_postings_ += frames_[frame].words.size();
    frames_[frame] = {};
    if (dead_postings_ * 2 >= postings_) sweep();
  }

  OwnedTerms terms(std::uint32_t frame) const override { return frames_[frame]; }

  void search(const Terms& query, const Candidates& candidates,
              Collector& collector) const override {
    assert(candidates.last <= frames_.size());
    if (candidates.listed && candidates.items.size() * 8 < frames_.size()) {
      for (const std::uint32_t frame : candidates.items) {
        collector.offer(frame, intersect(query, frames_[frame].view()));
      }
      return;
    }
    const std::vector<FixedWeight> sums = accumulate(query, candidates.first, candidates.last);
    const auto offer = [&](std::uint32_t frame) {
      if (!frames_[frame].words.empty()) collector.offer(frame, sums[frame - candidates.first]);
    };
    if (candidates.listed) {
      for (const std::uint32_t frame : candidates.items) offer(frame);
    } else {
      for (std::uint32_t frame = candidates.first; frame < candidates.last; ++frame) offer(frame);
    }
  }

  std::size_t bytes() const override {
    std::size_t bytes =
        lists_.capacity() * sizeof(lists_[0]) + frames_.capacity() * sizeof(OwnedTerms);
    for (const auto& list : lists_) bytes += list.capacity() * sizeof(Posting);
    for (const auto& frame : frames_) {
      bytes += frame.words.capacity() * sizeof(frame.words[0]) +
               frame.weights.capacity() * sizeof(frame.weights[0]);
    }
    return bytes;
  }

 private:
  std::vector<FixedWeight> accumulate(const Terms& query, std::uint32_t first,
                                      std::uint32_t last) const {
    std::vector<FixedWeight> sums(last - first, 0);
    const auto before = [](const Posting& posting, std::uint32_t frame) {
      return posting.frame < frame;
    };
    for (std::size_t i = 0; i < query.size(); ++i) {
      const auto& list = lists_[query.words[i]];
      const auto begin = std::lower_bound(list.begin(), list.end(), first, before);
      const auto end = std::lower_bound(begin, list.end(), last, before);
      for (auto posting = begin; posting != end; ++posting) {
        sums[posting->frame - first] += std::min(query.weights[i], posting->weight);
      }
    }
    return sums;
  }

  /// Drops the postings of erased frames: linear, so only once half of all are theirs.
  void sweep() {
    for (auto& list : lists_) {
      std::erase_if(list,
                    [&](const Posting& posting) { return frames_[posting.frame].words.empty(); });
      list.shrink_to_fit();
    }
    postings_ -= std::exchange(dead_postings_, 0);
  }

  std::vector<std::vector<Posting>> lists_;
  std::vector<OwnedTerms> frames_;  // no words: erased
  std::size_t postings_ = 0;
  std::size_t dead_postings_ = 0;
};

}  // namespace

std::unique_ptr<FrameLayer> make_frame_layer(std::uint32_t vocabulary_size) {
  return std::make_unique<FrameLists>(vocabulary_size);
}

}  // namespace looptree::detail

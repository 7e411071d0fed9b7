// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The baseline: an inverted index as one would write it today, if one knew that memory is slow and
// had an afternoon. Contiguous lists of (frame, weight), a dense accumulator, nothing else.
#include <algorithm>
#include <vector>

#include "bench/engine.hpp"

namespace looptree::bench {
namespace {

struct Posting {
  std::uint32_t frame;
  float weight;
};

class Plain final : public Engine {
 public:
  explicit Plain(std::uint32_t words) : lists_(words) {}

  void insert(const Histogram& histogram) override {
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      lists_[histogram.words()[i].value].push_back(
          {frames_, static_cast<float>(histogram.weights()[i])});
    }
    ++frames_;
  }

  std::vector<Match> query(const Histogram& histogram, const Question& question) const override {
    scores_.assign(frames_, 0.0f);
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      const auto weight = static_cast<float>(histogram.weights()[i]);
      for (const Posting& posting : lists_[histogram.words()[i].value]) {
        scores_[posting.frame] += std::min(weight, posting.weight);
      }
    }
    return best(question);
  }

  std::size_t bytes() const override {
    std::size_t bytes =
        lists_.capacity() * sizeof(std::vector<Posting>) + scores_.capacity() * sizeof(float);
    for (const auto& list : lists_) bytes += list.capacity() * sizeof(Posting);
    return bytes;
  }

 private:
  std::vector<Match> best(const Question& question) const {
    const auto order = [](const Match& a, const Match& b) {
      return a.score != b.score ? a.score > b.score : a.frame < b.frame;
    };
    std::vector<Match> matches;
    double threshold = std::max(question.threshold, 1e-30);
    for (std::uint32_t frame = 0; frame < frames_; ++frame) {
      if (scores_[frame] < threshold) continue;
      matches.push_back({FrameId{frame}, scores_[frame]});
      if (question.top_k == 0) continue;
      // A heap of the best so far, so that only what beats them is looked at twice.
      std::push_heap(matches.begin(), matches.end(), order);
      if (matches.size() > question.top_k) {
        std::pop_heap(matches.begin(), matches.end(), order);
        matches.pop_back();
      }
      if (matches.size() == question.top_k) threshold = std::max(threshold, matches.front().score);
    }
    std::sort(matches.begin(), matches.end(), order);
    return matches;
  }

  std::vector<std::vector<Posting>> lists_;
  std::uint32_t frames_ = 0;
  mutable std::vector<float> scores_;  // kept, so that allocation is not what is measured
};

}  // namespace

std::unique_ptr<Engine> make_plain(std::uint32_t words) {
  return std::make_unique<Plain>(words);
}

}  // namespace looptree::bench

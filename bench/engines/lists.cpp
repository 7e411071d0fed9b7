// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The structure that DBoW2, DBoW3 and ORB-SLAM share, as the evaluation has it: a linked list of
// entries per word, scores in an ordered map, and a full sort at the end.
#include <list>

#include "looptree/evaluate/engine.hpp"

#include "bench/engine.hpp"

namespace looptree::bench {
namespace {

class Lists final : public Engine {
 public:
  explicit Lists(std::uint32_t words)
      : words_(words), lists_(evaluate::make_variant("lists", words).make()) {}

  void insert(const Histogram& histogram) override {
    lists_->insert(histogram);
    entries_ += histogram.size();
  }

  std::vector<Match> query(const Histogram& histogram, const Question& question) const override {
    const std::size_t top_k = question.top_k == 0 ? QueryOptions::kUnlimited : question.top_k;
    return lists_->query(histogram, {.top_k = top_k, .threshold = question.threshold});
  }

  std::size_t bytes() const override {
    // A list node is two links, a frame and a weight, in a block of the allocator's.
    return words_ * sizeof(std::list<int>) + entries_ * (2 * sizeof(void*) + 8 + 16);
  }

 private:
  std::size_t words_;
  std::unique_ptr<evaluate::Engine> lists_;
  std::size_t entries_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_lists(std::uint32_t words) {
  return std::make_unique<Lists>(words);
}

}  // namespace looptree::bench

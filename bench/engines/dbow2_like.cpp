// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The structure that DBoW2, DBoW3 and ORB-SLAM share: a linked list of entries per word, images as
// ordered maps, scores in an ordered map, and a full sort at the end.
#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <vector>

#include "bench/engine.hpp"

namespace looptree::bench {
namespace {

class Dbow2Like final : public Engine {
 public:
  explicit Dbow2Like(std::uint32_t words) : rows_(words) {}

  void insert(const Histogram& histogram) override {
    for (const auto& [word, weight] : as_map(histogram)) {
      rows_[word].push_back({frames_, weight});
      ++entries_;
    }
    ++frames_;
  }

  std::vector<Match> query(const Histogram& histogram, const Question& question) const override {
    std::map<std::uint32_t, double> scores;
    for (const auto& [word, weight] : as_map(histogram)) {
      for (const Entry& entry : rows_[word]) {
        const double value =
            std::abs(weight - entry.weight) - std::abs(weight) - std::abs(entry.weight);
        const auto found = scores.lower_bound(entry.frame);
        if (found != scores.end() && found->first == entry.frame) {
          found->second += value;
        } else {
          scores.insert(found, {entry.frame, value});
        }
      }
    }
    std::vector<Match> matches;
    matches.reserve(scores.size());
    for (const auto& [frame, value] : scores) matches.push_back({FrameId{frame}, -value / 2});
    std::sort(matches.begin(), matches.end(),
              [](const Match& a, const Match& b) { return a.score > b.score; });
    if (question.top_k != 0 && matches.size() > question.top_k) matches.resize(question.top_k);
    std::erase_if(matches, [&](const Match& match) { return match.score < question.threshold; });
    return matches;
  }

  std::size_t bytes() const override {
    // A list node is two links and an entry, in a block of the allocator's.
    return rows_.capacity() * sizeof(std::list<Entry>) +
           entries_ * (2 * sizeof(void*) + sizeof(Entry) + 16);
  }

 private:
  struct Entry {
    std::uint32_t frame;
    double weight;
  };

  static std::map<std::uint32_t, double> as_map(const Histogram& histogram) {
    std::map<std::uint32_t, double> result;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      result.emplace_hint(result.end(), histogram.words()[i].value, histogram.weights()[i]);
    }
    return result;
  }

  std::vector<std::list<Entry>> rows_;
  std::uint32_t frames_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_dbow2_like(std::uint32_t words) {
  return std::make_unique<Dbow2Like>(words);
}

}  // namespace looptree::bench

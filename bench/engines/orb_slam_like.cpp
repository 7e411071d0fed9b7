// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The keyframe database of ORB-SLAM, as it works: what looptree replaces. Lists of pointers that
// are walked node by node, counters inside the keyframes, scores by merging two maps.
#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "bench/trace_engines.hpp"

namespace looptree::bench {
namespace {

using evaluate::TraceEngine;
using evaluate::TraceQuestion;
using WordVector = std::map<unsigned, double>;

struct Keyframe {
  KeyframeNumber number;
  WordVector words;
  // What the query that last met it left behind.
  std::size_t query = 0;
  int common = 0;
  float score = 0;
};

/// DBoW2's L1 score: both maps are walked, and where one lags behind it is searched for the other's
/// word.
double l1_score(const WordVector& a, const WordVector& b) {
  double score = 0;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->first == j->first) {
      score += std::fabs(i->second - j->second) - std::fabs(i->second) - std::fabs(j->second);
      ++i;
      ++j;
    } else if (i->first < j->first) {
      i = a.lower_bound(j->first);
    } else {
      j = b.lower_bound(i->first);
    }
  }
  return -score / 2.0;
}

WordVector to_map(const Histogram& histogram) {
  WordVector words;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    words.emplace_hint(words.end(), histogram.words()[i].value, histogram.weights()[i]);
  }
  return words;
}

class OrbSlamLike final : public TraceEngine {
 public:
  explicit OrbSlamLike(std::size_t words) : inverted_(words) {}

  std::string name() const override { return "orb-slam"; }
  bool selects() const override { return true; }

  void add(KeyframeNumber number, const Histogram& histogram) override {
    std::unique_ptr<Keyframe>& keyframe = keyframes_[number];
    if (!keyframe) {
      keyframe = std::make_unique<Keyframe>();
      keyframe->number = number;
      keyframe->words = to_map(histogram);
    }
    for (const auto& [word, weight] : keyframe->words) inverted_[word].push_back(keyframe.get());
  }

  void erase(KeyframeNumber number) override {
    const auto found = keyframes_.find(number);
    if (found == keyframes_.end()) return;
    Keyframe* const keyframe = found->second.get();
    for (const auto& [word, weight] : keyframe->words) {
      std::list<Keyframe*>& list = inverted_[word];
      for (auto at = list.begin(); at != list.end(); ++at) {
        if (*at != keyframe) continue;
        list.erase(at);
        break;
      }
    }
  }

  void clear() override {
    const std::size_t words = inverted_.size();
    inverted_.clear();
    inverted_.resize(words);
    keyframes_.clear();
  }

  void prepare(const Histogram& query) override { asked_ = to_map(query); }

  TraceAnswer ask(const TraceQuestion& question) const override {
    ++query_;
    const std::list<Keyframe*> sharing = walk(question);
    TraceAnswer answer;
    answer.sharing = sharing.size();
    int most = 0;
    for (const Keyframe* keyframe : sharing) most = std::max(most, keyframe->common);
    answer.most_common = static_cast<std::uint32_t>(most);
    const int least = static_cast<int>(static_cast<float>(most) * 0.8f);
    std::list<std::pair<float, Keyframe*>> passed;
    for (Keyframe* keyframe : sharing) {
      if (keyframe->common <= least) continue;
      keyframe->score = static_cast<float>(l1_score(asked_, keyframe->words));
      answer.scored.push_back(
          {keyframe->number, static_cast<std::uint32_t>(keyframe->common), keyframe->score});
      if (keyframe->score >= question.min_score) passed.emplace_back(keyframe->score, keyframe);
    }
    answer.returned = group(question, passed, least);
    return answer;
  }

 private:
  std::list<Keyframe*> walk(const TraceQuestion& question) const {
    std::set<const Keyframe*> excluded;
    for (const KeyframeNumber number : question.excluded) {
      if (const Keyframe* keyframe = find(number)) excluded.insert(keyframe);
    }
    std::list<Keyframe*> sharing;
    for (const auto& [word, weight] : asked_) {
      for (Keyframe* keyframe : inverted_[word]) {
        if (keyframe->query != query_) {
          keyframe->common = 0;
          if (excluded.count(keyframe) == 0) {
            keyframe->query = query_;
            sharing.push_back(keyframe);
          }
        }
        ++keyframe->common;
      }
    }
    return sharing;
  }

  std::vector<KeyframeNumber> group(const TraceQuestion& question,
                                    const std::list<std::pair<float, Keyframe*>>& passed,
                                    int least) const {
    std::map<KeyframeNumber, float> left_over;
    for (const TraceScore& one : question.left_over) left_over.emplace(one.keyframe, one.score);
    std::list<std::pair<float, const Keyframe*>> groups;
    float heaviest = question.min_score;
    for (const auto& [score, keyframe] : passed) {
      float best = score;
      float sum = score;
      const Keyframe* representative = keyframe;
      for (const KeyframeNumber number : question.neighbours(keyframe->number)) {
        const Keyframe* neighbour = find(number);
        if (neighbour == nullptr || neighbour->query != query_) continue;
        float its = neighbour->score;
        if (neighbour->common <= least) {
          const auto stale = left_over.find(number);
          if (stale == left_over.end()) continue;
          its = stale->second;
        }
        sum += its;
        if (its > best) {
          best = its;
          representative = neighbour;
        }
      }
      groups.emplace_back(sum, representative);
      if (sum > heaviest) heaviest = sum;
    }
    std::set<const Keyframe*> seen;
    std::vector<KeyframeNumber> returned;
    for (const auto& [sum, representative] : groups) {
      if (sum > 0.75f * heaviest && seen.insert(representative).second) {
        returned.push_back(representative->number);
      }
    }
    return returned;
  }

  const Keyframe* find(KeyframeNumber number) const {
    const auto found = keyframes_.find(number);
    return found == keyframes_.end() ? nullptr : found->second.get();
  }

  std::vector<std::list<Keyframe*>> inverted_;
  // Erased keyframes stay: they are in no list, and so are never met.
  std::unordered_map<KeyframeNumber, std::unique_ptr<Keyframe>> keyframes_;
  mutable std::size_t query_ = 0;
  WordVector asked_;
};

}  // namespace

std::unique_ptr<TraceEngine> make_orb_slam_like(std::span<const double> word_weights) {
  return std::make_unique<OrbSlamLike>(word_weights.size());
}

}  // namespace looptree::bench

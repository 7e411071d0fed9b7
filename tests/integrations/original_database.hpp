// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "looptree/histogram/scores.hpp"

#include "KeyFrameDatabase.h"

namespace LOOPTREE_ORB_SLAM_NAMESPACE {

/// What ORB-SLAM's keyframe database answers, by the letter of its rules and the slow way: the
/// oracle of the drop-in. A keyframe's score stays with it from one query to the next, 0 at first,
/// and counts in every later query whose words it shares; forget() takes that away.
class OriginalDatabase {
 public:
  void add(KeyFrame* keyframe) { entries_.push_back(keyframe); }
  void erase(KeyFrame* keyframe) { std::erase(entries_, keyframe); }
  void clear() { entries_.clear(); }
  void forget() {
    relocalization_.clear();
    place_.clear();
  }

  std::vector<KeyFrame*> relocalize(const Frame& frame) {
    return kept(groups(frame.mBowVec, {}, 0, relocalization_));
  }

  std::vector<KeyFrame*> best(KeyFrame& query, int min_words) {
    return kept(groups(query.mBowVec, query.connected, min_words, place_));
  }

  struct Best {
    std::vector<KeyFrame*> loops;
    std::vector<KeyFrame*> merges;
    friend bool operator==(const Best&, const Best&) = default;
  };

  Best n_best(KeyFrame& query, std::size_t count) {
    std::vector<Group> heaviest = groups(query.mBowVec, query.connected, 0, place_);
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [](const Group& a, const Group& b) { return a.sum > b.sum; });
    Best result;
    std::set<KeyFrame*> seen;
    for (const Group& group : heaviest) {
      if (group.best->isBad() || !seen.insert(group.best).second) continue;
      const bool same = group.best->map == query.map;
      if (!same && group.best->map->bad) continue;
      std::vector<KeyFrame*>& kind = same ? result.loops : result.merges;
      if (kind.size() < count) kind.push_back(group.best);
    }
    return result;
  }

 private:
  using Scores = std::map<const KeyFrame*, float>;
  struct Met {
    KeyFrame* keyframe;
    int common = 0;
  };
  struct Group {
    KeyFrame* best;
    float sum;
  };

  static looptree::Histogram histogram(const DBoW2::BowVector& vector) {
    std::vector<looptree::WordId> words;
    std::vector<double> weights;
    for (const auto& [word, weight] : vector) {
      words.emplace_back(word);
      weights.push_back(weight);
    }
    return {words, weights};
  }

  /// Word by word through the keyframes, oldest first.
  std::vector<Met> walk(const DBoW2::BowVector& words, const std::set<KeyFrame*>& excluded) const {
    std::vector<Met> met;
    for (const auto& [word, weight] : words) {
      for (KeyFrame* keyframe : entries_) {
        if (keyframe->mBowVec.count(word) == 0 || excluded.count(keyframe) > 0) continue;
        const auto same = [keyframe](const Met& one) { return one.keyframe == keyframe; };
        auto at = std::find_if(met.begin(), met.end(), same);
        if (at == met.end()) at = met.insert(at, {keyframe});
        ++at->common;
      }
    }
    return met;
  }

  std::vector<Group> groups(const DBoW2::BowVector& words, const std::set<KeyFrame*>& excluded,
                            int min_words, Scores& scores) const {
    const std::vector<Met> met = walk(words, excluded);
    int most = 0;
    for (const Met& one : met) most = std::max(most, one.common);
    const int least = std::max(static_cast<int>(0.8f * static_cast<float>(most)), min_words);
    for (const Met& one : met) {
      if (one.common <= least) continue;
      scores[one.keyframe] = static_cast<float>(
          looptree::score(looptree::Score::l1, histogram(words), histogram(one.keyframe->mBowVec)));
    }
    std::vector<Group> result;
    for (const Met& one : met) {
      if (one.common > least) result.push_back(group(one.keyframe, met, scores));
    }
    return result;
  }

  static Group group(KeyFrame* leader, const std::vector<Met>& met, Scores& scores) {
    Group result{leader, scores[leader]};
    float best = result.sum;
    for (KeyFrame* neighbour : leader->GetBestCovisibilityKeyFrames(10)) {
      const auto same = [neighbour](const Met& one) { return one.keyframe == neighbour; };
      if (std::none_of(met.begin(), met.end(), same)) continue;
      result.sum += scores[neighbour];  // of this query or of one before
      if (scores[neighbour] > best) result.best = neighbour;
      best = std::max(best, scores[neighbour]);
    }
    return result;
  }

  static std::vector<KeyFrame*> kept(const std::vector<Group>& groups) {
    float heaviest = 0;
    for (const Group& group : groups) heaviest = std::max(heaviest, group.sum);
    std::vector<KeyFrame*> result;
    for (const Group& group : groups) {
      const bool known = std::find(result.begin(), result.end(), group.best) != result.end();
      if (group.sum > 0.75f * heaviest && !known) result.push_back(group.best);
    }
    return result;
  }

  std::vector<KeyFrame*> entries_;  // oldest first
  Scores relocalization_;
  Scores place_;
};

}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

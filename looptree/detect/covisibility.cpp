// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/covisibility.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

void check_options(const CovisibilityOptions& options, float min_score) {
  if (std::isnan(min_score)) {
    throw Error(ErrorKind::invalid_argument, "expected a minimum score, found not a number");
  }
  if (!(options.group_fraction >= 0 && options.group_fraction <= 1)) {
    throw Error(ErrorKind::invalid_argument,
                "expected a fraction of the heaviest group from 0 to 1, found " +
                    std::to_string(options.group_fraction));
  }
}

Filter without_connected(const Filter& filter, const Covisibility& covisibility) {
  if (!covisibility.connected) return filter;
  Filter result = filter;
  result.accept = [&filter, &covisibility](FrameId frame) {
    return (!filter.accept || filter.accept(frame)) && !covisibility.connected(frame);
  };
  return result;
}

/// Scores by frame. Few, and asked for often.
class ScoreTable {
 public:
  ScoreTable(std::span<const ScoredKeyframe> scored, std::span<const ScoredKeyframe> left_over) {
    entries_.reserve(scored.size() + left_over.size());
    for (const ScoredKeyframe& one : scored) entries_.emplace_back(one.frame, one.score);
    for (const ScoredKeyframe& one : left_over) entries_.emplace_back(one.frame, one.score);
    // Stable: where a frame has both, what this query found comes first.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  const float* find(FrameId frame) const {
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), frame,
                         [](const auto& entry, FrameId id) { return entry.first < id; });
    return at != entries_.end() && at->first == frame ? &at->second : nullptr;
  }

 private:
  std::vector<std::pair<FrameId, float>> entries_;
};

/// Everything up to the choice among the groups.
CovisibilityCandidates score_and_group(const PooledIndex& index, const Histogram& query,
                                       float min_score, const Covisibility& covisibility,
                                       const CovisibilityOptions& options) {
  check_options(options, min_score);
  CovisibilityCandidates result;
  if (query.empty()) return result;
  CommonWordsOptions asked;
  asked.fraction = options.common_fraction;
  asked.min_words = options.min_words;
  asked.filter = without_connected(options.filter, covisibility);
  asked.scores = !options.score;
  asked.count_sharing = options.count_sharing;
  const CommonWords common = index.common_words(query, asked);
  result.most_common = common.most;
  result.sharing = common.sharing;
  result.scored.reserve(common.frames.size());
  for (const CommonFrame& frame : common.frames) {
    const float score =
        options.score ? options.score(frame.frame) : static_cast<float>(frame.score);
    result.scored.push_back({frame.frame, frame.common, score});
  }
  result.groups = covisible_groups(result.scored, min_score, covisibility, options);
  return result;
}

}  // namespace

std::vector<CovisibleGroup> covisible_groups(std::span<const ScoredKeyframe> scored,
                                             float min_score, const Covisibility& covisibility,
                                             const CovisibilityOptions& options,
                                             std::span<const ScoredKeyframe> left_over) {
  const ScoreTable scores(scored, left_over);
  std::vector<CovisibleGroup> groups;
  for (const ScoredKeyframe& leader : scored) {
    if (!(leader.score >= min_score)) continue;
    CovisibleGroup group{leader.frame, leader.frame, leader.score};
    float best = leader.score;
    if (covisibility.neighbours) {
      for (const FrameId neighbour : covisibility.neighbours(leader.frame, options.neighbours)) {
        const float* score = scores.find(neighbour);
        if (score == nullptr) continue;
        group.score += *score;
        if (*score > best) {
          best = *score;
          group.best = neighbour;
        }
      }
    }
    groups.push_back(group);
  }
  return groups;
}

std::vector<FrameId> best_of_groups(std::span<const CovisibleGroup> groups, float min_score,
                                    float group_fraction) {
  float heaviest = min_score;
  for (const CovisibleGroup& group : groups) heaviest = std::max(heaviest, group.score);
  const float least = group_fraction * heaviest;
  std::vector<FrameId> frames;
  for (const CovisibleGroup& group : groups) {
    const bool known = std::find(frames.begin(), frames.end(), group.best) != frames.end();
    if (group.score > least && !known) frames.push_back(group.best);
  }
  return frames;
}

CovisibilityCandidates loop_candidates(const PooledIndex& index, const Histogram& query,
                                       float min_score, const Covisibility& covisibility,
                                       const CovisibilityOptions& options) {
  CovisibilityCandidates result = score_and_group(index, query, min_score, covisibility, options);
  result.frames = best_of_groups(result.groups, min_score, options.group_fraction);
  return result;
}

CovisibilityCandidates relocalization_candidates(const PooledIndex& index, const Histogram& query,
                                                 const Covisibility& covisibility,
                                                 const CovisibilityOptions& options) {
  Covisibility unconnected;
  unconnected.neighbours = covisibility.neighbours;
  return loop_candidates(index, query, 0, unconnected, options);
}

BestCandidates best_candidates(const PooledIndex& index, const Histogram& query, std::size_t count,
                               const Covisibility& covisibility,
                               const std::function<MapRelation(FrameId)>& relation,
                               const CovisibilityOptions& options) {
  require(relation != nullptr, ErrorKind::invalid_argument,
          "expected a function that tells loops from merges, found none");
  BestCandidates result;
  result.detail = score_and_group(index, query, 0, covisibility, options);
  std::vector<CovisibleGroup> heaviest = result.detail.groups;
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<FrameId>& seen = result.detail.frames;
  for (const CovisibleGroup& group : heaviest) {
    if (result.loops.size() >= count && result.merges.size() >= count) break;
    if (std::find(seen.begin(), seen.end(), group.best) != seen.end()) continue;
    seen.push_back(group.best);
    const MapRelation map = relation(group.best);
    if (map == MapRelation::same && result.loops.size() < count) {
      result.loops.push_back(group.best);
    } else if (map == MapRelation::other && result.merges.size() < count) {
      result.merges.push_back(group.best);
    }
  }
  // What was looked at is not what is returned: the answer are loops and merges.
  seen = result.loops;
  seen.insert(seen.end(), result.merges.begin(), result.merges.end());
  return result;
}

}  // namespace looptree

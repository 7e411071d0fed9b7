// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree {

/// ORB-SLAM's selection of keyframes, as functions of an index and of what the SLAM system knows
/// about its map. No OpenCV, no keyframe class: the system answers two questions by FrameId.
///
/// Of the keyframes that share a word with the query, those with more than 0.8 of the most common
/// words are scored. Each that scores enough leads a group: itself and those of its 10 best
/// covisible neighbours that were scored too. A group weighs the sum of its scores; groups above
/// 0.75 of the heaviest are kept, each stands for its best keyframe. Sums and comparisons are in
/// single precision and in ORB-SLAM's order, so its answers come out, in its order.

/// What the SLAM system knows.
struct Covisibility {
  /// Whether a stored keyframe is connected to the query's, and so no loop; empty: none is. Asked
  /// about a few keyframes while the index is locked for reading: it must not call into the index.
  std::function<bool(FrameId)> connected = nullptr;
  /// The (at most) n keyframes that see most of what this one sees, best first; empty: none. It may
  /// name frames that the index does not hold. Called with no lock held.
  std::function<std::vector<FrameId>(FrameId frame, std::size_t n)> neighbours = nullptr;
};

struct CovisibilityOptions {
  /// Score keyframes with more than this fraction of the most common words; in [0, 1].
  float common_fraction = 0.8f;
  /// And with more than this many common words.
  std::uint32_t min_words = 0;
  /// Neighbours that add their score to a group.
  std::size_t neighbours = 10;
  /// Keep groups above this fraction of the heaviest; in [0, 1].
  float group_fraction = 0.75f;
  /// Which keyframes take part at all: other maps and sessions can be left out here.
  Filter filter = {};
  /// The score of a stored keyframe with the query. Empty: the index's, a multiple of 2^-31, which
  /// is within words x 2^-32 of DBoW2's. A caller who needs DBoW2's own number, to the bit, keeps
  /// the histograms and gives L1Query here. Called with no lock held.
  std::function<float(FrameId)> score = nullptr;
  /// Fill CovisibilityCandidates::sharing, which asks `connected` about every keyframe that shares
  /// a word.
  bool count_sharing = false;
};

/// A keyframe that had enough words in common.
struct ScoredKeyframe {
  FrameId frame;
  std::uint32_t common = 0;
  float score = 0;
  friend bool operator==(const ScoredKeyframe&, const ScoredKeyframe&) = default;
};

/// A scored keyframe with its neighbours.
struct CovisibleGroup {
  FrameId leader;
  FrameId best;     ///< of the group, the one with the highest score
  float score = 0;  ///< the sum over the group
  friend bool operator==(const CovisibleGroup&, const CovisibleGroup&) = default;
};

struct CovisibilityCandidates {
  std::vector<FrameId> frames;  ///< the answer: the best of each kept group, each once
  /// How it came about: all keyframes that were scored, in the order in which a walk through the
  /// query's words meets them, and the groups of those that reached the minimum, in the same order.
  std::vector<ScoredKeyframe> scored;
  std::vector<CovisibleGroup> groups;
  std::uint32_t most_common = 0;  ///< the most words in common with one keyframe
  std::size_t sharing = 0;        ///< keyframes that share a word; 0 unless asked for
};

/// Candidates for a loop: those that score at least `min_score`, in ORB-SLAM the lowest score
/// between the query and its own neighbours. An empty query has none. Throws
/// Error(invalid_argument) where PooledIndex::common_words() does, for a fraction outside [0, 1]
/// and for a `min_score` that is not a number. Safe from any thread, like a query of the index.
LOOPTREE_EXPORT CovisibilityCandidates loop_candidates(const PooledIndex& index,
                                                       const Histogram& query, float min_score,
                                                       const Covisibility& covisibility,
                                                       const CovisibilityOptions& options = {});

/// Candidates for a lost camera: no minimum, nothing connected. ORB-SLAM adds to a group whatever
/// score a neighbour was left with by an earlier query, or by nobody, since it never sets the
/// first; here only scores of this query count. covisible_groups() takes what was left, and
/// docs/orb_slam.md says how much it matters.
LOOPTREE_EXPORT CovisibilityCandidates relocalization_candidates(
    const PooledIndex& index, const Histogram& query, const Covisibility& covisibility,
    const CovisibilityOptions& options = {});

/// How a keyframe's map stands to the query's.
enum class MapRelation {
  same,   ///< a loop
  other,  ///< a merge
  none,   ///< the map, or the keyframe, is no longer of use
};

struct BestCandidates {
  std::vector<FrameId> loops;   ///< heaviest group first
  std::vector<FrameId> merges;  ///< likewise
  CovisibilityCandidates detail;
};

/// ORB-SLAM3's form: the best keyframes of the `count` heaviest groups of the query's map, and of
/// all other maps. Groups of equal weight stay in the order of the walk. `relation` is asked with
/// no lock held. Scores of this query only, as in relocalization_candidates(); what ORB-SLAM3 adds
/// beyond them starts at 0 and comes from earlier queries.
LOOPTREE_EXPORT BestCandidates best_candidates(const PooledIndex& index, const Histogram& query,
                                               std::size_t count, const Covisibility& covisibility,
                                               const std::function<MapRelation(FrameId)>& relation,
                                               const CovisibilityOptions& options = {});

/// The second half alone, for keyframes that were counted and scored elsewhere. `left_over` are
/// scores of keyframes that this query did not score and that count as neighbours all the same:
/// nothing in any sound use, but what ORB-SLAM's relocalisation reads, so that its answers can be
/// told from recorded values.
LOOPTREE_EXPORT std::vector<CovisibleGroup> covisible_groups(
    std::span<const ScoredKeyframe> scored, float min_score, const Covisibility& covisibility,
    const CovisibilityOptions& options = {}, std::span<const ScoredKeyframe> left_over = {});

/// The best of each group above the given fraction of the heaviest (or of `min_score`, if that is
/// more), each once, in the order of the groups.
LOOPTREE_EXPORT std::vector<FrameId> best_of_groups(std::span<const CovisibleGroup> groups,
                                                    float min_score, float group_fraction);

}  // namespace looptree

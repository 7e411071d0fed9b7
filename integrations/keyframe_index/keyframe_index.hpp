// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// C++11: for systems that are not compiled as C++20. It includes nothing of looptree's.
#ifndef LOOPTREE_INTEGRATIONS_KEYFRAME_INDEX_HPP
#define LOOPTREE_INTEGRATIONS_KEYFRAME_INDEX_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace looptree {
namespace integrations {

/// A keyframe of the SLAM system, by its address. The index never looks behind it.
typedef void* Keyframe;

/// The words of an image in ascending order, each with its weight.
typedef std::vector<std::pair<unsigned int, double> > WordVector;

/// What a keyframe database is asked.
struct KeyframeQuestion {
  WordVector words;
  /// Keyframes with more than this fraction of the most common words take part; in [0, 1].
  float common_fraction = 0.8f;
  /// And with more than this many.
  unsigned int min_words = 0;
  /// Which keyframes take part at all; empty: all. Asked about few of them, while the index is
  /// locked for reading: it must not call into the index.
  std::function<bool(Keyframe)> accept;
};

/// A keyframe with enough words in common.
struct CommonKeyframe {
  Keyframe keyframe;
  unsigned int common;
};

/// How scored keyframes are grouped.
struct KeyframeGrouping {
  /// Keyframes that score less lead no group.
  float min_score = 0;
  /// The neighbours of a keyframe that add to its group, in the order in which they are added.
  /// Called with no lock held.
  std::function<std::vector<Keyframe>(Keyframe)> neighbours;
  /// ORB-SLAM keeps a keyframe's score in the keyframe, and adds to a group also what an earlier
  /// question left in a neighbour that shares a word with this one and was not scored by it. Both
  /// given: imitated, `keep` is called with every score and `kept` for such neighbours, with no
  /// lock held. Both empty: only scores of this question count.
  std::function<void(Keyframe, float)> keep;
  std::function<float(Keyframe)> kept;
};

/// A scored keyframe and its neighbours.
struct KeyframeGroup {
  Keyframe best;  ///< the one with the highest score
  float score;    ///< the sum
};

/// Keyframes by their words over looptree's index: what the drop-ins for ORB-SLAM and stella_vslam
/// are made of. Candidates come in the order in which a walk through the lists of the question's
/// words meets them, lowest word first, then in order of adding.
///
/// Any number of questions may run at once, and together with one change; a question sees the state
/// before or after it. looptree::Error (a std::exception) is thrown for words that do not ascend or
/// lie past the vocabulary, for weights that do not sum to 1 (within 0.001), and where there is no
/// vocabulary; nothing has changed then.
class KeyframeIndex {
 public:
  /// `scores`: keep the weights, to score by DBoW2's L1. Without, weights are ignored altogether,
  /// common() is all there is to ask, and a keyframe takes half the memory.
  explicit KeyframeIndex(bool scores = true);
  ~KeyframeIndex();
  KeyframeIndex(const KeyframeIndex&) = delete;
  KeyframeIndex& operator=(const KeyframeIndex&) = delete;

  /// Words lie below `words`, which is above 0. `scoring` is the number of the vocabulary's score
  /// in DBoW2's ScoringType; an index with scores refuses all but 0, L1_NORM, with
  /// Error(unsupported). Clears the index.
  void set_vocabulary(std::size_t words, int scoring = 0);

  /// False, and nothing happens, if it is in already or has no words.
  bool add(Keyframe keyframe, const WordVector& words);
  /// False if it is not in.
  bool erase(Keyframe keyframe);
  void clear();
  std::size_t size() const;
  /// In order of adding.
  std::vector<Keyframe> keyframes() const;

  /// The keyframes with enough words in common.
  std::vector<CommonKeyframe> common(const KeyframeQuestion& question) const;

  /// The same, scored and grouped. Scores are DBoW2's sums of doubles to the bit, kept as float;
  /// sums over groups are in float and in the order of the neighbours.
  std::vector<KeyframeGroup> groups(const KeyframeQuestion& question,
                                    const KeyframeGrouping& grouping) const;

  /// The best keyframe of each group above 0.75 of the heaviest (or of `min_score`, if that is
  /// more), each once.
  static std::vector<Keyframe> best_of(const std::vector<KeyframeGroup>& groups, float min_score);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace integrations
}  // namespace looptree

#endif

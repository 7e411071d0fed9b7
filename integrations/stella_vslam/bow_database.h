// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of stella_vslam's src/stella_vslam/data/bow_database.h; docs/orb_slam.md says how to
// build it. Written for looptree from what stella_vslam's class does; C++11, like its sources.
#ifndef STELLA_VSLAM_DATA_BOW_DATABASE_H
#define STELLA_VSLAM_DATA_BOW_DATABASE_H

#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "stella_vslam/data/bow_vocabulary.h"

namespace stella_vslam {
namespace data {

class frame;
class keyframe;

// stella_vslam's keyframe database over looptree's index: the same methods, the same keyframes.
// Words are counted here; scores are stella_vslam's own (FBoW's or DBoW2's, whatever it was built
// with), computed for the few keyframes that have enough words in common.
//
// Queries and changes may come from any threads; a query sees the state before or after a change.
// They take turns while words are counted, and score at once. A keyframe's bow_vec_ is read when it
// is added and must not change afterwards. Words may have any numbers, with gaps, as FBoW's have.
// looptree::Error (a std::exception) is thrown for a keyframe that brings more words than the
// vocabulary has, for a ratio outside [0, 1], and for any use after construction with a null
// pointer.
class bow_database {
 public:
  explicit bow_database(bow_vocabulary* bow_vocab);
  ~bow_database();
  bow_database(const bow_database&) = delete;
  bow_database& operator=(const bow_database&) = delete;

  // A keyframe that is in already stays as it is. (The original counts its words twice from then
  // on, and keeps it after one erase.)
  void add_keyframe(const std::shared_ptr<keyframe>& keyfrm);
  // Nothing happens if it is not in.
  void erase_keyframe(const std::shared_ptr<keyframe>& keyfrm);
  void clear();

  // The keyframes with more than the given ratio of the most common words that score at least
  // min_score, in the order in which a walk through the words meets them, words that were added
  // first come first. (The original returns them in the order of a hash of their addresses.)
  std::vector<std::shared_ptr<keyframe>> acquire_keyframes(
      const bow_vector& bow_vec, const float min_score = 0.0f,
      const float num_common_words_thr_ratio = 0.8f,
      const std::set<std::shared_ptr<keyframe>>& keyfrms_to_reject = {});

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace data
}  // namespace stella_vslam

#endif  // STELLA_VSLAM_DATA_BOW_DATABASE_H

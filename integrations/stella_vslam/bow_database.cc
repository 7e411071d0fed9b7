// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of stella_vslam's src/stella_vslam/data/bow_database.cc; C++11, links
// looptree_stella_vslam.
#include "stella_vslam/data/bow_database.h"

#include "keyframe_index.hpp"
#include "stella_vslam/data/bow_vocabulary.h"
#include "stella_vslam/data/frame.h"
#include "stella_vslam/data/keyframe.h"

namespace stella_vslam {
namespace data {
namespace {

using looptree::integrations::CommonKeyframe;
using looptree::integrations::Keyframe;
using looptree::integrations::KeyframeIndex;
using looptree::integrations::KeyframeQuestion;
using looptree::integrations::WordVector;

WordVector to_words(const bow_vector& vector) {
  WordVector words;
  words.reserve(vector.size());
  for (const auto& entry : vector) words.emplace_back(entry.first, 1.0);
  return words;
}

// A number that no word reaches. FBoW tells its blocks of k nodes, and numbers the leaves in them.
std::size_t words_below(const bow_vocabulary& vocabulary) {
#ifdef USE_DBOW2
  return vocabulary.size();
#else
  return vocabulary.size() * vocabulary.getK();
#endif
}

}  // namespace

struct bow_database::impl {
  explicit impl(bow_vocabulary* vocabulary) : index(false), bow_vocab(vocabulary) {
    if (bow_vocab != nullptr) index.set_vocabulary(words_below(*bow_vocab));
  }

  // The keyframes that are still in, of those that had enough words in common.
  std::vector<std::shared_ptr<keyframe>> held(const std::vector<CommonKeyframe>& common) const {
    std::vector<std::shared_ptr<keyframe>> result;
    const std::lock_guard<std::mutex> lock(mutex);
    for (const CommonKeyframe& one : common) {
      const auto found = keyframes.find(one.keyframe);
      if (found != keyframes.end()) result.push_back(found->second);
    }
    return result;
  }

  KeyframeIndex index;  // knows addresses only
  bow_vocabulary* bow_vocab;
  mutable std::mutex mutex;  // guards what follows
  std::unordered_map<Keyframe, std::shared_ptr<keyframe>> keyframes;
};

bow_database::bow_database(bow_vocabulary* bow_vocab) : impl_(new impl(bow_vocab)) {}
bow_database::~bow_database() = default;

void bow_database::add_keyframe(const std::shared_ptr<keyframe>& keyfrm) {
  // Locked for both: a query that finds the address in the index waits to find the keyframe, too.
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  if (impl_->index.add(keyfrm.get(), to_words(keyfrm->bow_vec_))) {
    impl_->keyframes.emplace(keyfrm.get(), keyfrm);
  }
}

void bow_database::erase_keyframe(const std::shared_ptr<keyframe>& keyfrm) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->index.erase(keyfrm.get());
  impl_->keyframes.erase(keyfrm.get());
}

void bow_database::clear() {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->index.clear();
  impl_->keyframes.clear();
}

std::vector<std::shared_ptr<keyframe>> bow_database::acquire_keyframes(
    const bow_vector& bow_vec, const float min_score, const float num_common_words_thr_ratio,
    const std::set<std::shared_ptr<keyframe>>& keyfrms_to_reject) {
  std::unordered_set<Keyframe> rejected;
  for (const auto& keyfrm : keyfrms_to_reject) rejected.insert(keyfrm.get());
  KeyframeQuestion question;
  question.words = to_words(bow_vec);
  question.common_fraction = num_common_words_thr_ratio;
  question.accept = [&rejected](Keyframe one) { return rejected.count(one) == 0; };

  std::vector<std::shared_ptr<keyframe>> result;
  for (const auto& keyfrm : impl_->held(impl_->index.common(question))) {
    const float score = bow_vocabulary_util::score(impl_->bow_vocab, bow_vec, keyfrm->bow_vec_);
    if (score >= min_score) result.push_back(keyfrm);
  }
  return result;
}

}  // namespace data
}  // namespace stella_vslam

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of stella_vslam's src/stella_vslam/data/bow_database.cc; C++11, links
// looptree_stella_vslam.
#include "stella_vslam/data/bow_database.h"

#include <algorithm>

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

// At least as many as there are words. FBoW tells its blocks of k nodes.
std::size_t most_words(const bow_vocabulary& vocabulary) {
#ifdef USE_DBOW2
  return vocabulary.size();
#else
  return vocabulary.size() * vocabulary.getK();
#endif
}

// Words by numbers without gaps, in the order in which keyframes bring them. FBoW numbers a leaf
// that holds one descriptor by that descriptor, counted over all images it was trained on: far past
// the number of words.
class word_numbers {
 public:
  // Those of a keyframe that may come in, new words last.
  WordVector of_keyframe(const bow_vector& vector) const {
    WordVector words;
    words.reserve(vector.size());
    unsigned int next = static_cast<unsigned int>(numbers_.size());
    for (const auto& entry : vector) {
      const auto found = numbers_.find(entry.first);
      words.emplace_back(found != numbers_.end() ? found->second : next++, 1.0);
    }
    std::sort(words.begin(), words.end());
    return words;
  }

  // It came in: its new words have the numbers they were given.
  void keep(const bow_vector& vector) {
    for (const auto& entry : vector) {
      numbers_.emplace(entry.first, static_cast<unsigned int>(numbers_.size()));
    }
  }

  // Words that no keyframe had are left out.
  WordVector of_query(const bow_vector& vector) const {
    WordVector words;
    words.reserve(vector.size());
    for (const auto& entry : vector) {
      const auto found = numbers_.find(entry.first);
      if (found != numbers_.end()) words.emplace_back(found->second, 1.0);
    }
    std::sort(words.begin(), words.end());
    return words;
  }

 private:
  std::unordered_map<unsigned int, unsigned int> numbers_;
};

}  // namespace

struct bow_database::impl {
  explicit impl(bow_vocabulary* vocabulary) : index(false), bow_vocab(vocabulary) {
    if (bow_vocab != nullptr) index.set_vocabulary(most_words(*bow_vocab));
  }

  // The keyframes with enough words in common. Locked from the words' numbers to the keyframes: a
  // keyframe that comes in between would be met by some of its words only.
  std::vector<std::shared_ptr<keyframe>> common(const bow_vector& vector,
                                                KeyframeQuestion question) const {
    const std::lock_guard<std::mutex> lock(mutex);
    question.words = words.of_query(vector);
    std::vector<std::shared_ptr<keyframe>> result;
    for (const CommonKeyframe& one : index.common(question)) {
      result.push_back(keyframes.at(one.keyframe));
    }
    return result;
  }

  KeyframeIndex index;  // knows addresses only
  bow_vocabulary* bow_vocab;
  mutable std::mutex mutex;  // guards the index, what follows, and that they agree
  std::unordered_map<Keyframe, std::shared_ptr<keyframe>> keyframes;
  word_numbers words;
};

bow_database::bow_database(bow_vocabulary* bow_vocab) : impl_(new impl(bow_vocab)) {}
bow_database::~bow_database() = default;

void bow_database::add_keyframe(const std::shared_ptr<keyframe>& keyfrm) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  if (impl_->index.add(keyfrm.get(), impl_->words.of_keyframe(keyfrm->bow_vec_))) {
    impl_->words.keep(keyfrm->bow_vec_);
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
  question.common_fraction = num_common_words_thr_ratio;
  question.accept = [&rejected](Keyframe one) { return rejected.count(one) == 0; };

  std::vector<std::shared_ptr<keyframe>> result;
  for (const auto& keyfrm : impl_->common(bow_vec, question)) {
    const float score = bow_vocabulary_util::score(impl_->bow_vocab, bow_vec, keyfrm->bow_vec_);
    if (score >= min_score) result.push_back(keyfrm);
  }
  return result;
}

}  // namespace data
}  // namespace stella_vslam

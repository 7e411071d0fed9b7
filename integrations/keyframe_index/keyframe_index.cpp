// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "keyframe_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include <looptree/common/error.hpp>
#include <looptree/detect/covisibility.hpp>
#include <looptree/histogram/l1_query.hpp>

namespace looptree::integrations {
namespace {

/// The words, with their weights or, where those are ignored, with none that differ.
Histogram to_histogram(const WordVector& vector, bool weighted) {
  std::vector<WordId> words;
  std::vector<double> weights;
  words.reserve(vector.size());
  weights.reserve(vector.size());
  for (const auto& [word, weight] : vector) {
    words.emplace_back(word);
    weights.push_back(weighted ? weight : 1.0);
  }
  Histogram histogram(std::move(words), std::move(weights));
  if (weighted && !histogram.empty() && !(std::abs(histogram.sum() - 1) <= 1e-3)) {
    throw Error(ErrorKind::invalid_argument, "expected weights that sum to 1, found a sum of " +
                                                 std::to_string(histogram.sum()) +
                                                 "; normalise the vector by L1");
  }
  return histogram;
}

/// What the index counts: which words there are. All weigh alike, so that no word is too light for
/// it and the vocabulary's weights are of no concern.
Histogram presence(const Histogram& histogram) {
  const double weight = 1.0 / static_cast<double>(histogram.size());
  return {{histogram.words().begin(), histogram.words().end()},
          std::vector<double>(histogram.size(), weight)};
}

bool share_a_word(const Histogram& a, const Histogram& b) {
  auto left = a.words().begin();
  auto right = b.words().begin();
  while (left != a.words().end() && right != b.words().end()) {
    if (*left == *right) return true;
    *left < *right ? ++left : ++right;
  }
  return false;
}

/// Keyframes that had enough words in common, with their scores, and who they are.
struct Scored {
  std::vector<ScoredKeyframe> frames;
  std::unordered_map<std::uint32_t, Keyframe> keyframes;
};

/// What grouping needs to know about the neighbours of those that lead a group.
struct Neighbours {
  std::unordered_map<std::uint32_t, std::vector<FrameId>> of;  // by leader
  std::vector<ScoredKeyframe> left_over;
  std::unordered_map<std::uint32_t, Keyframe> keyframes;  // of left_over
};

}  // namespace

struct KeyframeIndex::Impl {
  struct Entry {
    Keyframe keyframe;
    Histogram histogram;  // the weights in full; empty without scores
  };

  bool scores = true;
  mutable std::shared_mutex mutex;  // guards all below
  std::optional<PooledIndex> index;
  std::unordered_map<std::uint32_t, Entry> entries;  // by frame
  std::unordered_map<Keyframe, FrameId> frames;      // of the keyframes that are in

  const PooledIndex& words() const {
    require(index.has_value(), ErrorKind::invalid_argument,
            "expected a keyframe database with a vocabulary, found none; set the vocabulary first");
    return *index;
  }

  std::vector<CommonFrame> common(const KeyframeQuestion& question, const Histogram& query) const {
    if (query.empty() || words().size() == 0) return {};
    CommonWordsOptions options;
    options.scores = false;
    options.fraction = question.common_fraction;
    options.min_words = question.min_words;
    if (question.accept) {
      options.filter.accept = [&](FrameId frame) {
        return question.accept(entries.at(frame.value).keyframe);
      };
    }
    return words().common_words(presence(query), options).frames;
  }

  Scored score(const KeyframeQuestion& question, const Histogram& query) const {
    Scored result;
    const std::shared_lock lock(mutex);
    const std::vector<CommonFrame> frames_in_common = common(question, query);
    if (frames_in_common.empty()) return result;
    const L1Query by_l1(query);
    for (const CommonFrame& frame : frames_in_common) {
      const Entry& entry = entries.at(frame.frame.value);
      const auto score = static_cast<float>(by_l1.score(entry.histogram));
      result.frames.push_back({frame.frame, frame.common, score});
      result.keyframes.emplace(frame.frame.value, entry.keyframe);
    }
    return result;
  }

  /// The frames of a leader's neighbours. Those that were not scored matter only with `left_over`,
  /// and if the question's walk would have met them.
  std::vector<FrameId> frames_of(const std::vector<Keyframe>& keyframes, const Scored& scored,
                                 std::vector<FrameId>& unscored) const {
    std::vector<FrameId> result;
    const std::shared_lock lock(mutex);
    for (Keyframe keyframe : keyframes) {
      const auto found = frames.find(keyframe);
      if (found == frames.end()) continue;
      result.push_back(found->second);
      if (!scored.keyframes.contains(found->second.value)) unscored.push_back(found->second);
    }
    return result;
  }

  /// Of these frames those that are in, take part and share a word with the query, each once.
  std::vector<std::pair<FrameId, Keyframe>> met(std::vector<FrameId> asked,
                                                const KeyframeQuestion& question,
                                                const Histogram& query) const {
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    std::vector<std::pair<FrameId, Keyframe>> result;
    const std::shared_lock lock(mutex);
    for (const FrameId frame : asked) {
      const auto found = entries.find(frame.value);
      if (found == entries.end()) continue;
      const Entry& entry = found->second;
      if (question.accept && !question.accept(entry.keyframe)) continue;
      if (share_a_word(query, entry.histogram)) result.emplace_back(frame, entry.keyframe);
    }
    return result;
  }

  Neighbours neighbours(const Scored& scored, const KeyframeQuestion& question,
                        const Histogram& query, const KeyframeGrouping& grouping) const {
    Neighbours result;
    std::vector<FrameId> unscored;
    for (const ScoredKeyframe& leader : scored.frames) {
      if (!(leader.score >= grouping.min_score)) continue;
      result.of[leader.frame.value] =
          frames_of(grouping.neighbours(scored.keyframes.at(leader.frame.value)), scored, unscored);
    }
    if (!grouping.kept) return result;
    for (const auto& [frame, keyframe] : met(std::move(unscored), question, query)) {
      result.left_over.push_back({frame, 0, grouping.kept(keyframe)});
      result.keyframes.emplace(frame.value, keyframe);
    }
    return result;
  }
};

KeyframeIndex::KeyframeIndex(bool scores) : impl_(new Impl) {
  impl_->scores = scores;
}
KeyframeIndex::~KeyframeIndex() = default;

void KeyframeIndex::set_vocabulary(std::size_t words, int scoring) {
  if (impl_->scores && scoring != static_cast<int>(Score::l1)) {
    throw Error(ErrorKind::unsupported,
                "expected a vocabulary that scores by L1, the only score of this database, found "
                "DBoW2's score number " +
                    std::to_string(scoring) +
                    "; setScoringType(DBoW2::L1_NORM) before the database is made changes it");
  }
  require(words > 0 && words <= UINT32_MAX, ErrorKind::invalid_argument,
          "expected a vocabulary of at least one word and less than 2^32, found another number; "
          "load it before the keyframe database is made");
  IndexOptions options;
  options.vocabulary_size = static_cast<std::uint32_t>(words);
  const std::lock_guard lock(impl_->mutex);
  impl_->index.emplace(std::move(options));
  impl_->entries.clear();
  impl_->frames.clear();
}

bool KeyframeIndex::add(Keyframe keyframe, const WordVector& words) {
  Histogram histogram = to_histogram(words, impl_->scores);
  const std::lock_guard lock(impl_->mutex);
  impl_->words();
  if (histogram.empty() || impl_->frames.contains(keyframe)) return false;
  const FrameId frame = impl_->index->insert(presence(histogram));
  if (!impl_->scores) histogram = Histogram();
  impl_->entries.emplace(frame.value, Impl::Entry{keyframe, std::move(histogram)});
  impl_->frames.emplace(keyframe, frame);
  return true;
}

bool KeyframeIndex::erase(Keyframe keyframe) {
  const std::lock_guard lock(impl_->mutex);
  const auto found = impl_->frames.find(keyframe);
  if (found == impl_->frames.end()) return false;
  impl_->index->erase(found->second);
  impl_->entries.erase(found->second.value);
  impl_->frames.erase(found);
  return true;
}

void KeyframeIndex::clear() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->index) impl_->index->clear();
  impl_->entries.clear();
  impl_->frames.clear();
}

std::size_t KeyframeIndex::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->frames.size();
}

std::vector<Keyframe> KeyframeIndex::keyframes() const {
  const std::shared_lock lock(impl_->mutex);
  std::vector<std::pair<std::uint32_t, Keyframe>> by_frame;
  for (const auto& [frame, entry] : impl_->entries) by_frame.emplace_back(frame, entry.keyframe);
  std::sort(by_frame.begin(), by_frame.end());
  std::vector<Keyframe> result;
  result.reserve(by_frame.size());
  for (const auto& [frame, keyframe] : by_frame) result.push_back(keyframe);
  return result;
}

std::vector<CommonKeyframe> KeyframeIndex::common(const KeyframeQuestion& question) const {
  const Histogram query = to_histogram(question.words, impl_->scores);
  const std::shared_lock lock(impl_->mutex);
  std::vector<CommonKeyframe> result;
  for (const CommonFrame& frame : impl_->common(question, query)) {
    result.push_back({impl_->entries.at(frame.frame.value).keyframe, frame.common});
  }
  return result;
}

std::vector<KeyframeGroup> KeyframeIndex::groups(const KeyframeQuestion& question,
                                                 const KeyframeGrouping& grouping) const {
  require(impl_->scores, ErrorKind::invalid_argument,
          "expected a keyframe index with scores, found one made without");
  const Histogram query = to_histogram(question.words, true);
  const Scored scored = impl_->score(question, query);
  if (grouping.keep) {
    for (const ScoredKeyframe& one : scored.frames) {
      grouping.keep(scored.keyframes.at(one.frame.value), one.score);
    }
  }
  const Neighbours neighbours = impl_->neighbours(scored, question, query, grouping);
  Covisibility covisibility;
  covisibility.neighbours = [&](FrameId leader, std::size_t) {
    return neighbours.of.at(leader.value);
  };
  std::vector<KeyframeGroup> result;
  for (const CovisibleGroup& group : covisible_groups(scored.frames, grouping.min_score,
                                                      covisibility, {}, neighbours.left_over)) {
    const auto at = scored.keyframes.find(group.best.value);
    const bool is_scored = at != scored.keyframes.end();
    result.push_back(
        {is_scored ? at->second : neighbours.keyframes.at(group.best.value), group.score});
  }
  return result;
}

std::vector<Keyframe> KeyframeIndex::best_of(const std::vector<KeyframeGroup>& groups,
                                             float min_score) {
  // By number of group: the choice knows frames, not addresses.
  std::unordered_map<Keyframe, std::uint32_t> numbers;
  std::vector<Keyframe> keyframes;
  std::vector<CovisibleGroup> numbered;
  for (const KeyframeGroup& group : groups) {
    const auto [at, is_new] =
        numbers.emplace(group.best, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) keyframes.push_back(group.best);
    numbered.push_back({FrameId{at->second}, FrameId{at->second}, group.score});
  }
  std::vector<Keyframe> result;
  for (const FrameId best :
       best_of_groups(numbered, min_score, CovisibilityOptions().group_fraction)) {
    result.push_back(keyframes[best.value]);
  }
  return result;
}

}  // namespace looptree::integrations

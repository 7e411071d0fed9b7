// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "looptree/detect/covisibility.hpp"
#include "looptree/evaluate/protocols/trace_replay.hpp"
#include "looptree/histogram/l1_query.hpp"
#include "looptree/index/index_options.hpp"

namespace looptree::evaluate {
namespace {

/// Keyframes in an index, and which frame is which.
class Keyframes {
 public:
  explicit Keyframes(IndexOptions options) : index_(std::move(options)) {}

  void add(KeyframeNumber keyframe, const Histogram& histogram) {
    if (histogram.empty()) return;  // shares no word with anything
    const FrameId frame = index_.insert(histogram);
    entries_.push_back({keyframe, &histogram});
    std::vector<FrameId>& frames = frames_of_[keyframe];
    frames.push_back(frame);
    if (frames.size() > 1) ++twice_;
  }

  void erase(KeyframeNumber keyframe) {
    const auto found = frames_of_.find(keyframe);
    if (found == frames_of_.end()) return;
    std::vector<FrameId>& frames = found->second;
    index_.erase(frames.front());
    if (frames.size() > 1) --twice_;
    frames.erase(frames.begin());
    if (frames.empty()) frames_of_.erase(found);
  }

  void clear() {
    index_.clear();
    entries_.clear();
    frames_of_.clear();
    twice_ = 0;
  }

  const PooledIndex& index() const { return index_; }
  KeyframeNumber keyframe(FrameId frame) const { return entries_[frame.value].keyframe; }
  const Histogram& histogram(FrameId frame) const { return *entries_[frame.value].histogram; }
  /// The frame a keyframe goes by, its oldest; null if it is not in.
  const FrameId* frame(KeyframeNumber keyframe) const {
    const auto found = frames_of_.find(keyframe);
    return found == frames_of_.end() ? nullptr : &found->second.front();
  }
  bool any_twice() const { return twice_ > 0; }

 private:
  struct Entry {
    KeyframeNumber keyframe;
    const Histogram* histogram;
  };
  PooledIndex index_;
  std::vector<Entry> entries_;  // by frame
  std::unordered_map<KeyframeNumber, std::vector<FrameId>> frames_of_;
  std::size_t twice_ = 0;
};

std::vector<FrameId> frames_of(std::span<const KeyframeNumber> keyframes, const Keyframes& stored) {
  std::vector<FrameId> frames;
  frames.reserve(keyframes.size());
  for (const KeyframeNumber keyframe : keyframes) {
    if (const FrameId* frame = stored.frame(keyframe)) frames.push_back(*frame);
  }
  return frames;
}

/// Looks a frame up among the excluded keyframes.
class Excluded {
 public:
  Excluded(std::span<const KeyframeNumber> keyframes, const Keyframes& stored)
      : keyframes_(keyframes.begin(), keyframes.end()), stored_(stored) {
    std::sort(keyframes_.begin(), keyframes_.end());
  }
  bool operator()(FrameId frame) const {
    return std::binary_search(keyframes_.begin(), keyframes_.end(), stored_.keyframe(frame));
  }

 private:
  std::vector<KeyframeNumber> keyframes_;
  const Keyframes& stored_;
};

class CovisibilityEngine final : public TraceEngine {
 public:
  explicit CovisibilityEngine(std::span<const double> word_weights)
      : stored_(index_options(word_weights)) {}

  std::string name() const override { return "looptree"; }
  bool selects() const override { return true; }
  void add(KeyframeNumber keyframe, const Histogram& histogram) override {
    stored_.add(keyframe, histogram);
  }
  void erase(KeyframeNumber keyframe) override { stored_.erase(keyframe); }
  void clear() override { stored_.clear(); }

  TraceAnswer ask(const TraceQuestion& question) const override {
    const Excluded excluded(question.excluded, stored_);
    std::optional<L1Query> query;  // made for the first keyframe that is scored
    Covisibility covisibility;
    if (!question.excluded.empty()) covisibility.connected = std::cref(excluded);
    covisibility.neighbours = [&](FrameId frame, std::size_t) {
      return frames_of(question.neighbours(stored_.keyframe(frame)), stored_);
    };
    CovisibilityOptions options;
    options.count_sharing = question.count_sharing;
    options.score = [&](FrameId frame) {
      if (!query) query.emplace(question.histogram);
      return static_cast<float>(query->score(stored_.histogram(frame)));
    };
    if (stored_.any_twice()) return to_answer(count_twice(question, covisibility, options));
    CovisibilityCandidates found = loop_candidates(stored_.index(), question.histogram,
                                                   question.min_score, covisibility, options);
    if (!question.left_over.empty()) add_left_over(question, covisibility, options, found);
    return to_answer(found);
  }

 private:
  void add_left_over(const TraceQuestion& question, const Covisibility& covisibility,
                     const CovisibilityOptions& options, CovisibilityCandidates& found) const {
    std::vector<ScoredKeyframe> left_over;
    for (const TraceScore& score : question.left_over) {
      if (const FrameId* frame = stored_.frame(score.keyframe)) {
        left_over.push_back({*frame, 0, score.score});
      }
    }
    found.groups =
        covisible_groups(found.scored, question.min_score, covisibility, options, left_over);
    found.frames = best_of_groups(found.groups, question.min_score, options.group_fraction);
  }

  /// The rare case of a keyframe that is in twice: every frame is counted, then added up by
  /// keyframe, and what follows is done on the sums.
  CovisibilityCandidates count_twice(const TraceQuestion& question,
                                     const Covisibility& covisibility,
                                     const CovisibilityOptions& options) const {
    CovisibilityCandidates found;
    if (question.histogram.empty()) return found;
    CommonWordsOptions all;
    all.fraction = 0;
    all.scores = false;
    if (covisibility.connected) {
      all.filter.accept = [&](FrameId frame) { return !covisibility.connected(frame); };
    }
    for (const CommonFrame& frame : stored_.index().common_words(question.histogram, all).frames) {
      const FrameId by = *stored_.frame(stored_.keyframe(frame.frame));
      const auto same = [by](const ScoredKeyframe& other) { return other.frame == by; };
      auto known = std::find_if(found.scored.begin(), found.scored.end(), same);
      if (known == found.scored.end()) known = found.scored.insert(known, {by, 0, 0});
      known->common += frame.common;
      found.most_common = std::max(found.most_common, known->common);
    }
    found.sharing = found.scored.size();
    const auto cut =
        static_cast<std::uint32_t>(static_cast<float>(found.most_common) * options.common_fraction);
    std::erase_if(found.scored, [cut](const auto& keyframe) { return keyframe.common <= cut; });
    for (ScoredKeyframe& keyframe : found.scored) keyframe.score = options.score(keyframe.frame);
    add_left_over(question, covisibility, options, found);
    return found;
  }

  TraceAnswer to_answer(const CovisibilityCandidates& found) const {
    TraceAnswer answer;
    answer.sharing = found.sharing;
    answer.most_common = found.most_common;
    answer.scored.reserve(found.scored.size());
    for (const ScoredKeyframe& one : found.scored) {
      answer.scored.push_back({stored_.keyframe(one.frame), one.common, one.score});
    }
    for (const FrameId frame : found.frames) answer.returned.push_back(stored_.keyframe(frame));
    return answer;
  }

  Keyframes stored_;
};

class SearchEngine final : public TraceEngine {
 public:
  SearchEngine(std::span<const double> word_weights, const Topology& topology)
      : stored_(index_options(word_weights, topology)) {}

  std::string name() const override { return stored_.index().options().topology.name(); }
  bool selects() const override { return false; }
  void add(KeyframeNumber keyframe, const Histogram& histogram) override {
    stored_.add(keyframe, histogram);
  }
  void erase(KeyframeNumber keyframe) override { stored_.erase(keyframe); }
  void clear() override { stored_.clear(); }

  TraceAnswer ask(const TraceQuestion& question) const override {
    TraceAnswer answer;
    if (question.histogram.empty()) return answer;
    const Excluded excluded(question.excluded, stored_);
    QueryOptions options;
    options.top_k = QueryOptions::kUnlimited;
    options.threshold = std::clamp(static_cast<double>(question.min_score), 0.0, 1.0);
    if (!question.excluded.empty()) {
      options.filter.accept = [&](FrameId frame) { return !excluded(frame); };
    }
    for (const Match& match : stored_.index().query(question.histogram, options).matches) {
      answer.returned.push_back(stored_.keyframe(match.frame));
    }
    return answer;
  }

 private:
  Keyframes stored_;
};

}  // namespace

std::unique_ptr<TraceEngine> make_covisibility_engine(std::span<const double> word_weights) {
  return std::make_unique<CovisibilityEngine>(word_weights);
}

std::unique_ptr<TraceEngine> make_search_engine(std::span<const double> word_weights,
                                                const Topology& topology) {
  return std::make_unique<SearchEngine>(word_weights, topology);
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// ORB-SLAM's selection over the index one would write today, if one knew that memory is slow and
// had an afternoon: contiguous lists, a dense array of counts, sorted vectors. No bits, no vectors
// of the processor, no tricks.
#include <algorithm>
#include <unordered_map>

#include "looptree/detect/covisibility.hpp"
#include "looptree/histogram/scores.hpp"

#include "bench/trace_engines.hpp"

namespace looptree::bench {
namespace {

using evaluate::TraceEngine;
using evaluate::TraceQuestion;

class PlainKeyframes final : public TraceEngine {
 public:
  explicit PlainKeyframes(std::size_t words) : lists_(words) {}

  std::string name() const override { return "plain"; }
  bool selects() const override { return true; }

  void add(KeyframeNumber number, const Histogram& histogram) override {
    const auto [at, is_new] =
        slots_.try_emplace(number, static_cast<std::uint32_t>(keyframes_.size()));
    if (is_new) keyframes_.push_back({number, &histogram});
    for (const WordId word : histogram.words()) lists_[word.value].push_back(at->second);
  }

  void erase(KeyframeNumber number) override {
    const auto slot = slots_.find(number);
    if (slot == slots_.end()) return;
    for (const WordId word : keyframes_[slot->second].histogram->words()) {
      std::vector<std::uint32_t>& list = lists_[word.value];
      const auto at = std::find(list.begin(), list.end(), slot->second);
      if (at != list.end()) list.erase(at);
    }
  }

  void clear() override {
    for (auto& list : lists_) list.clear();
    keyframes_.clear();
    slots_.clear();
  }

  TraceAnswer ask(const TraceQuestion& question) const override {
    counts_.assign(keyframes_.size(), 0);
    for (const KeyframeNumber number : question.excluded) {
      if (const auto slot = slots_.find(number); slot != slots_.end()) {
        counts_[slot->second] = kExcluded;
      }
    }
    met_.clear();
    for (const WordId word : question.histogram.words()) {
      for (const std::uint32_t slot : lists_[word.value]) {
        if (counts_[slot]++ == 0) met_.push_back(slot);
      }
    }
    TraceAnswer answer;
    answer.sharing = met_.size();
    for (const std::uint32_t slot : met_) {
      answer.most_common = std::max(answer.most_common, counts_[slot]);
    }
    return select(question, std::move(answer));
  }

 private:
  struct Keyframe {
    KeyframeNumber number;
    const Histogram* histogram;
  };
  /// Far above any number of words, so that it never looks like a first meeting.
  static constexpr std::uint32_t kExcluded = 1u << 31;

  TraceAnswer select(const TraceQuestion& question, TraceAnswer answer) const {
    const CovisibilityOptions options;
    const auto cut = static_cast<std::uint32_t>(static_cast<float>(answer.most_common) *
                                                options.common_fraction);
    std::vector<ScoredKeyframe> scored;
    for (const std::uint32_t slot : met_) {
      if (counts_[slot] <= cut) continue;
      const Keyframe& keyframe = keyframes_[slot];
      const auto si = static_cast<float>(score(Score::l1, question.histogram, *keyframe.histogram));
      scored.push_back({FrameId{slot}, counts_[slot], si});
      answer.scored.push_back({keyframe.number, counts_[slot], si});
    }
    Covisibility covisibility;
    covisibility.neighbours = [&](FrameId frame, std::size_t) {
      return slots_of(question.neighbours(keyframes_[frame.value].number));
    };
    std::vector<ScoredKeyframe> left_over;
    for (const TraceScore& one : question.left_over) {
      if (const auto slot = slots_.find(one.keyframe); slot != slots_.end()) {
        left_over.push_back({FrameId{slot->second}, 0, one.score});
      }
    }
    const auto groups =
        covisible_groups(scored, question.min_score, covisibility, options, left_over);
    for (const FrameId best : best_of_groups(groups, question.min_score, options.group_fraction)) {
      answer.returned.push_back(keyframes_[best.value].number);
    }
    return answer;
  }

  std::vector<FrameId> slots_of(std::span<const KeyframeNumber> numbers) const {
    std::vector<FrameId> slots;
    for (const KeyframeNumber number : numbers) {
      if (const auto slot = slots_.find(number); slot != slots_.end()) {
        slots.emplace_back(slot->second);
      }
    }
    return slots;
  }

  std::vector<std::vector<std::uint32_t>> lists_;  // by word, in order of adding
  std::vector<Keyframe> keyframes_;                // by slot; erased ones stay
  std::unordered_map<KeyframeNumber, std::uint32_t> slots_;
  mutable std::vector<std::uint32_t> counts_;  // kept, so that allocation is not what is measured
  mutable std::vector<std::uint32_t> met_;
};

}  // namespace

std::unique_ptr<TraceEngine> make_plain_keyframes(std::span<const double> word_weights) {
  return std::make_unique<PlainKeyframes>(word_weights.size());
}

}  // namespace looptree::bench

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/detail/contestant.hpp"

#include <algorithm>
#include <utility>

#include "looptree/common/thread_time.hpp"

namespace looptree::evaluate::detail {

Contestant::Contestant(const Variant& variant) : engine_(variant.make()), keep_(variant.keep) {}

void Contestant::insert(std::size_t frame, const Histogram& histogram) {
  if (histogram.empty() || (!keep_.empty() && !keep_.at(frame))) return;
  engine_->insert(histogram);
  frame_of_.push_back(static_cast<std::uint32_t>(frame));
}

std::size_t Contestant::size_below(std::size_t frame) const {
  return static_cast<std::size_t>(std::lower_bound(frame_of_.begin(), frame_of_.end(), frame) -
                                  frame_of_.begin());
}

std::vector<Match> Contestant::query(const Histogram& histogram, QueryOptions options,
                                     std::size_t last) const {
  options.filter.last = FrameId{static_cast<std::uint32_t>(size_below(last))};
  std::vector<Match> matches = engine_->query(histogram, options);
  for (Match& match : matches) match.frame = FrameId{frame_of_[match.frame.value]};
  return matches;
}

Contest::Contest(std::span<const Variant> variants) {
  for (const Variant& variant : variants) contestants_.emplace_back(variant);
}

void Contest::insert(std::size_t frame, const Histogram& histogram) {
  for (Contestant& contestant : contestants_) contestant.insert(frame, histogram);
}

std::vector<std::vector<Match>> Contest::time(const Question& question, std::size_t passes,
                                              std::vector<QueryTime>& times) {
  std::vector<std::vector<Match>> answers(size());
  for (std::size_t pass = 0; pass < passes; ++pass, ++turn_) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t v = (turn_ + i) % size();
      QueryOptions options = question.options;
      if (!question.thresholds.empty()) options.threshold = question.thresholds[v];
      const double start = thread_ms();
      std::vector<Match> answer = contestants_[v].query(question.histogram, options, question.last);
      const double took = thread_ms() - start;
      const std::size_t held = contestants_[v].size_below(question.last);
      times.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(pass),
                       question.kind, question.number, static_cast<std::uint32_t>(held), took});
      answers[v] = std::move(answer);
    }
  }
  return answers;
}

}  // namespace looptree::evaluate::detail

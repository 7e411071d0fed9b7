// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/synthetic_queries.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/evaluate/detail/contestant.hpp"

namespace looptree::evaluate {
namespace {

using detail::Contest;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(const FrameSource& frames, const SyntheticQueries& queries,
           std::span<const Variant> variants, const SyntheticOptions& options) {
  if (variants.empty()) refuse("expected at least one variant, found none");
  if (options.stages == 0) refuse("expected at least 1 stage, found 0");
  if (options.passes == 0) refuse("expected at least 1 pass, found 0");
  if (!(options.threshold >= 0 && options.threshold <= 1)) {
    refuse("expected a threshold from 0 to 1, found " + std::to_string(options.threshold));
  }
  if (queries.positive.empty() && queries.negative.empty()) {
    refuse("expected queries, found neither positive nor negative ones");
  }
  if (queries.truth.queries() != queries.positive.size() ||
      queries.truth.frames() != frames.count) {
    refuse("expected the truth of " + std::to_string(queries.positive.size()) + " queries and " +
           std::to_string(frames.count) + " frames, found it for " +
           std::to_string(queries.truth.queries()) + " and " +
           std::to_string(queries.truth.frames()));
  }
}

/// `count` of the items, in ascending order.
std::vector<std::size_t> draw(std::vector<std::size_t> items, std::size_t count, Random& random) {
  for (std::size_t i = 0; i < std::min(count, items.size()); ++i) {
    std::swap(items[i], items[i + random.below(items.size() - i)]);
  }
  items.resize(std::min(count, items.size()));
  std::sort(items.begin(), items.end());
  return items;
}

/// What the answers to one variant's questions add up to.
struct Tally {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t false_alarms = 0;
  std::size_t hits = 0;
  std::size_t hits_kept = 0;

  void add_hits(const std::vector<Match>& found, const std::vector<Match>& expected) {
    hits += expected.size();
    for (const Match& match : expected) {
      hits_kept += std::find_if(found.begin(), found.end(), [&](const Match& other) {
                     return other.frame == match.frame;
                   }) != found.end();
    }
  }
};

class Session {
 public:
  Session(const SyntheticQueries& queries, std::span<const Variant> variants,
          const SyntheticOptions& options)
      : queries_(queries),
        options_(options),
        query_{.top_k = QueryOptions::kUnlimited, .threshold = options.threshold},
        contest_(variants),
        tallies_(variants.size()),
        random_(options.seed) {}

  void insert(std::size_t frame, const Histogram& histogram) { contest_.insert(frame, histogram); }

  void ask(std::size_t inserted) {
    ask_positive(inserted);
    ask_negative(inserted);
  }

  EvaluationResult result(std::span<const Variant> variants) && {
    EvaluationResult result{"synthetic", {}, {}, std::move(times_)};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const Tally& tally = tallies_[v];
      const CurvePoint point = curve_point(options_.threshold, tally.right,
                                           tally.wrong + tally.false_alarms, positives_);
      const double kept =
          tally.hits == 0 ? 1
                          : static_cast<double>(tally.hits_kept) / static_cast<double>(tally.hits);
      result.variants.push_back({variants[v].name,
                                 {{"recall", point.recall},
                                  {"precision", point.precision},
                                  {"false_alarms", static_cast<double>(tally.false_alarms)},
                                  {"hits_kept", kept}},
                                 {},
                                 {}});
    }
    result.facts = {{"positives", static_cast<double>(positives_)},
                    {"negatives", static_cast<double>(negatives_)},
                    {"threshold", options_.threshold}};
    add_time_metrics(result);
    return result;
  }

 private:
  void ask_positive(std::size_t inserted) {
    std::vector<std::size_t> seen;
    for (std::size_t p = 0; p < queries_.positive.size(); ++p) {
      const PositiveQuery& query = queries_.positive[p];
      if (query.frame < inserted && !query.histogram.empty()) seen.push_back(p);
    }
    for (const std::size_t p : draw(std::move(seen), options_.queries_per_stage, random_)) {
      const auto answers = ask(queries_.positive[p].histogram, inserted, p, QueryKind::positive);
      ++positives_;
      for (std::size_t v = 0; v < answers.size(); ++v) {
        tallies_[v].add_hits(answers[v], answers[0]);
        if (answers[v].empty()) continue;
        const bool right = queries_.truth.is_right(p, answers[v][0].frame.value);
        ++(right ? tallies_[v].right : tallies_[v].wrong);
      }
    }
  }

  void ask_negative(std::size_t inserted) {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < queries_.negative.size(); ++n) {
      if (!queries_.negative[n].empty()) all.push_back(n);
    }
    for (const std::size_t n : draw(std::move(all), options_.queries_per_stage, random_)) {
      const auto answers = ask(queries_.negative[n], inserted, n, QueryKind::negative);
      ++negatives_;
      for (std::size_t v = 0; v < answers.size(); ++v) {
        tallies_[v].add_hits(answers[v], answers[0]);
        tallies_[v].false_alarms += answers[v].empty() ? 0 : 1;
      }
    }
  }

  std::vector<std::vector<Match>> ask(const Histogram& histogram, std::size_t inserted,
                                      std::size_t number, QueryKind kind) {
    return contest_.time({histogram, query_, inserted, static_cast<std::uint32_t>(number), kind},
                         options_.passes, times_);
  }

  const SyntheticQueries& queries_;
  const SyntheticOptions& options_;
  QueryOptions query_;
  Contest contest_;
  std::vector<Tally> tallies_;
  std::vector<QueryTime> times_;
  std::size_t positives_ = 0;
  std::size_t negatives_ = 0;
  Random random_;
};

}  // namespace

FrameSource from_span(std::span<const Histogram> histograms) {
  return {histograms.size(), [histograms](std::size_t frame) { return histograms[frame]; }};
}

OddEven odd_even(std::span<const Histogram> route) {
  OddEven result;
  for (std::size_t i = 1; i < route.size(); i += 2) {
    result.queries.push_back({route[i - 1], result.database.size()});
    result.database.push_back(route[i]);
  }
  return result;
}

std::vector<PositiveQuery> second_camera(std::span<const Histogram> images) {
  std::vector<PositiveQuery> queries;
  for (std::size_t i = 0; i < images.size(); ++i) queries.push_back({images[i], i});
  return queries;
}

EvaluationResult synthetic_queries(const FrameSource& frames, const SyntheticQueries& queries,
                                   std::span<const Variant> variants,
                                   const SyntheticOptions& options) {
  check(frames, queries, variants, options);
  Session session(queries, variants, options);
  std::size_t stage = 1;
  for (std::size_t frame = 0; frame < frames.count; ++frame) {
    report(options.progress, frame, frames.count);
    session.insert(frame, frames.at(frame));
    if (frame + 1 < stage * frames.count / options.stages) continue;
    session.ask(frame + 1);
    ++stage;
  }
  EvaluationResult result = std::move(session).result(variants);
  result.facts.insert(result.facts.begin(), {"frames", static_cast<double>(frames.count)});
  return result;
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace looptree::bench {
namespace {

/// Reads enough other memory that nothing of an engine is left in the caches.
void flush_caches() {
  static std::vector<char> other(std::size_t{256} << 20, 1);
  volatile char sink = 0;
  for (std::size_t i = 0; i < other.size(); i += 64) sink = sink + other[i];
}

/// The part of `right` that `found` holds; 1 where there is nothing to find. With a cut to k,
/// frames of a score equal to the last one may stand in for each other.
double recall(const std::vector<Match>& right, const std::vector<Match>& found) {
  if (right.empty()) return 1;
  std::set<FrameId> have;
  for (const Match& match : found) have.insert(match.frame);
  std::size_t kept = 0;
  for (const Match& match : right) kept += have.count(match.frame);
  const bool tied = kept < right.size() && found.size() == right.size() &&
                    std::abs(found.back().score - right.back().score) < 1e-6;
  return tied ? 1 : static_cast<double>(kept) / static_cast<double>(right.size());
}

/// Times of one engine: by query, then by round.
using Times = std::vector<std::vector<double>>;

class Comparison {
 public:
  Comparison(const std::vector<std::unique_ptr<Engine>>& engines,
             const std::vector<Histogram>& queries, const Question& question)
      : engines_(engines), queries_(queries), question_(question) {}

  std::vector<Measurement> run(const MeasureOptions& options) {
    times_.assign(engines_.size(), Times(queries_.size()));
    cold_.assign(engines_.size(), {});
    std::vector<Measurement> measured(engines_.size());
    for (std::size_t e = 0; e < engines_.size(); ++e) {
      measured[e].engine = options.engines[e];
      measured[e].question = question_.name();
    }
    judge(measured);  // and warms up
    for (std::size_t round = 0; round < options.rounds; ++round) one_round();
    if (options.cold) cold_round();
    for (std::size_t e = 0; e < engines_.size(); ++e) summarise(e, measured[e]);
    return measured;
  }

 private:
  void judge(std::vector<Measurement>& measured) {
    for (const Histogram& query : queries_) {
      const std::vector<Match> right = engines_[0]->query(query, question_);
      for (std::size_t e = 0; e < engines_.size(); ++e) {
        const std::vector<Match> found = engines_[e]->query(query, question_);
        measured[e].recall += recall(right, found);
        measured[e].hits += static_cast<double>(found.size());
      }
    }
    for (Measurement& one : measured) {
      one.recall = (one.recall - 1) / static_cast<double>(queries_.size());
      one.hits /= static_cast<double>(queries_.size());
    }
  }

  double timed(std::size_t engine, std::size_t query) const {
    const auto start = Clock::now();
    const std::vector<Match> found = engines_[engine]->query(queries_[query], question_);
    return seconds_since(start) * 1e3;
  }

  /// Engine by engine within a round, so that each keeps its caches as it would alone; what the one
  /// before has put there goes with the first queries, which do not count.
  void one_round() {
    const std::size_t warming = std::min<std::size_t>(queries_.size(), 20);
    for (std::size_t e = 0; e < engines_.size(); ++e) {
      for (std::size_t q = 0; q < warming; ++q) (void)timed(e, q);
      for (std::size_t q = 0; q < queries_.size(); ++q) times_[e][q].push_back(timed(e, q));
    }
  }

  void cold_round() {
    for (std::size_t q = 0; q < std::min<std::size_t>(queries_.size(), 25); ++q) {
      for (std::size_t e = 0; e < engines_.size(); ++e) {
        flush_caches();
        cold_[e].push_back(timed(e, q));
      }
    }
  }

  double round_total(std::size_t engine, std::size_t round) const {
    double total = 0;
    for (const auto& query : times_[engine]) total += query[round];
    return total;
  }

  void summarise(std::size_t e, Measurement& measured) const {
    std::vector<double> medians;
    for (const auto& query : times_[e]) medians.push_back(quantile(query, 0.5));
    measured.warm = spread(medians);
    measured.cold = spread(cold_[e]);
    std::vector<double> ratios;
    for (std::size_t round = 0; round < times_[e][0].size(); ++round) {
      ratios.push_back(round_total(0, round) / round_total(e, round));
    }
    measured.ratio = quantile(ratios, 0.5);
    measured.ratio_low = quantile(ratios, 0);
    measured.ratio_high = quantile(ratios, 1);
  }

  const std::vector<std::unique_ptr<Engine>>& engines_;
  const std::vector<Histogram>& queries_;
  Question question_;
  std::vector<Times> times_;
  std::vector<std::vector<double>> cold_;
};

}  // namespace

Results measure(const Workload& workload, const MeasureOptions& options) {
  Results results;
  results.workload = workload.name;
  results.frames = workload.frames;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::vector<double>> insert_s(options.engines.size());
  for (const std::string& name : options.engines) {
    engines.push_back(make_engine(name, workload.word_weights));
  }
  for (std::uint32_t i = 0; i < workload.frames; ++i) {
    const Histogram frame = workload.frame(i);
    for (std::size_t e = 0; e < engines.size(); ++e) {
      const auto start = Clock::now();
      engines[e]->insert(frame);
      insert_s[e].push_back(seconds_since(start));
    }
  }
  const double frames = workload.frames;
  for (std::size_t e = 0; e < engines.size(); ++e) {
    std::vector<double>& times = insert_s[e];
    const double total = std::accumulate(times.begin(), times.end(), 0.0);
    std::sort(times.begin(), times.end());
    results.facts.push_back(
        {options.engines[e], frames / total,
         times[static_cast<std::size_t>(0.999 * static_cast<double>(times.size() - 1))] * 1e3,
         times.back() * 1e3, static_cast<double>(engines[e]->bytes()) / frames});
  }
  for (const Question& question : options.questions) {
    for (const bool positive : {true, false}) {
      Comparison comparison(engines, positive ? workload.positives : workload.negatives, question);
      for (Measurement& one : comparison.run(options)) {
        one.positive = positive;
        results.measurements.push_back(std::move(one));
      }
    }
  }
  for (std::size_t e = 0; options.while_inserting && e < engines.size(); ++e) {
    if (!engines[e]->concurrent()) continue;
    results.busy.push_back(measure_while_inserting(options.engines[e], *engines[e], workload,
                                                   options.questions.front()));
  }
  return results;
}

double memory_bandwidth() {
  const std::vector<std::uint64_t> memory(std::size_t{64} << 20, 1);  // 512 MiB
  double best = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const auto start = Clock::now();
    std::uint64_t sum = 0;
    for (const std::uint64_t word : memory) sum += word;
    volatile std::uint64_t sink = sum;
    (void)sink;
    best = std::max(best, static_cast<double>(memory.size() * 8) / seconds_since(start));
  }
  return best;
}

}  // namespace looptree::bench

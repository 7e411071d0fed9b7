// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/evaluate/methods/clustering.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/index/grouping.hpp"

namespace looptree::evaluate {
namespace {

constexpr std::size_t kBranchings[] = {2, 4, 8, 16};

/// Words that occur once in the frame. A weight is count x word weight / norm, so the smallest
/// ratio of weight to word weight belongs to a count of one, but for frames without any.
std::size_t occurring_once(const Histogram& histogram, const std::vector<double>& weights) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    counts.push_back(histogram.weights()[i] / weights[histogram.words()[i].value]);
  }
  const double one = *std::min_element(counts.begin(), counts.end());
  return static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [&](double count) { return count < 1.5 * one; }));
}

std::size_t shared_words(const Histogram& a, const Histogram& b) {
  std::size_t shared = 0;
  std::size_t j = 0;
  for (const WordId word : a.words()) {
    while (j < b.size() && b.words()[j].value < word.value) ++j;
    if (j < b.size() && b.words()[j] == word) ++shared;
  }
  return shared;
}

/// What pairs of one query with the frames it could be answered with add up to.
struct Pairs {
  std::vector<double> wrong;
  double shared = 0;
  std::size_t frames = 0;
};

Pairs pairs_of(const Route& route, std::size_t query, std::size_t last) {
  Pairs pairs;
  const Histogram& histogram = route.histograms[query];
  for (std::size_t frame = 0; frame < last; ++frame) {
    pairs.shared += static_cast<double>(shared_words(histogram, route.histograms[frame]));
    ++pairs.frames;
    if (route.truth.is_right(query, frame)) continue;
    pairs.wrong.push_back(intersection(histogram, route.histograms[frame]));
  }
  return pairs;
}

/// Queries that have anything to be answered with, evenly spread.
std::vector<std::size_t> sample_of(const Route& route, const StatisticsOptions& options) {
  std::vector<std::size_t> all;
  for (std::size_t i = options.exclude_recent + 1; i < route.histograms.size(); ++i) {
    if (!route.histograms[i].empty()) all.push_back(i);
  }
  std::vector<std::size_t> sample;
  const std::size_t count = std::min(options.sample, all.size());
  for (std::size_t i = 0; i < count; ++i) sample.push_back(all[i * all.size() / count]);
  return sample;
}

void add_frames(const Route& route, const WordSpace& words, std::vector<Metric>& metrics) {
  std::size_t frames = 0;
  std::size_t distinct = 0;
  std::size_t once = 0;
  double squares = 0;
  for (const Histogram& histogram : route.histograms) {
    if (histogram.empty()) continue;
    ++frames;
    distinct += histogram.size();
    squares += static_cast<double>(histogram.size()) * static_cast<double>(histogram.size());
    once += occurring_once(histogram, words.weights);
  }
  const auto mean = [](std::size_t sum, std::size_t of) {
    return of == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(of);
  };
  metrics.push_back({"frames", static_cast<double>(route.histograms.size())});
  const double words_mean = mean(distinct, frames);
  const double variance =
      frames == 0 ? 0 : squares / static_cast<double>(frames) - words_mean * words_mean;
  metrics.push_back({"distinct_words", words_mean});
  metrics.push_back({"distinct_deviation", std::sqrt(std::max(0.0, variance))});
  metrics.push_back({"once_share", mean(once, distinct)});
}

void add_pairs(const Route& route, const std::vector<std::size_t>& sample,
               std::size_t exclude_recent, std::vector<Metric>& metrics) {
  std::vector<Pairs> pairs(sample.size());
  parallel_for(sample.size(), 0, [&](std::size_t i) {
    pairs[i] = pairs_of(route, sample[i], answerable(sample[i], exclude_recent));
  });
  std::vector<double> wrong;
  double shared = 0;
  double frames = 0;
  for (const Pairs& one : pairs) {
    wrong.insert(wrong.end(), one.wrong.begin(), one.wrong.end());
    shared += one.shared;
    frames += static_cast<double>(one.frames);
  }
  std::sort(wrong.begin(), wrong.end());
  const std::size_t p999 = wrong.empty() ? 0 : (wrong.size() - 1) * 999 / 1000;
  metrics.push_back({"wrong_mean", summarize(wrong).mean});
  metrics.push_back({"wrong_p999", wrong.empty() ? 0 : wrong[p999]});
  metrics.push_back({"wrong_max", wrong.empty() ? 0 : wrong.back()});
  metrics.push_back({"postings_per_frame", frames == 0 ? 0 : shared / frames});
}

/// The share of whole groups, of frames the query could be answered with, that reach the threshold.
double surviving(const Route& route, const std::vector<std::size_t>& sample, double threshold,
                 Pooling pooling, std::size_t branching, std::size_t exclude_recent) {
  const std::vector<Histogram> nodes =
      pool(route.histograms, regular_groups(route.histograms.size(), branching), pooling);
  std::vector<std::size_t> alive(sample.size());
  std::vector<std::size_t> asked(sample.size());
  parallel_for(sample.size(), 0, [&](std::size_t i) {
    asked[i] = answerable(sample[i], exclude_recent) / branching;
    for (std::size_t node = 0; node < asked[i]; ++node) {
      alive[i] += intersection(route.histograms[sample[i]], nodes[node]) >= threshold ? 1 : 0;
    }
  });
  double sum_alive = 0;
  double sum_asked = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sum_alive += static_cast<double>(alive[i]);
    sum_asked += static_cast<double>(asked[i]);
  }
  return sum_asked == 0 ? 0 : sum_alive / sum_asked;
}

}  // namespace

VariantResult word_statistics(const Route& route, const WordSpace& words,
                              const StatisticsOptions& options) {
  require(words.weights.size() == words.size, ErrorKind::invalid_argument,
          "expected a weight for every word, found " + std::to_string(words.weights.size()) +
              " for " + std::to_string(words.size));
  require(options.sample > 0, ErrorKind::invalid_argument, "expected a sample, found none");
  const RouteClaims exact =
      traverse(route, make_variant("d1", words), options.exclude_recent, options.progress);
  const std::vector<Claim> claims = exact.claims();
  const double threshold = safe_threshold(claims).value_or(1);
  VariantResult result{route.name, {}, precision_recall(claims, exact.positives), {}};
  add_frames(route, words, result.metrics);
  const std::vector<std::size_t> sample = sample_of(route, options);
  add_pairs(route, sample, options.exclude_recent, result.metrics);
  result.metrics.push_back({"threshold", threshold});
  result.metrics.push_back({"recall", point_at(claims, exact.positives, threshold).recall});
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    for (const std::size_t b : kBranchings) {
      result.metrics.push_back(
          {std::string(to_string(pooling)) + "_b" + std::to_string(b) + "_survive",
           surviving(route, sample, threshold, pooling, b, options.exclude_recent)});
    }
  }
  return result;
}

}  // namespace looptree::evaluate

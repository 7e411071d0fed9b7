// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/retrieval.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/detail/contestant.hpp"
#include "looptree/index/grouping.hpp"

namespace looptree::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(std::span<const Histogram> images, std::span<const std::uint32_t> labels,
           const RetrievalOptions& options) {
  if (images.empty()) refuse("expected images, found none");
  if (images.size() != labels.size()) {
    refuse("expected one label per image, found " + std::to_string(labels.size()) + " for " +
           std::to_string(images.size()));
  }
  if (options.passes == 0) refuse("expected at least 1 pass, found 0");
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].empty()) refuse("expected images with words, found none in " + std::to_string(i));
  }
}

std::vector<Variant> hierarchies(std::span<const Histogram> images, const Groups& objects,
                                 const WordSpace& words, const RetrievalOptions& options) {
  std::vector<Variant> variants = {make_variant("d1", words), make_variant("lists", words)};
  // Affinity compares normalised histograms; the mean of normalised ones is normalised.
  const std::vector<Histogram> means = pool(images, objects, Pooling::mean);
  const Groups random = random_groups(means.size(), options.group_size, options.seed);
  const Groups affinity = affinity_groups(means, options.group_size);
  for (const auto& [name, groups] : {std::pair{"random-", &random}, {"affinity-", &affinity}}) {
    for (const Pooling pooling : {Pooling::mean, Pooling::sum, Pooling::max}) {
      variants.push_back(make_variant(name + std::string(to_string(pooling)),
                                      Topology::grouped({objects, *groups}, pooling), words));
    }
  }
  return variants;
}

std::vector<std::size_t> queries_of(std::span<const std::uint32_t> labels, RetrievalScore score) {
  std::vector<std::size_t> queries;
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (score == RetrievalScore::ukbench || seen.insert(labels[i]).second) queries.push_back(i);
  }
  return queries;
}

/// An answer as the metrics take it.
std::vector<bool> ranking(const std::vector<Match>& matches, std::span<const std::uint32_t> labels,
                          std::size_t query, RetrievalScore score) {
  std::vector<bool> right;
  for (const Match& match : matches) {
    if (score == RetrievalScore::holidays && match.frame.value == query) continue;
    right.push_back(labels[match.frame.value] == labels[query]);
  }
  return right;
}

/// One size of database says nothing of growth: the paper's table has times, not rates.
void state_by_mean_time(EvaluationResult& result) {
  const double baseline = result.variants[0].metric("mean_ms").value_or(0);
  for (VariantResult& variant : result.variants) {
    std::erase_if(variant.metrics, [](const Metric& m) {
      return m.name.starts_with("rate_") || m.name == "speedup";
    });
    const double own = variant.metric("mean_ms").value_or(0);
    if (own > 0) variant.metrics.push_back({"speedup", baseline / own});
  }
}

}  // namespace

EvaluationResult retrieval(std::span<const Histogram> images, std::span<const std::uint32_t> labels,
                           const WordSpace& words, const RetrievalOptions& options) {
  check(images, labels, options);
  const bool ukbench = options.score == RetrievalScore::ukbench;
  const Groups objects = label_groups(labels);
  const std::vector<Variant> variants = hierarchies(images, objects, words, options);
  std::unordered_map<std::uint32_t, std::size_t> views;
  for (const std::uint32_t label : labels) ++views[label];
  detail::Contest contest(variants);
  for (std::size_t i = 0; i < images.size(); ++i) contest.insert(i, images[i]);

  const QueryOptions query{.top_k = ukbench ? 4 : QueryOptions::kUnlimited, .beam = options.beam};
  const std::vector<std::size_t> queries = queries_of(labels, options.score);
  EvaluationResult result{"retrieval", {}, {}, {}};
  std::vector<double> sums(variants.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    report(options.progress, q, queries.size());
    const std::size_t image = queries[q];
    const auto answers = contest.time(
        {images[image], query, images.size(), static_cast<std::uint32_t>(image), QueryKind::route},
        options.passes, result.times);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const std::vector<bool> right = ranking(answers[v], labels, image, options.score);
      sums[v] += ukbench ? static_cast<double>(right_in_top_four(right))
                         : ranked_average_precision(right, views[labels[image]] - 1);
    }
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const double mean = sums[v] / static_cast<double>(queries.size());
    result.variants.push_back({variants[v].name, {{ukbench ? "score" : "map", mean}}, {}, {}});
  }
  result.facts = {{"images", static_cast<double>(images.size())},
                  {"labels", static_cast<double>(views.size())},
                  {"queries", static_cast<double>(queries.size())},
                  {"beam", static_cast<double>(options.beam)},
                  {"group_size", static_cast<double>(options.group_size)},
                  {"vocabulary_size", static_cast<double>(words.size)}};
  add_time_metrics(result);
  state_by_mean_time(result);
  return result;
}

}  // namespace looptree::evaluate

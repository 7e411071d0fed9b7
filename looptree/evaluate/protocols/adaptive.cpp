// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/adaptive.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/methods/agglomerate.hpp"

namespace looptree::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(std::span<const Histogram> database, std::span<const Pose> poses,
           const AdaptiveOptions& options) {
  if (database.size() != poses.size()) {
    refuse("expected one pose per histogram, found " + std::to_string(poses.size()) + " for " +
           std::to_string(database.size()));
  }
  if (options.trials == 0) refuse("expected at least 1 trial, found 0");
  if (database.size() < options.branching) {
    refuse("expected at least " + std::to_string(options.branching) + " frames, found " +
           std::to_string(database.size()));
  }
  for (const Histogram& histogram : database) {
    if (histogram.empty()) refuse("expected histograms with words, found an empty one");
  }
}

std::size_t count(const Groups& groups) {
  return std::size_t{*std::max_element(groups.begin(), groups.end())} + 1;
}

/// One result of several of the same variants: passes side by side, metrics averaged.
EvaluationResult merge(std::vector<EvaluationResult> trials, std::size_t passes) {
  EvaluationResult merged = std::move(trials.front());
  std::vector<std::vector<double>> recalls(merged.variants.size());
  for (std::size_t v = 0; v < merged.variants.size(); ++v) {
    std::erase_if(merged.variants[v].metrics, [](const Metric& metric) {
      return metric.name.find("_ms") != std::string::npos || metric.name.ends_with("speedup");
    });
    recalls[v].push_back(merged.variants[v].metric("recall").value_or(0));
  }
  for (std::size_t t = 1; t < trials.size(); ++t) {
    for (QueryTime time : trials[t].times) {
      time.pass += static_cast<std::uint32_t>(t * passes);
      merged.times.push_back(time);
    }
    for (std::size_t v = 0; v < merged.variants.size(); ++v) {
      for (Metric& metric : merged.variants[v].metrics) {
        metric.value += trials[t].variants[v].metric(metric.name).value_or(0);
      }
      recalls[v].push_back(trials[t].variants[v].metric("recall").value_or(0));
    }
  }
  for (std::size_t v = 0; v < merged.variants.size(); ++v) {
    std::vector<Metric>& metrics = merged.variants[v].metrics;
    for (Metric& metric : metrics) metric.value /= static_cast<double>(trials.size());
    const Summary spread = summarize(recalls[v]);
    metrics.push_back({"recall_low", spread.min});
    metrics.push_back({"recall_high", spread.max});
  }
  add_time_metrics(merged);
  return merged;
}

/// A way to group frames, and what it cost.
struct Grouping {
  std::string name;
  Groups groups;
  double build_s = 0;

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> result(count(groups));
    for (const std::uint32_t group : groups) ++result[group];
    return result;
  }
};

Grouping timed(std::string name, const std::function<Groups()>& make) {
  // Of all threads: poses are clustered by several.
  const std::clock_t start = std::clock();
  Grouping grouping{std::move(name), make()};
  grouping.build_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return grouping;
}

/// Those that differ from trial to trial.
std::vector<Grouping> by_pose(std::span<const Pose> poses, std::size_t groups,
                              ClusterOptions clusters) {
  std::vector<Grouping> result;
  result.push_back(timed("adaptive", [&] { return cluster_poses(poses, groups, clusters); }));
  clusters.rotation_weight = 0;
  result.push_back(timed("parallax", [&] { return cluster_poses(poses, groups, clusters); }));
  return result;
}

/// Those that do not.
std::vector<Grouping> by_histogram(std::span<const Histogram> database, std::size_t groups) {
  std::vector<Grouping> result;
  for (const auto& [name, linkage] :
       {std::pair{"bottleneck", Linkage::information}, {"ward", Linkage::ward}}) {
    result.push_back(timed(name, [&] { return agglomerate(database, groups, linkage); }));
  }
  return result;
}

/// One trial: the same queries of flat search, of regular groups and of all the others.
EvaluationResult trial(std::span<const Histogram> database, const SyntheticQueries& queries,
                       const WordSpace& words, std::span<const Grouping> groupings,
                       const AdaptiveOptions& options) {
  std::vector<Variant> variants = {
      make_variant("d1", words),
      make_variant("regular", Topology::fixed(2, options.branching, options.pooling), words)};
  for (const Grouping& grouping : groupings) {
    variants.push_back(
        make_variant(grouping.name, Topology::grouped({grouping.groups}, options.pooling), words));
  }
  EvaluationResult result =
      synthetic_queries(from_span(database), queries, variants, options.queries);
  for (std::size_t g = 0; g < groupings.size(); ++g) {
    std::vector<Metric>& metrics = result.variants[g + 2].metrics;
    metrics.push_back({"build_s", groupings[g].build_s});
    const std::vector<std::size_t> sizes = groupings[g].sizes();
    const auto largest = *std::max_element(sizes.begin(), sizes.end());
    metrics.push_back({"largest_group", static_cast<double>(largest)});
    const auto alone = std::count(sizes.begin(), sizes.end(), std::size_t{1});
    metrics.push_back({"groups_of_one", static_cast<double>(alone)});
  }
  return result;
}

}  // namespace

EvaluationResult adaptive(std::span<const Histogram> database, std::span<const Pose> poses,
                          const SyntheticQueries& queries, const WordSpace& words,
                          const AdaptiveOptions& options) {
  check(database, poses, options);
  const std::size_t groups = (database.size() + options.branching - 1) / options.branching;
  std::vector<Grouping> fixed;
  if (options.agglomerative) fixed = by_histogram(database, groups);
  std::vector<EvaluationResult> trials;
  double group_count = 0;
  for (std::size_t t = 0; t < options.trials; ++t) {
    ClusterOptions clusters = options.clusters;
    clusters.seed += t;
    std::vector<Grouping> groupings = by_pose(poses, groups, clusters);
    group_count +=
        static_cast<double>(count(groupings[0].groups)) / static_cast<double>(options.trials);
    groupings.insert(groupings.end(), fixed.begin(), fixed.end());
    trials.push_back(trial(database, queries, words, groupings, options));
  }
  EvaluationResult result = merge(std::move(trials), options.queries.passes);
  result.protocol = "adaptive";
  result.facts.push_back({"trials", static_cast<double>(options.trials)});
  result.facts.push_back({"branching", static_cast<double>(options.branching)});
  result.facts.push_back({"mean_group", static_cast<double>(database.size()) / group_count});
  return result;
}

}  // namespace looptree::evaluate

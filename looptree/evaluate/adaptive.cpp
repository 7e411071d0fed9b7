// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/adaptive.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"

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

}  // namespace

EvaluationResult adaptive(std::span<const Histogram> database, std::span<const Pose> poses,
                          const SyntheticQueries& queries, const WordSpace& words,
                          const AdaptiveOptions& options) {
  check(database, poses, options);
  const std::size_t groups = (database.size() + options.branching - 1) / options.branching;
  const auto variant = [&](const char* name, Topology topology) {
    return make_variant(name, std::move(topology), words);
  };
  std::vector<EvaluationResult> trials;
  double group_count = 0;
  for (std::size_t trial = 0; trial < options.trials; ++trial) {
    ClusterOptions clusters = options.clusters;
    clusters.seed += trial;
    const Groups by_pose = cluster_poses(poses, groups, clusters);
    clusters.rotation_weight = 0;
    const Groups by_place = cluster_poses(poses, groups, clusters);
    group_count += static_cast<double>(count(by_pose)) / static_cast<double>(options.trials);
    const std::vector<Variant> variants = {
        make_variant("d1", words),
        variant("regular", Topology::fixed(2, options.branching, options.pooling)),
        variant("adaptive", Topology::grouped({by_pose}, options.pooling)),
        variant("parallax", Topology::grouped({by_place}, options.pooling))};
    trials.push_back(synthetic_queries(from_span(database), queries, variants, options.queries));
  }
  EvaluationResult result = merge(std::move(trials), options.queries.passes);
  result.protocol = "adaptive";
  result.facts.push_back({"trials", static_cast<double>(options.trials)});
  result.facts.push_back({"branching", static_cast<double>(options.branching)});
  result.facts.push_back({"mean_group", static_cast<double>(database.size()) / group_count});
  return result;
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/result.hpp"

#include <algorithm>
#include <functional>

namespace looptree::evaluate {
namespace {

using Keep = std::function<bool(const QueryTime&)>;

/// The times of one variant, pass by pass.
struct Passes {
  std::vector<std::vector<double>> sizes;
  std::vector<std::vector<double>> ms;
};

Passes select(const EvaluationResult& result, std::size_t variant, const Keep& keep) {
  Passes passes;
  for (const QueryTime& time : result.times) {
    if (time.variant != variant || !keep(time)) continue;
    if (time.pass >= passes.ms.size()) {
      passes.ms.resize(time.pass + 1);
      passes.sizes.resize(time.pass + 1);
    }
    passes.sizes[time.pass].push_back(time.database_size);
    passes.ms[time.pass].push_back(time.ms);
  }
  return passes;
}

Summary rates(const Passes& passes) {
  std::vector<double> values;
  for (std::size_t pass = 0; pass < passes.ms.size(); ++pass) {
    if (!passes.ms[pass].empty()) {
      values.push_back(evaluate::rate_ms_per_1k(passes.sizes[pass], passes.ms[pass]));
    }
  }
  return summarize(values);
}

Summary means(const Passes& passes) {
  std::vector<double> values;
  for (const std::vector<double>& ms : passes.ms) {
    if (!ms.empty()) values.push_back(summarize(ms).mean);
  }
  return summarize(values);
}

void add_spread(std::vector<Metric>& metrics, const std::string& name, const Summary& summary) {
  metrics.push_back({name, summary.median});
  metrics.push_back({name + "_low", summary.min});
  metrics.push_back({name + "_high", summary.max});
}

/// Rates and speed-ups of the queries that `keep` selects, under names that start with `prefix`.
void add_rates(EvaluationResult& result, const std::string& prefix, const Keep& keep) {
  double baseline = 0;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    const Summary summary = rates(select(result, v, keep));
    if (summary.count == 0) continue;
    if (v == 0) baseline = summary.median;
    std::vector<Metric>& metrics = result.variants[v].metrics;
    add_spread(metrics, prefix + "rate_ms_per_1k", summary);
    if (baseline > 0 && summary.median > 0) {
      metrics.push_back({prefix + "speedup", baseline / summary.median});
    }
  }
}

}  // namespace

std::string_view to_string(QueryKind kind) {
  switch (kind) {
    case QueryKind::route:
      return "route";
    case QueryKind::positive:
      return "positive";
    case QueryKind::negative:
      return "negative";
  }
  return "unknown";
}

std::optional<double> VariantResult::metric(std::string_view metric_name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == metric_name; });
  if (found == metrics.end()) return std::nullopt;
  return found->value;
}

void add_time_metrics(EvaluationResult& result) {
  const Keep all = [](const QueryTime&) { return true; };
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    const Passes passes = select(result, v, all);
    std::vector<double> every;
    for (const std::vector<double>& ms : passes.ms) every.insert(every.end(), ms.begin(), ms.end());
    if (every.empty()) continue;
    std::vector<Metric>& metrics = result.variants[v].metrics;
    add_spread(metrics, "mean_ms", means(passes));
    const Summary summary = summarize(std::move(every));
    metrics.push_back({"median_ms", summary.median});
    metrics.push_back({"p95_ms", summary.p95});
    metrics.push_back({"p99_ms", summary.p99});
    metrics.push_back({"max_ms", summary.max});
  }
  add_rates(result, "", all);
  const auto is = [](QueryKind kind) {
    return [kind](const QueryTime& time) { return time.kind == kind; };
  };
  const bool both =
      std::any_of(result.times.begin(), result.times.end(), is(QueryKind::positive)) &&
      std::any_of(result.times.begin(), result.times.end(), is(QueryKind::negative));
  if (both) {
    add_rates(result, "positive_", is(QueryKind::positive));
    add_rates(result, "negative_", is(QueryKind::negative));
  }
}

}  // namespace looptree::evaluate

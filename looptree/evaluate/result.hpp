// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/evaluate/metrics.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// A named number of a result. Names are those of metrics.json, with units as suffixes.
struct Metric {
  std::string name;
  double value = 0;
  friend bool operator==(const Metric&, const Metric&) = default;
};

/// A match that was believed, in frame numbers of the sequence.
struct ScoredClosure {
  std::size_t query = 0;
  std::size_t match = 0;
  double score = 0;
  bool right = false;
  friend bool operator==(const ScoredClosure&, const ScoredClosure&) = default;
};

/// What a timed query was about.
enum class QueryKind {
  route,     ///< a frame of the route itself
  positive,  ///< made to have a right answer
  negative,  ///< made to have none
};

LOOPTREE_EVALUATE_EXPORT std::string_view to_string(QueryKind kind);

/// The time of one query.
struct QueryTime {
  std::uint32_t variant = 0;  ///< position in EvaluationResult::variants
  std::uint32_t pass = 0;     ///< every query is timed once per pass
  QueryKind kind = QueryKind::route;
  std::uint32_t query = 0;
  std::uint32_t database_size = 0;  ///< images the variant held then
  double ms = 0;
  friend bool operator==(const QueryTime&, const QueryTime&) = default;
};

/// What one method achieved.
struct VariantResult {
  std::string name;
  std::vector<Metric> metrics;
  Curve curve;
  std::vector<ScoredClosure> closures;

  /// The metric of that name; nothing if it was not measured.
  std::optional<double> metric(std::string_view metric_name) const;
};

/// What a protocol found. The first variant is the baseline that speed-ups are stated against.
struct EvaluationResult {
  std::string protocol;
  /// Of the data: frames, queries, positives, threshold, ...
  std::vector<Metric> facts;
  std::vector<VariantResult> variants;
  std::vector<QueryTime> times;
};

/// Adds to every variant that was timed, from `times`:
///   mean_ms                    mean over the queries; the median of the passes
///   mean_ms_low, mean_ms_high  the fastest and the slowest pass
///   median_ms, p95_ms, p99_ms, max_ms  over all queries and passes
///   rate_ms_per_1k, and _low, _high    time-cost rate, likewise by pass
///   speedup                    rate of the first variant / rate of this one
/// and for positive and negative queries apart, where there are both, positive_rate_ms_per_1k,
/// positive_speedup, negative_rate_ms_per_1k and negative_speedup.
LOOPTREE_EVALUATE_EXPORT void add_time_metrics(EvaluationResult& result);

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check_right(std::size_t right, std::size_t positives) {
  if (right <= positives) return;
  refuse("expected at most " + std::to_string(positives) +
         " right ones, the number of positives; " + "found " + std::to_string(right));
}

double ratio(std::size_t part, std::size_t whole, double otherwise) {
  return whole == 0 ? otherwise : static_cast<double>(part) / static_cast<double>(whole);
}

/// The value a fraction of the way through, between neighbours if need be.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = position - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace

CurvePoint curve_point(double threshold, std::size_t right, std::size_t wrong,
                       std::size_t positives) {
  return {threshold, right, wrong, ratio(right, right + wrong, 1), ratio(right, positives, 0)};
}

Curve precision_recall(std::span<const Claim> claims, std::size_t positives) {
  std::vector<Claim> sorted(claims.begin(), claims.end());
  for (const Claim& claim : sorted) {
    if (std::isnan(claim.score)) refuse("expected scores that are numbers, found NaN");
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Claim& a, const Claim& b) { return a.score > b.score; });
  Curve curve{positives, {}};
  std::size_t right = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    right += sorted[i].right ? 1 : 0;
    const bool tied = i + 1 < sorted.size() && sorted[i + 1].score == sorted[i].score;
    if (!tied)
      curve.points.push_back(curve_point(sorted[i].score, right, i + 1 - right, positives));
  }
  check_right(right, positives);
  return curve;
}

double average_precision(const Curve& curve) {
  double area = 0;
  double recall = 0;
  for (const CurvePoint& point : curve.points) {
    if (point.recall <= recall) continue;
    area += (point.recall - recall) * point.precision;
    recall = point.recall;
  }
  return area;
}

double recall_at_full_precision(const Curve& curve) {
  double best = 0;
  for (const CurvePoint& point : curve.points) {
    if (point.wrong == 0) best = std::max(best, point.recall);
  }
  return best;
}

std::optional<double> safe_threshold(std::span<const Claim> claims) {
  double highest_wrong = -1;
  for (const Claim& claim : claims) {
    if (!claim.right) highest_wrong = std::max(highest_wrong, claim.score);
  }
  if (highest_wrong < 0) return 0.0;
  if (highest_wrong >= 1) return std::nullopt;
  return std::nextafter(highest_wrong, std::numeric_limits<double>::infinity());
}

CurvePoint point_at(std::span<const Claim> claims, std::size_t positives, double threshold) {
  std::size_t right = 0;
  std::size_t wrong = 0;
  for (const Claim& claim : claims) {
    if (claim.score < threshold) continue;
    ++(claim.right ? right : wrong);
  }
  return curve_point(threshold, right, wrong, positives);
}

double ranked_average_precision(const std::vector<bool>& ranking, std::size_t positives) {
  double area = 0;
  std::size_t right = 0;
  for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
    if (!ranking[rank]) continue;
    const double before = ratio(right, rank, 1);
    ++right;
    area += (before + ratio(right, rank + 1, 1)) / 2;
  }
  check_right(right, positives);
  return positives == 0 ? 0 : area / static_cast<double>(positives);
}

std::size_t right_in_top_four(const std::vector<bool>& ranking) {
  const auto end =
      ranking.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, ranking.size()));
  return static_cast<std::size_t>(std::count(ranking.begin(), end, true));
}

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),          sum / static_cast<double>(values.size()),
          values.front(),         quantile(values, 0.25),
          quantile(values, 0.5),  quantile(values, 0.75),
          quantile(values, 0.95), quantile(values, 0.99),
          values.back()};
}

double rate_ms_per_1k(std::span<const double> sizes, std::span<const double> ms) {
  if (sizes.size() != ms.size()) {
    refuse("expected one time per database size, found " + std::to_string(ms.size()) +
           " times for " + std::to_string(sizes.size()) + " sizes");
  }
  const double products = std::inner_product(sizes.begin(), sizes.end(), ms.begin(), 0.0);
  const double squares = std::inner_product(sizes.begin(), sizes.end(), sizes.begin(), 0.0);
  return squares == 0 ? 0 : 1000 * products / squares;
}

}  // namespace looptree::evaluate

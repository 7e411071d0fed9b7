// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/scores.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree {
namespace {

/// Calls `both(a_weight, b_weight)` for each word of both, `only_a(a_weight)` for those b lacks.
template <typename Both, typename OnlyA>
void walk(const Histogram& a, const Histogram& b, Both both, OnlyA only_a) {
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b.words()[j] < a.words()[i]) ++j;
    if (j < b.size() && b.words()[j] == a.words()[i]) {
      both(a.weights()[i], b.weights()[j]);
    } else {
      only_a(a.weights()[i]);
    }
  }
}

/// Sums `term(a_weight, b_weight)` over the words of both.
template <typename Term>
double sum_common(const Histogram& a, const Histogram& b, Term term) {
  double total = 0;
  walk(
      a, b, [&](double x, double y) { total += term(x, y); }, [](double) {});
  return total;
}

double l1(const Histogram& a, const Histogram& b) {
  const double excess =
      sum_common(a, b, [](double x, double y) { return std::abs(x - y) - x - y; });
  return -excess / 2 + 0.0;  // + 0.0: no common word is 0, not -0
}

double l2(const Histogram& a, const Histogram& b) {
  const double dot = sum_common(a, b, [](double x, double y) { return x * y; });
  return dot >= 1 ? 1.0 : 1.0 - std::sqrt(1.0 - dot);
}

double kl(const Histogram& a, const Histogram& b) {
  static const double log_epsilon = std::log(std::numeric_limits<double>::epsilon());
  double total = 0;
  walk(
      a, b, [&](double x, double y) { total += x * std::log(x / y); },
      [&](double x) { total += x * (std::log(x) - log_epsilon); });
  return total;
}

}  // namespace

Norm norm_of(Score score) {
  if (score == Score::l2) return Norm::l2;
  if (score == Score::dot_product) return Norm::size;
  return Norm::l1;
}

double score(Score score, const Histogram& a, const Histogram& b) {
  switch (score) {
    case Score::l1:
      return l1(a, b);
    case Score::l2:
      return l2(a, b);
    case Score::chi_square:
      return 2 * sum_common(a, b, [](double x, double y) { return x * y / (x + y); });
    case Score::kl:
      return kl(a, b);
    case Score::bhattacharyya:
      return sum_common(a, b, [](double x, double y) { return std::sqrt(x * y); });
    case Score::dot_product:
      return sum_common(a, b, [](double x, double y) { return x * y; });
  }
  return 0;
}

double intersection(const Histogram& a, const Histogram& b) {
  FixedWeight total = 0;
  walk(
      a, b, [&](double x, double y) { total += std::min(to_fixed(x), to_fixed(y)); },
      [](double) {});
  return from_fixed(total);
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/matching.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"
#include "looptree/detect/detail/hamming.hpp"

namespace looptree {
namespace {

using detail::NearestBothWays;
using detail::TwoNearest;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void check_pair(DescriptorView query, DescriptorView match, const MatchingOptions& options) {
  if (query.type() != match.type() || query.width() != match.width()) {
    throw Error(ErrorKind::invalid_argument, "expected descriptors of one kind, found rows of " +
                                                 std::to_string(query.width()) + " and of " +
                                                 std::to_string(match.width()));
  }
  require_number(options.max_ratio > 0 && options.max_ratio <= 1,
                 "a max_ratio above 0 and at most 1", options.max_ratio);
}

float hamming(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  int sum = 0;
  std::size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a.data() + i, 8);
    std::memcpy(&y, b.data() + i, 8);
    sum += std::popcount(x ^ y);
  }
  for (; i < a.size(); ++i) sum += std::popcount(static_cast<unsigned>(a[i] ^ b[i]));
  return static_cast<float>(sum);
}

float euclidean(std::span<const float> a, std::span<const float> b) {
  // Four partial sums, so that the compiler may use vectors without reordering anything.
  float sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      const float difference = a[i + k] - b[i + k];
      sums[k] += difference * difference;
    }
  }
  for (; i < a.size(); ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sums[0] + sums[1] + sums[2] + sums[3]);
}

float distance_between(DescriptorView a, std::size_t i, DescriptorView b, std::size_t j) {
  return a.type() == DescriptorType::binary ? hamming(a.bytes(i), b.bytes(j))
                                            : euclidean(a.floats(i), b.floats(j));
}

/// Keeps the two nearest, and the nearest the other way, as rows come in ascending order.
class Collector {
 public:
  Collector(std::size_t query_rows, std::size_t match_rows)
      : column_distance_(match_rows, kInfinity) {
    result_.of_query.assign(query_rows, {TwoNearest::kNone, kInfinity, kInfinity});
    result_.of_match.assign(match_rows, TwoNearest::kNone);
  }

  void add(std::size_t i, std::size_t j, float distance) {
    TwoNearest& row = result_.of_query[i];
    if (distance < row.first_distance) {
      row = {static_cast<std::uint32_t>(j), distance, row.first_distance};
    } else {
      row.second_distance = std::min(row.second_distance, distance);
    }
    if (distance < column_distance_[j]) {
      column_distance_[j] = distance;
      result_.of_match[j] = static_cast<std::uint32_t>(i);
    }
  }

  NearestBothWays take() { return std::move(result_); }

 private:
  NearestBothWays result_;
  std::vector<float> column_distance_;
};

std::vector<Correspondence> keep(const NearestBothWays& nearest, const MatchingOptions& options) {
  std::vector<Correspondence> kept;
  for (std::size_t i = 0; i < nearest.of_query.size(); ++i) {
    const TwoNearest& row = nearest.of_query[i];
    if (row.first == TwoNearest::kNone) continue;
    const bool clear =
        options.max_ratio >= 1 || row.first_distance < options.max_ratio * row.second_distance;
    if (!clear || (options.mutual && nearest.of_match[row.first] != i)) continue;
    const float ratio = row.second_distance > 0 ? row.first_distance / row.second_distance : 1.0F;
    kept.push_back({static_cast<std::uint32_t>(i), row.first, row.first_distance, ratio});
  }
  return kept;
}

/// Row numbers in the order of their nodes, and of themselves within a node.
std::vector<std::uint32_t> by_node(std::span<const std::uint32_t> nodes) {
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return nodes[a] < nodes[b]; });
  return order;
}

}  // namespace

std::vector<Correspondence> match_descriptors(DescriptorView query, DescriptorView match,
                                              const MatchingOptions& options) {
  check_pair(query, match, options);
  if (query.type() == DescriptorType::binary) {
    return keep(detail::nearest_hamming(query, match), options);
  }
  Collector collector(query.size(), match.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    for (std::size_t j = 0; j < match.size(); ++j) {
      collector.add(i, j, euclidean(query.floats(i), match.floats(j)));
    }
  }
  return keep(collector.take(), options);
}

std::vector<Correspondence> match_by_node(DescriptorView query,
                                          std::span<const std::uint32_t> query_nodes,
                                          DescriptorView match,
                                          std::span<const std::uint32_t> match_nodes,
                                          const MatchingOptions& options) {
  check_pair(query, match, options);
  require(query_nodes.size() == query.size() && match_nodes.size() == match.size(),
          ErrorKind::invalid_argument, "expected one node per descriptor, found another number");
  const std::vector<std::uint32_t> left = by_node(query_nodes);
  const std::vector<std::uint32_t> right = by_node(match_nodes);
  Collector collector(query.size(), match.size());
  std::size_t first = 0;  // of the group in `right`
  for (const std::uint32_t i : left) {
    while (first < right.size() && match_nodes[right[first]] < query_nodes[i]) ++first;
    for (std::size_t k = first; k < right.size() && match_nodes[right[k]] == query_nodes[i]; ++k) {
      collector.add(i, right[k], distance_between(query, i, match, right[k]));
    }
  }
  return keep(collector.take(), options);
}

}  // namespace looptree

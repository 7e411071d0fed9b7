// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/balance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace looptree {
namespace {

/// Cells are sized so that an even spread puts this many keypoints into each.
constexpr double kPerCell = 4;

/// The cell of every keypoint, numbered row by row.
std::vector<std::uint32_t> cells_of(std::span<const Keypoint> keypoints, int width, int height,
                                    std::size_t count) {
  const double area = std::max(1.0, static_cast<double>(width) * height);
  const double side = std::max(1.0, std::sqrt(area * kPerCell / static_cast<double>(count)));
  const auto columns = std::max(1U, static_cast<std::uint32_t>(std::ceil(width / side)));
  std::vector<std::uint32_t> cells;
  cells.reserve(keypoints.size());
  for (const Keypoint& point : keypoints) {
    const auto column = static_cast<std::uint32_t>(std::max(0.0F, point.x) / side);
    const auto row = static_cast<std::uint32_t>(std::max(0.0F, point.y) / side);
    cells.push_back(row * columns + std::min(column, columns - 1));
  }
  return cells;
}

}  // namespace

std::vector<std::size_t> balanced_subset(std::span<const Keypoint> keypoints, int width, int height,
                                         std::size_t count) {
  std::vector<std::size_t> order(keypoints.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (keypoints.size() <= count) return order;
  if (count == 0) return {};

  const std::vector<std::uint32_t> cells = cells_of(keypoints, width, height, count);
  const auto stronger = [&](std::size_t a, std::size_t b) {
    const float ra = keypoints[a].response;
    const float rb = keypoints[b].response;
    return ra != rb ? ra > rb : a < b;
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cells[a] != cells[b] ? cells[a] < cells[b] : stronger(a, b);
  });
  // Round r takes the r-th strongest of every cell; the last round takes its strongest.
  std::vector<std::uint32_t> round(keypoints.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const bool same_cell = cells[order[i]] == cells[order[i - 1]];
    round[order[i]] = same_cell ? round[order[i - 1]] + 1 : 0;
  }
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(order.begin(), last, order.end(), [&](std::size_t a, std::size_t b) {
    return round[a] != round[b] ? round[a] < round[b] : stronger(a, b);
  });
  order.erase(last, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace looptree

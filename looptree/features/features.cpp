// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/features.hpp"

#include <cmath>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {

void check(const Features& features) {
  const Descriptors& descriptors = features.descriptors;
  require(descriptors.width > 0, ErrorKind::invalid_argument,
          "expected descriptors at least one element wide, found a width of 0");
  const std::size_t elements = descriptors.type == DescriptorType::binary
                                   ? descriptors.bytes.size()
                                   : descriptors.floats.size();
  if (elements != features.size() * descriptors.width) {
    throw Error(ErrorKind::invalid_argument, "expected one descriptor per keypoint, " +
                                                 std::to_string(features.size()) + " rows of " +
                                                 std::to_string(descriptors.width) + ", found " +
                                                 std::to_string(elements) + " elements");
  }
  for (const Keypoint& point : features.keypoints) {
    require(std::isfinite(point.x) && std::isfinite(point.y), ErrorKind::invalid_argument,
            "expected finite keypoint coordinates, found one that is not");
  }
  if (features.inverse_depths.empty()) return;
  if (features.inverse_depths.size() != features.size()) {
    throw Error(ErrorKind::invalid_argument, "expected no inverse depths, or one for each of the " +
                                                 std::to_string(features.size()) +
                                                 " keypoints, found " +
                                                 std::to_string(features.inverse_depths.size()));
  }
  for (const float depth : features.inverse_depths) {
    require(std::isfinite(depth) && depth >= 0, ErrorKind::invalid_argument,
            "expected inverse depths of at least 0, found one that is not");
  }
}

Features take_rows(const Features& features, std::span<const std::size_t> rows) {
  const Descriptors& from = features.descriptors;
  Features taken;
  taken.width = features.width;
  taken.height = features.height;
  taken.descriptors.type = from.type;
  taken.descriptors.width = from.width;
  const auto append_row = [&](const auto& source, auto& target, std::size_t row) {
    if (source.empty()) return;
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(row * from.width);
    target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(from.width));
  };
  for (const std::size_t row : rows) {
    taken.keypoints.push_back(features.keypoints[row]);
    append_row(from.bytes, taken.descriptors.bytes, row);
    append_row(from.floats, taken.descriptors.floats, row);
    if (!features.inverse_depths.empty()) {
      taken.inverse_depths.push_back(features.inverse_depths[row]);
    }
  }
  return taken;
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/features.hpp"

#include <cmath>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

void check_depths(const Features& features) {
  const std::vector<float>& depths = features.inverse_depths;
  if (depths.empty()) return;
  if (depths.size() != features.size()) {
    throw Error(ErrorKind::invalid_argument,
                "expected one inverse depth per keypoint, " + std::to_string(features.size()) +
                    ", or none at all, found " + std::to_string(depths.size()));
  }
  for (const float depth : depths) {
    require(std::isfinite(depth) && depth >= 0, ErrorKind::invalid_argument,
            "expected inverse depths of 0 or more, found one that is not");
  }
  require(std::isfinite(features.inverse_depth_sigma) && features.inverse_depth_sigma > 0,
          ErrorKind::invalid_argument,
          "expected an inverse_depth_sigma above 0 with inverse depths, found another");
}

}  // namespace

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
  check_depths(features);
}

}  // namespace looptree

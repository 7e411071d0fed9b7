// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/common/pose.hpp"
#include "looptree/dataset/detail/world/city.hpp"
#include "looptree/features/depth_image.hpp"
#include "looptree/features/image.hpp"

namespace looptree::detail {

/// A level camera in a city of vertical walls: every image column is one ray on the map, so it is
/// drawn by walking the walls the ray meets from near to far.
struct Camera {
  int width = 640;
  int height = 360;
  float focal_px = 400;

  float centre_x() const { return 0.5F * static_cast<float>(width - 1); }
  float centre_y() const { return 0.5F * static_cast<float>(height - 1); }
};

/// What the camera sees from a station. `noise` seeds the grain of the sensor. Safe to call from
/// several threads.
Image render(const City& city, const Camera& camera, const Station& station, std::uint32_t noise);

/// How far away that is, exactly; the sky is unknown. Without its textures, so a tenth of the time.
DepthImage render_depth(const City& city, const Camera& camera, const Station& station);

}  // namespace looptree::detail

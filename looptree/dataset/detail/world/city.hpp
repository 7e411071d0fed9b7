// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/detail/world/texture.hpp"

namespace looptree::detail {

/// A vertical rectangle that stands on the ground, seen from both sides. x to the east, z to the
/// north, metres.
struct Wall {
  float x0 = 0;
  float z0 = 0;
  float x1 = 0;
  float z1 = 0;
  float height = 0;
  std::size_t texture = 0;
};

/// The demo world: two rows of blocks along a 2 x 3 grid of streets, closed by houses all around.
struct City {
  std::vector<Wall> walls;
  std::vector<Texture> textures;
  Texture ground;
  GroundPlan plan;
  DemoWeather weather = DemoWeather::day;
};

/// The same city for the same seed. A quarter of the houses are lookalikes of others, some of them
/// exact copies. At dusk there is light behind windows.
City build_city(std::uint32_t seed, DemoWeather weather);

/// How the world is lit at a point of the route.
struct Light {
  float gain = 1;      ///< of the whole image
  float contrast = 1;  ///< around mid grey
  float sun_x = 0;     ///< how much brighter walls are that face east or west
  float sun_z = 0;     ///< how much brighter walls are that face north or south
};

/// One point of the route.
struct Station {
  float x = 0;
  float z = 0;
  float heading_x = 0;  ///< unit vector of the viewing direction
  float heading_z = 1;
  Light light;
};

/// The route, `frames` stations at equal steps. It goes around a block, comes back to it with a
/// sideways offset and in another light, leaves to where lookalikes stand, and ends in streets it
/// knows from the other direction. With `home` it then goes on through the latest streets once more
/// and back into the first block.
std::vector<Station> plan_route(std::size_t frames, bool home = false);

/// Metres of the camera above the ground.
inline constexpr float kEyeHeight = 1.6F;

Pose pose_of(const Station& station);

}  // namespace looptree::detail

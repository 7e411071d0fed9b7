// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/detail/world/texture.hpp"
#include "looptree/features/image.hpp"

namespace looptree::detail {

/// Where the surface is that a pixel shows.
struct SeenPoint {
  float x = 0;  ///< in the world, metres
  float z = 0;
  float height = 0;  ///< above the ground
  float depth = 0;   ///< along the viewing direction
};

/// What weather makes of the greys of a clear day. Whole numbers and plain products of floats only,
/// so that every machine renders the same.
class Weather {
 public:
  Weather(DemoWeather kind, const GroundPlan& plan) : kind_(kind), plan_(plan) {}

  /// Of a wall: its texture's grey, and what the sun makes of that by day.
  float wall(float texture, float sunlit, const SeenPoint& at) const;
  float ground(float grey, const SeenPoint& at) const;
  /// `down`: 0 at the top of the image, 1 at its bottom.
  float sky(float down) const;
  /// How much a sensor's grain is amplified.
  float grain() const { return kind_ == DemoWeather::dusk ? 3.0F : 1.0F; }
  /// What falls through the air or hangs on the glass of image number `frame`.
  void finish(Image& image, std::uint32_t frame) const;

 private:
  float lamps(const SeenPoint& at) const;
  float hazy(float grey, float depth) const;

  DemoWeather kind_;
  const GroundPlan& plan_;
};

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "looptree/features/image.hpp"

namespace looptree::detail {

/// Well-mixed bits of a few numbers: the source of all chance in the demo world. Whole numbers
/// only, so that every machine draws the same.
std::uint32_t hash(std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
/// The same as a number in [0, 1).
float chance(std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);

/// A picture with its smaller copies, for sampling without aliasing at any distance.
class Texture {
 public:
  Texture() = default;
  /// Pixels are taken over; each level halves the one before, down to one pixel.
  explicit Texture(Image finest);

  /// The grey value at (x, y) of the finest level, blended over `footprint` >= 1 of its pixels;
  /// beyond the edges the edge goes on.
  float sample(float x, float y, float footprint) const;

  int width() const { return levels_.front().width; }
  int height() const { return levels_.front().height; }

 private:
  std::vector<Image> levels_;
};

/// Pixels per metre of facades and of the ground.
inline constexpr float kWallDetail = 32;
inline constexpr float kGroundDetail = 16;

/// What a facade is made of. Facades with one style and another detail are lookalikes: the same
/// windows, doors and colours, but other bricks, curtains, signs and stains.
struct FacadeLook {
  float width_m = 8;
  float height_m = 9;
  std::uint32_t style = 0;
  std::uint32_t detail = 0;
  /// With lamps on behind some windows. The texture then has what the facade reflects at half its
  /// value, and what shines at 128 and half its brightness.
  bool is_lit = false;
};
Texture make_facade(const FacadeLook& look);

/// The side of a van, a kiosk or a pillar: large shapes and posters. At dusk with the values of
/// FacadeLook::is_lit, though nothing shines.
Texture make_box_side(float width_m, float height_m, std::uint32_t seed, bool is_dusk);

/// Asphalt, pavements, markings and repairs of the whole world. Streets run along the given centre
/// lines; the texture's (0, 0) lies at (origin_x, origin_z) and y grows to the north.
struct GroundPlan {
  float origin_x = 0;
  float origin_z = 0;
  float size_x = 0;
  float size_z = 0;
  float street_width = 0;
  std::vector<float> streets_x;  ///< centre lines of the streets that run north
  std::vector<float> streets_z;  ///< centre lines of the streets that run east
};
Texture make_ground(const GroundPlan& plan, std::uint32_t seed);

}  // namespace looptree::detail

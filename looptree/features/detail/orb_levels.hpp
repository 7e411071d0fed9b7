// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/image_view.hpp"
#include "looptree/features/orb.hpp"

namespace looptree::detail {

inline constexpr int kOrbLevels = 8;
inline constexpr float kOrbScale = 1.2F;
/// Side of the patch that a keypoint is turned and described by, and the distance that keypoints
/// keep from the border, as in ORB.
inline constexpr int kOrbPatch = 31;
inline constexpr int kOrbRadius = kOrbPatch / 2;
inline constexpr int kOrbBorder = 31;
/// Pixels along the border that no descriptor reads: a turned comparison reaches 18 pixels far.
inline constexpr int kOrbUnread = kOrbBorder - 19;
/// Corners of a cell that are compared by Harris' score: those with the highest FAST scores, twice
/// what an even spread takes from it.
inline constexpr std::size_t kCornersPerCell = 8;
/// Images narrower or lower have no features.
inline constexpr int kOrbSmallestSide = 64;

struct OrbLevel {
  int width;
  int height;
  float scale;       ///< pixels of the image per pixel of the level
  double share_end;  ///< part of the budget that this level and those before it may use, together
};

/// The levels that have room for keypoints; none for an image that is too small.
std::vector<OrbLevel> orb_levels(int width, int height);

/// How many keypoints a level may have, when those before it took `taken`.
std::size_t level_budget(const OrbLevel& level, std::size_t max_features, std::size_t taken);

/// The part of a level in which keypoints lie, cut into cells of about four keypoints each.
struct CellGrid {
  CellGrid(const OrbLevel& level, std::size_t budget);

  int column_begin(int column) const { return kOrbBorder + part(column, width, columns); }
  int row_begin(int row) const { return kOrbBorder + part(row, height, rows); }

  int width;   ///< of the part with keypoints
  int height;  ///< of the part with keypoints
  int columns;
  int rows;

 private:
  static int part(int i, int length, int parts) {
    return static_cast<int>(static_cast<std::int64_t>(length) * i / parts);
  }
};

/// Half the width of the disk of an orientation, `row` rows above or below its centre.
int disk_half_width(int row);

/// Throws Error(invalid_argument) for options out of range.
void check(const OrbOptions& options);
/// Throws Error(invalid_argument) for an empty image.
void check(const ImageView& image);

/// Keypoint of a corner at (x, y) of a level; the score is Harris'.
Keypoint level_keypoint(const OrbLevel& level, int octave, int x, int y, std::int64_t score,
                        float angle);

}  // namespace looptree::detail

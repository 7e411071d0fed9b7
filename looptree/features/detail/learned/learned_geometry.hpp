// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/features/features.hpp"
#include "looptree/features/image_view.hpp"
#include "looptree/features/learned.hpp"

namespace looptree::detail {

/// The network sees at most this many pixels; larger images are made smaller.
inline constexpr int kLearnedMostPixels = 640 * 768;
/// The coarsest map has a cell for as many pixels, each way; contrast is measured over such cells.
inline constexpr int kLearnedCell = 32;
/// Pixels per cell of the map that keypoints and descriptors come from.
inline constexpr int kFineCell = 8;
/// Keypoints keep this distance from the border.
inline constexpr int kLearnedBorder = 8;
/// Images narrower or lower have no features, nor have those that are so once made smaller.
inline constexpr int kLearnedSmallestSide = 64;
inline constexpr int kLearnedSmallestReduced = 32;
/// Scores are in such parts of a logit.
inline constexpr float kScoreUnit = 1.0F / 256.0F;
/// What an input of 0 is to the network.
inline constexpr int kInputZero = 64;

/// How an image becomes what the network sees.
struct LearnedGeometry {
  int halvings = 0;  ///< times that four pixels become one, before the rest of the way
  int halved_width = 0;
  int halved_height = 0;
  int width = 0;  ///< of what the network sees; 0 where there is nothing for it to see
  int height = 0;
  int padded_width = 0;  ///< up to whole cells
  int padded_height = 0;
  float scale_x = 1;  ///< pixels of the image per pixel
  float scale_y = 1;
};
LearnedGeometry learned_geometry(int width, int height);

/// A weighted mean of two neighbours, clamped to what there is: `first` and the one behind it.
struct Blend {
  int first;
  int second;
  int to_second;  ///< weight of the second; that of the first is the rest
};
/// Between the middles of cells of `cell` pixels, of which there are `cells`, at a pixel; weights
/// add up to 2 x cell.
Blend blend_of_cells(int pixel, int cell, int cells);

/// The mean brightness around a cell, in 16ths of a grey level, and how much deviations from it are
/// to be made larger, in 4096ths.
struct CellContrast {
  std::int32_t mean;
  std::int32_t gain;
};
/// From the number of pixels, their sum and the sum of their squares.
CellContrast cell_contrast(std::int64_t count, std::int64_t sum, std::int64_t squares);

/// Where a parabola through three scores, the middle one the largest, has its top: -0.5 to 0.5.
float parabola_top(int before, int middle, int after);

/// A coordinate of a keypoint in the grid of the fine map, in 64ths of a cell, within the grid.
int grid_place(float at, int cells);

/// The keypoint in the image of one in what the network saw.
Keypoint image_keypoint(const LearnedGeometry& geometry, Keypoint seen);

/// Throws Error(invalid_argument) for options out of range.
void check(const LearnedOptions& options);

}  // namespace looptree::detail

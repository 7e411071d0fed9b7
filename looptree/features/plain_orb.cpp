// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// ORB pixel by pixel: what OrbExtractor must give, written to be read.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/features/detail/orb/blur.hpp"
#include "looptree/features/detail/orb/harris.hpp"
#include "looptree/features/detail/orb/orb_angle.hpp"
#include "looptree/features/detail/orb/orb_pattern.hpp"
#include "looptree/features/detail/orb_levels.hpp"
#include "looptree/features/detail/resize.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/orb.hpp"

namespace looptree {
namespace {

using namespace detail;

struct PlainCorner {
  int x;
  int y;
  int fast;
  std::int64_t harris;
};

/// The largest threshold at which nine neighbours on the ring are all brighter, or all darker, than
/// the centre by more than it; -1 where there is none.
int fast_score(const Image& image, int x, int y) {
  static constexpr std::array<std::array<int, 2>, 16> kRing{{{0, 3},
                                                             {1, 3},
                                                             {2, 2},
                                                             {3, 1},
                                                             {3, 0},
                                                             {3, -1},
                                                             {2, -2},
                                                             {1, -3},
                                                             {0, -3},
                                                             {-1, -3},
                                                             {-2, -2},
                                                             {-3, -1},
                                                             {-3, 0},
                                                             {-3, 1},
                                                             {-2, 2},
                                                             {-1, 3}}};
  int best = 0;
  for (const int sign : {1, -1}) {
    for (std::size_t start = 0; start < 16; ++start) {
      int least = 256;
      for (std::size_t i = start; i < start + 9; ++i) {
        const auto& [dx, dy] = kRing[i % 16];
        least = std::min(least, sign * (image.row(y + dy)[x + dx] - image.row(y)[x]));
      }
      best = std::max(best, least);
    }
  }
  return best - 1;
}

/// Sobel's derivatives over the 7 x 7 pixels around a corner, squared and summed.
std::int64_t plain_harris(const Image& image, int x, int y) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  for (int v = y - 3; v <= y + 3; ++v) {
    for (int u = x - 3; u <= x + 3; ++u) {
      const auto at = [&](int dx, int dy) { return static_cast<int>(image.row(v + dy)[u + dx]); };
      const int ix =
          (at(1, -1) + 2 * at(1, 0) + at(1, 1)) - (at(-1, -1) + 2 * at(-1, 0) + at(-1, 1));
      const int iy =
          (at(-1, 1) + 2 * at(0, 1) + at(1, 1)) - (at(-1, -1) + 2 * at(0, -1) + at(1, -1));
      a += ix * ix;
      b += iy * iy;
      c += ix * iy;
    }
  }
  return harris_of(a, b, c);
}

/// Corners that score more than their eight neighbours, row by row.
std::vector<PlainCorner> corners_of(const Image& image, int threshold) {
  std::vector<PlainCorner> corners;
  const auto score = [&](int x, int y) {
    const int value = fast_score(image, x, y);
    return value >= threshold ? value : 0;
  };
  for (int y = kOrbBorder; y < image.height - kOrbBorder; ++y) {
    for (int x = kOrbBorder; x < image.width - kOrbBorder; ++x) {
      const int own = score(x, y);
      bool peak = own > 0;
      for (int dy = -1; dy <= 1 && peak; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if ((dx != 0 || dy != 0) && score(x + dx, y + dy) >= own) peak = false;
        }
      }
      if (peak) corners.push_back({x, y, own, plain_harris(image, x, y)});
    }
  }
  return corners;
}

bool before(const PlainCorner& a, const PlainCorner& b) {
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

bool stronger(const PlainCorner& a, const PlainCorner& b) {
  return a.fast != b.fast ? a.fast > b.fast : before(a, b);
}

bool better(const PlainCorner& a, const PlainCorner& b) {
  return a.harris != b.harris ? a.harris > b.harris : before(a, b);
}

/// The corners of every cell, strongest by FAST first.
std::vector<std::vector<PlainCorner>> cells_of(const std::vector<PlainCorner>& corners,
                                               const CellGrid& grid) {
  std::vector<std::vector<PlainCorner>> cells;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      auto& cell = cells.emplace_back();
      for (const PlainCorner& corner : corners) {
        if (corner.x >= grid.column_begin(column) && corner.x < grid.column_begin(column + 1) &&
            corner.y >= grid.row_begin(row) && corner.y < grid.row_begin(row + 1)) {
          cell.push_back(corner);
        }
      }
      std::sort(cell.begin(), cell.end(), stronger);
    }
  }
  return cells;
}

/// At most `budget` corners: the best of every cell by Harris, then the second of every cell, ...
/// A cell enters its strongest few by FAST, or all it has if those do not fill the budget.
std::vector<PlainCorner> spread(const std::vector<PlainCorner>& corners, const CellGrid& grid,
                                std::size_t budget) {
  auto cells = cells_of(corners, grid);
  std::size_t few = 0;
  for (const auto& cell : cells) few += std::min(cell.size(), kCornersPerCell);
  for (auto& cell : cells) {
    if (few >= budget) cell.resize(std::min(cell.size(), kCornersPerCell));
    std::sort(cell.begin(), cell.end(), better);
  }
  std::vector<PlainCorner> kept;
  const std::size_t count = std::min(budget, few >= budget ? few : corners.size());
  for (std::size_t rank = 0; kept.size() < count; ++rank) {
    std::vector<PlainCorner> round;
    for (const auto& cell : cells) {
      if (rank < cell.size()) round.push_back(cell[rank]);
    }
    std::sort(round.begin(), round.end(), better);
    round.resize(std::min(round.size(), budget - kept.size()));
    kept.insert(kept.end(), round.begin(), round.end());
  }
  std::sort(kept.begin(), kept.end(), before);
  return kept;
}

float angle_of(const Image& image, int x, int y) {
  int moment_x = 0;
  int moment_y = 0;
  for (int v = -kOrbRadius; v <= kOrbRadius; ++v) {
    for (int u = -disk_half_width(v); u <= disk_half_width(v); ++u) {
      moment_x += u * image.row(y + v)[x + u];
      moment_y += v * image.row(y + v)[x + u];
    }
  }
  return centroid_angle(moment_y, moment_x);
}

/// The 256 comparisons around (x, y) of the blurred level, turned by the angle.
std::array<std::uint8_t, kOrbBits / 8> describe(const Image& image, int x, int y, float angle) {
  const auto [cosine, sine] = rotation_of(angle);
  const auto turned = [&, c = cosine, s = sine](float px, float py) {
    const auto dx = std::lrint(px * c - py * s);
    const auto dy = std::lrint(px * s + py * c);
    return blurred_pixel(image, x + static_cast<int>(dx), y + static_cast<int>(dy));
  };
  std::array<std::uint8_t, kOrbBits / 8> bits{};
  for (std::size_t i = 0; i < kOrbBits; ++i) {
    const OrbComparison& c = kOrbPattern[i];
    if (turned(c.x1, c.y1) < turned(c.x2, c.y2))
      bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  }
  return bits;
}

}  // namespace

Features plain_orb(ImageView image, const OrbOptions& options) {
  check(options);
  check(image);
  Features features;
  features.width = image.width;
  features.height = image.height;
  Image pixels(image.width, image.height);
  for (int y = 0; y < image.height; ++y) std::copy_n(image.row(y), image.width, pixels.row(y));
  int octave = 0;
  for (const OrbLevel& level : orb_levels(image.width, image.height)) {
    if (octave > 0) pixels = resized(pixels, level.width, level.height);
    const std::size_t budget = level_budget(level, options.max_features, features.size());
    const auto corners = corners_of(pixels, options.fast_threshold);
    for (const auto& [x, y, fast, harris] : spread(corners, CellGrid(level, budget), budget)) {
      const float angle = angle_of(pixels, x, y);
      features.keypoints.push_back(level_keypoint(level, octave, x, y, harris, angle));
      for (const std::uint8_t byte : describe(pixels, x, y, angle)) {
        features.descriptors.bytes.push_back(byte);
      }
    }
    ++octave;
  }
  return features;
}

}  // namespace looptree

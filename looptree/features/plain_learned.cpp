// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The learned features, sum by sum: what LearnedExtractor must give, written to be read.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/balance.hpp"
#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/detail/learned/network.hpp"
#include "looptree/features/detail/orb_levels.hpp"
#include "looptree/features/detail/resize.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/learned.hpp"

namespace looptree {
namespace {

using namespace detail;

/// Channels of every cell of a grid; what lies beside the grid is `outside`.
struct Map {
  Map(int columns, int rows, int depth, int beyond = 0)
      : width(columns),
        height(rows),
        channels(depth),
        outside(beyond),
        values(static_cast<std::size_t>(columns) * rows * depth) {}

  std::uint8_t& at(int x, int y, int c) {
    return values[(static_cast<std::size_t>(y) * width + x) * channels + c];
  }
  int get(int x, int y, int c) const {
    if (x < 0 || y < 0 || x >= width || y >= height) return outside;
    return values[(static_cast<std::size_t>(y) * width + x) * channels + c];
  }

  int width;
  int height;
  int channels;
  int outside;
  std::vector<std::uint8_t> values;
};

Image copy_of(const ImageView& view) {
  Image image(view.width, view.height);
  for (int y = 0; y < view.height; ++y) std::copy_n(view.row(y), view.width, image.row(y));
  return image;
}

Image halved(const Image& from) {
  Image to(from.width / 2, from.height / 2);
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const std::uint8_t* above = from.row(2 * y) + std::ptrdiff_t{2} * x;
      const std::uint8_t* below = from.row(2 * y + 1) + std::ptrdiff_t{2} * x;
      to.row(y)[x] = static_cast<std::uint8_t>((above[0] + above[1] + below[0] + below[1] + 2) / 4);
    }
  }
  return to;
}

/// What the network sees: smaller if it must be, then up to whole cells, its last pixels repeated.
Image seen(const ImageView& view, const LearnedGeometry& g) {
  Image image = copy_of(view);
  for (int i = 0; i < g.halvings; ++i) image = halved(image);
  if (image.width != g.width || image.height != g.height) image = resized(image, g.width, g.height);
  Image padded(g.padded_width, g.padded_height);
  for (int y = 0; y < padded.height; ++y) {
    for (int x = 0; x < padded.width; ++x) {
      padded.row(y)[x] = image.row(std::min(y, g.height - 1))[std::min(x, g.width - 1)];
    }
  }
  return padded;
}

/// Contrast around the cell in column `cx` and row `cy`: over it and its eight neighbours.
CellContrast contrast_around(const Image& image, int cx, int cy) {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (int y = std::max(0, (cy - 1) * kLearnedCell);
       y < std::min(image.height, (cy + 2) * kLearnedCell); ++y) {
    for (int x = std::max(0, (cx - 1) * kLearnedCell);
         x < std::min(image.width, (cx + 2) * kLearnedCell); ++x) {
      const int pixel = image.row(y)[x];
      ++count;
      sum += pixel;
      squares += std::int64_t{pixel} * pixel;
    }
  }
  return cell_contrast(count, sum, squares);
}

/// The image with its local contrast made even: the input of the network.
Map normalised(const Image& image) {
  const int columns = image.width / kLearnedCell;
  const int rows = image.height / kLearnedCell;
  std::vector<CellContrast> cells;
  for (int cy = 0; cy < rows; ++cy) {
    for (int cx = 0; cx < columns; ++cx) cells.push_back(contrast_around(image, cx, cy));
  }
  Map map(image.width, image.height, 1, kInputZero);
  for (int y = 0; y < image.height; ++y) {
    const Blend v = blend_of_cells(y, kLearnedCell, rows);
    for (int x = 0; x < image.width; ++x) {
      const Blend h = blend_of_cells(x, kLearnedCell, columns);
      const auto between = [&](std::int32_t CellContrast::*part) {
        const auto at = [&](int row, int column) { return cells[row * columns + column].*part; };
        const int whole = 2 * kLearnedCell;
        const std::int32_t sum =
            (at(v.first, h.first) * (whole - h.to_second) + at(v.first, h.second) * h.to_second) *
                (whole - v.to_second) +
            (at(v.second, h.first) * (whole - h.to_second) + at(v.second, h.second) * h.to_second) *
                v.to_second;
        return (sum + (1 << 11)) >> 12;
      };
      const std::int32_t deviation = 16 * image.row(y)[x] - between(&CellContrast::mean);
      const std::int32_t steps = (deviation * between(&CellContrast::gain) + (1 << 15)) >> 16;
      map.at(x, y, 0) = static_cast<std::uint8_t>(std::clamp(kInputZero + steps, 0, kMostActive));
    }
  }
  return map;
}

/// The sum of a layer for one cell and channel of its output.
std::int32_t sum_at(const NetworkLayer& layer, const Map& input, int x, int y, int out) {
  std::int32_t sum = layer.bias[static_cast<std::size_t>(out)];
  const std::int8_t* weight =
      layer.weights.data() + static_cast<std::size_t>(out) * layer.kernel * layer.kernel * layer.in;
  for (int ky = 0; ky < layer.kernel; ++ky) {
    for (int kx = 0; kx < layer.kernel; ++kx) {
      for (int c = 0; c < layer.in; ++c) {
        sum += *weight++ * input.get(x * layer.stride + kx - layer.kernel / 2,
                                     y * layer.stride + ky - layer.kernel / 2, c);
      }
    }
  }
  return sum;
}

int scaled(std::int32_t sum, float scale, int least, int most) {
  const float value = static_cast<float>(sum) * scale;
  return static_cast<int>(
      std::lrint(std::clamp(value, static_cast<float>(least), static_cast<float>(most))));
}

Map convolved(const NetworkLayer& layer, const Map& input) {
  Map output(input.width / layer.stride, input.height / layer.stride, layer.out);
  for (int y = 0; y < output.height; ++y) {
    for (int x = 0; x < output.width; ++x) {
      for (int c = 0; c < layer.out; ++c) {
        output.at(x, y, c) = static_cast<std::uint8_t>(
            scaled(sum_at(layer, input, x, y, c), layer.scale[static_cast<std::size_t>(c)], 0,
                   kMostActive));
      }
    }
  }
  return output;
}

/// A value of a map `times` coarser than the grid of (x, y), between the middles of its cells.
int magnified(const Map& map, int times, int x, int y, int c) {
  const Blend h = blend_of_cells(x, times, map.width);
  const Blend v = blend_of_cells(y, times, map.height);
  const int whole = 2 * times;
  const auto across = [&](int row) {
    return map.get(h.first, row, c) * (whole - h.to_second) +
           map.get(h.second, row, c) * h.to_second;
  };
  const int sum = across(v.first) * (whole - v.to_second) + across(v.second) * v.to_second;
  return (sum + whole * whole / 2) / (whole * whole);
}

Map sum_of_scales(const Map& b, const Map& c, const Map& d) {
  Map sum(b.width, b.height, b.channels);
  for (int y = 0; y < b.height; ++y) {
    for (int x = 0; x < b.width; ++x) {
      for (int i = 0; i < b.channels; ++i) {
        const int value = b.get(x, y, i) + magnified(c, 2, x, y, i) + magnified(d, 4, x, y, i);
        sum.at(x, y, i) = static_cast<std::uint8_t>(std::min(value, kMostActive));
      }
    }
  }
  return sum;
}

/// The channels of four cells of `a` that make one of `f`, row by row, then those of `f`.
Map with_detail(const Map& a, const Map& f) {
  Map joined(f.width, f.height, 4 * a.channels + f.channels);
  for (int y = 0; y < f.height; ++y) {
    for (int x = 0; x < f.width; ++x) {
      int to = 0;
      for (int part = 0; part < 4; ++part) {
        for (int c = 0; c < a.channels; ++c) {
          joined.at(x, y, to++) =
              static_cast<std::uint8_t>(a.get(2 * x + part % 2, 2 * y + part / 2, c));
        }
      }
      for (int c = 0; c < f.channels; ++c) {
        joined.at(x, y, to++) = static_cast<std::uint8_t>(f.get(x, y, c));
      }
    }
  }
  return joined;
}

/// Scores of all pixels.
struct Scores {
  int width;
  int height;
  std::vector<int> values;
  int at(int x, int y) const { return values[static_cast<std::size_t>(y) * width + x]; }
};

Scores scores_of(const Network& net, const Map& a3, const Map& f) {
  const Map hidden = convolved(net[kK1a], with_detail(a3, f));
  Scores scores{f.width * kFineCell, f.height * kFineCell, {}};
  for (int y = 0; y < scores.height; ++y) {
    for (int x = 0; x < scores.width; ++x) {
      const int channel = kFineCell * (y % kFineCell) + x % kFineCell;
      const std::int32_t sum = sum_at(net[kK1b], hidden, x / kFineCell, y / kFineCell, channel);
      scores.values.push_back(scaled(sum, net.score_scale, -32768, 32767));
    }
  }
  return scores;
}

/// Whether no score within two pixels is larger, nor as large and before it.
bool is_peak(const Scores& scores, int x, int y) {
  const int own = scores.at(x, y);
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const bool before = dy < 0 || (dy == 0 && dx < 0);
      const int other = scores.at(x + dx, y + dy);
      if (other > own || (before && other == own)) return false;
    }
  }
  return true;
}

std::vector<Keypoint> peaks_of(const Scores& scores, const LearnedGeometry& g, int threshold) {
  std::vector<Keypoint> points;
  for (int y = kLearnedBorder; y < g.height - kLearnedBorder; ++y) {
    for (int x = kLearnedBorder; x < g.width - kLearnedBorder; ++x) {
      const int own = scores.at(x, y);
      if (own <= threshold || !is_peak(scores, x, y)) continue;
      Keypoint point;
      point.x = static_cast<float>(x) + parabola_top(scores.at(x - 1, y), own, scores.at(x + 1, y));
      point.y = static_cast<float>(y) + parabola_top(scores.at(x, y - 1), own, scores.at(x, y + 1));
      point.size = 2 * kFineCell;
      point.response = static_cast<float>(own) * kScoreUnit;
      points.push_back(point);
    }
  }
  return points;
}

/// Channels of the fine map at a keypoint, between the middles of its cells.
Map sampled(const Map& f, const Keypoint& point) {
  const int gx = grid_place(point.x, f.width);
  const int gy = grid_place(point.y, f.height);
  const int x = gx / 64;
  const int y = gy / 64;
  const int right = std::min(x + 1, f.width - 1);
  const int below = std::min(y + 1, f.height - 1);
  Map sample(1, 1, f.channels);
  for (int c = 0; c < f.channels; ++c) {
    const int above = f.get(x, y, c) * (64 - gx % 64) + f.get(right, y, c) * (gx % 64);
    const int under = f.get(x, below, c) * (64 - gx % 64) + f.get(right, below, c) * (gx % 64);
    sample.at(0, 0, c) =
        static_cast<std::uint8_t>((above * (64 - gy % 64) + under * (gy % 64) + (1 << 11)) >> 12);
  }
  return sample;
}

std::array<std::uint8_t, kLearnedBits / 8> describe(const NetworkLayer& layer, const Map& sample) {
  std::array<std::uint8_t, kLearnedBits / 8> bits{};
  for (int i = 0; i < kLearnedBits; ++i) {
    if (sum_at(layer, sample, 0, 0, i) >= 0) {
      bits[static_cast<std::size_t>(i) / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
  }
  return bits;
}

}  // namespace

Features plain_learned(ImageView image, const LearnedOptions& options) {
  check(options);
  check(image);
  const Network net = read_network(options.network);
  Features features;
  features.width = image.width;
  features.height = image.height;
  const LearnedGeometry g = learned_geometry(image.width, image.height);
  if (g.width == 0) return features;

  const Map input = normalised(seen(image, g));
  const Map a3 = convolved(net[kA3], convolved(net[kA2], convolved(net[kA1], input)));
  const Map b = convolved(net[kB2], convolved(net[kB1], a3));
  const Map c2 = convolved(net[kC2], convolved(net[kC1], b));
  const Map d3 = convolved(net[kD3], convolved(net[kD2], convolved(net[kD1], c2)));
  const Map sum = sum_of_scales(b, convolved(net[kCp], c2), convolved(net[kDp], d3));
  const Map f = convolved(net[kF], sum);

  const std::vector<Keypoint> points = peaks_of(scores_of(net, a3, f), g, net.threshold);
  for (const std::size_t i : balanced_subset(points, g.width, g.height, options.max_features)) {
    features.keypoints.push_back(image_keypoint(g, points[i]));
    for (const std::uint8_t byte : describe(net[kDesc], sampled(f, points[i]))) {
      features.descriptors.bytes.push_back(byte);
    }
  }
  return features;
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What the surfaces of the demo world look like. Everything is painted in metres onto a canvas and
// drawn from hash(), so that it comes out the same on every machine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "looptree/dataset/detail/world/texture.hpp"

namespace looptree::detail {
namespace {

/// Noise with a value at every lattice point and smooth blends between them; in [-1, 1].
float smooth_noise(float x, float y, std::uint32_t seed) {
  const float floor_x = std::floor(x);
  const float floor_y = std::floor(y);
  const auto ix = static_cast<std::uint32_t>(static_cast<std::int32_t>(floor_x));
  const auto iy = static_cast<std::uint32_t>(static_cast<std::int32_t>(floor_y));
  const auto ease = [](float t) { return t * t * (3 - 2 * t); };
  const float fx = ease(x - floor_x);
  const float fy = ease(y - floor_y);
  const float top = chance(ix, iy, seed) + (chance(ix + 1, iy, seed) - chance(ix, iy, seed)) * fx;
  const float low =
      chance(ix, iy + 1, seed) + (chance(ix + 1, iy + 1, seed) - chance(ix, iy + 1, seed)) * fx;
  return 2 * (top + (low - top) * fy) - 1;
}

/// Grey paint on a surface measured in metres; y runs down from the top edge.
class Canvas {
 public:
  Canvas(float width_m, float height_m, float detail)
      : detail_(detail),
        image_(std::max(1, static_cast<int>(width_m * detail)),
               std::max(1, static_cast<int>(height_m * detail))) {}

  /// Gives every pixel of a rectangle the value of `grey(x, y)`, metres, before -> after.
  template <typename Grey>
  void paint(float left, float top, float width, float height, Grey grey) {
    const int x0 = std::max(0, static_cast<int>(left * detail_));
    const int y0 = std::max(0, static_cast<int>(top * detail_));
    const int x1 = std::min(image_.width, static_cast<int>((left + width) * detail_));
    const int y1 = std::min(image_.height, static_cast<int>((top + height) * detail_));
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        std::uint8_t& pixel = image_.row(y)[x];
        const float value = grey((static_cast<float>(x) + 0.5F) / detail_,
                                 (static_cast<float>(y) + 0.5F) / detail_, pixel);
        pixel = static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
      }
    }
  }

  void fill(float left, float top, float width, float height, float grey) {
    paint(left, top, width, height, [&](float, float, std::uint8_t) { return grey; });
  }

  /// Stains at several scales over everything painted so far.
  void weather(float amount, std::uint32_t seed) {
    paint(0, 0, width(), height(), [&](float x, float y, std::uint8_t before) {
      const float stain = smooth_noise(x * 0.6F, y * 0.6F, seed) +
                          0.7F * smooth_noise(x * 2.3F, y * 2.3F, seed + 1) +
                          0.5F * smooth_noise(x * 8, y * 8, seed + 2);
      return static_cast<float>(before) + amount * stain;
    });
  }

  /// A window that shines at dusk, once shine() is called.
  void note_lamp(float left, float top, float width, float height, std::uint32_t seed) {
    lamps_.push_back({left, top, width, height, seed});
  }

  /// From what is reflected by day to what is reflected and what shines, as FacadeLook::is_lit
  /// says.
  void shine() {
    paint(0, 0, width(), height(),
          [](float, float, std::uint8_t day) { return static_cast<float>(day / 2); });
    for (const Lamp& lamp : lamps_) {
      const float brightness = 70 + 57 * chance(lamp.seed, 31);
      const float curtain = 0.3F + 0.6F * chance(lamp.seed, 32);
      paint(lamp.left, lamp.top, lamp.width, lamp.height,
            [&](float x, float y, std::uint8_t before) {
              const bool bar = std::abs(x - lamp.left - lamp.width / 2) < 0.05F ||
                               std::abs(y - lamp.top - lamp.height * 0.4F) < 0.05F;
              if (bar) return 0.3F * static_cast<float>(before);
              const float inside = 1 + 0.35F * smooth_noise(x * 3, y * 3, lamp.seed);
              const bool is_drawn = x - lamp.left > lamp.width * (1 - curtain);
              return 128 + brightness * inside * (is_drawn ? 0.6F : 0.95F);
            });
    }
  }

  float width() const { return static_cast<float>(image_.width) / detail_; }
  float height() const { return static_cast<float>(image_.height) / detail_; }
  Image take() { return std::move(image_); }

 private:
  struct Lamp {
    float left, top, width, height;
    std::uint32_t seed;
  };
  float detail_;
  Image image_;
  std::vector<Lamp> lamps_;
};

/// Rows of bricks, each of its own grey, half a brick shifted in every other row.
void lay_bricks(Canvas& canvas, float grey, float brick, std::uint32_t seed) {
  canvas.paint(0, 0, canvas.width(), canvas.height(), [&](float x, float y, std::uint8_t) {
    const float row = std::floor(y / brick);
    const auto r = static_cast<std::uint32_t>(row);
    const float shifted = x / (2 * brick) + (r % 2 == 0 ? 0.0F : 0.5F);
    const auto column = static_cast<std::uint32_t>(shifted);
    const bool joint = y - row * brick < 0.03F || shifted - std::floor(shifted) < 0.06F;
    const float tone = 44 * (chance(column, r, seed) - 0.5F);
    return grey + (joint ? -26.0F : tone);
  });
}

/// Blocks of letters: strokes on a 5 x 7 raster, each bit by chance.
void write_sign(Canvas& canvas, float left, float top, float width, float height,
                std::uint32_t seed) {
  const bool dark = chance(seed, 1) < 0.5F;
  const float ground = dark ? 30.0F + 40 * chance(seed, 2) : 190.0F + 50 * chance(seed, 2);
  const float ink = dark ? 215.0F : 25.0F;
  canvas.fill(left, top, width, height, ground);
  const float cell = height * 0.7F / 7;
  canvas.paint(left + cell, top + height * 0.15F, width - 2 * cell, height * 0.7F,
               [&](float x, float y, std::uint8_t before) {
                 const auto column = static_cast<std::uint32_t>((x - left) / cell);
                 const auto row = static_cast<std::uint32_t>((y - top) / cell);
                 const bool gap = column % 6 == 5;
                 return !gap && hash(column, row, seed) % 9 < 4 ? ink : static_cast<float>(before);
               });
}

/// Glass, frame, bars, and behind it a curtain or a dark room.
void put_window(Canvas& canvas, float left, float top, float width, float height, float frame_grey,
                std::uint32_t detail) {
  canvas.fill(left - 0.09F, top - 0.09F, width + 0.18F, height + 0.18F, frame_grey);
  const float glass = 25 + 90 * chance(detail, 1);
  const float curtain = 120 + 100 * chance(detail, 2);
  const float drawn = height * chance(detail, 3) * 0.9F;
  const float split = 0.25F + 0.5F * chance(detail, 4);
  if (chance(detail, 5) < 0.45F) canvas.note_lamp(left, top, width, height, detail);
  canvas.paint(left, top, width, height, [&](float x, float y, std::uint8_t) {
    const bool behind_curtain = y - top < drawn && x - left > width * split;
    const float slant = 18 * smooth_noise(x * 2 + y, y * 2, detail);  // a reflection
    return (behind_curtain ? curtain : glass) + slant;
  });
  canvas.fill(left + width / 2 - 0.03F, top, 0.06F, height, frame_grey);
  canvas.fill(left, top + height * 0.4F, width, 0.06F, frame_grey);
  canvas.fill(left - 0.14F, top + height + 0.09F, width + 0.28F, 0.1F, frame_grey * 0.7F);  // sill
}

struct FacadeStyle {
  explicit FacadeStyle(const FacadeLook& look)
      : grey(80 + 110 * chance(look.style, 1)),
        brick(0.14F + 0.16F * chance(look.style, 2)),
        pitch(1.7F + 1.2F * chance(look.style, 3)),
        window_width(0.8F + 0.7F * chance(look.style, 4)),
        window_height(1.2F + 0.6F * chance(look.style, 5)),
        frame(chance(look.style, 6) < 0.6F ? 225.0F : 40.0F),
        storey(2.7F + 0.6F * chance(look.style, 7)),
        has_shop(chance(look.style, 8) < 0.55F) {}

  float grey;
  float brick;
  float pitch;  ///< metres from one window to the next
  float window_width;
  float window_height;
  float frame;
  float storey;
  bool has_shop;
};

void put_upper_floors(Canvas& canvas, const FacadeStyle& style, std::uint32_t detail) {
  const int columns = std::max(1, static_cast<int>((canvas.width() - 0.6F) / style.pitch));
  const float margin = (canvas.width() - static_cast<float>(columns) * style.pitch) / 2;
  std::uint32_t number = 0;
  float sill = canvas.height() - style.storey - 1;
  while (sill > style.window_height + 0.4F) {
    for (int c = 0; c < columns; ++c) {
      const float left =
          margin + (static_cast<float>(c) + 0.5F) * style.pitch - style.window_width / 2;
      put_window(canvas, left, sill - style.window_height, style.window_width, style.window_height,
                 style.frame, hash(detail, ++number));
    }
    sill -= style.storey;
  }
}

void put_ground_floor(Canvas& canvas, const FacadeStyle& style, std::uint32_t detail) {
  const float floor = canvas.height();
  const float door = 0.5F + chance(detail, 11) * std::max(0.1F, canvas.width() - 2.2F);
  if (style.has_shop) {
    write_sign(canvas, 0.3F, floor - style.storey - 0.25F, canvas.width() - 0.6F, 0.62F,
               hash(detail, 12));
    for (float left = 0.4F; left + 1.6F < canvas.width(); left += 1.9F) {
      const auto pane = hash(detail, 13, static_cast<std::uint32_t>(left * 10));
      put_window(canvas, left, floor - 2.2F, 1.5F, 1.6F, style.frame, pane);
      write_sign(canvas, left + 0.2F + 0.5F * chance(pane, 1), floor - 1.5F, 0.7F, 0.4F, pane);
    }
  } else {
    for (float left = 0.7F; left + style.window_width < canvas.width(); left += style.pitch) {
      put_window(canvas, left, floor - 2.1F, style.window_width, 1.1F, style.frame,
                 hash(detail, 14, static_cast<std::uint32_t>(left * 10)));
    }
    write_sign(canvas, door + 1.1F, floor - 1.9F, 0.5F, 0.3F, hash(detail, 15));
  }
  const float wood = 35 + 120 * chance(detail, 16);
  canvas.fill(door - 0.1F, floor - 2.3F, 1.2F, 2.3F, style.frame);
  canvas.paint(door, floor - 2.2F, 1, 2.2F, [&](float x, float y, std::uint8_t) {
    return wood + 30 * smooth_noise(x * 6, y * 1.5F, detail);
  });
  canvas.fill(0, floor - 0.35F, canvas.width(), 0.1F, style.grey * 0.5F);  // plinth
}

}  // namespace

Texture make_facade(const FacadeLook& look) {
  Canvas canvas(look.width_m, look.height_m, kWallDetail);
  const FacadeStyle style(look);
  lay_bricks(canvas, style.grey, style.brick, look.detail);
  canvas.weather(9, hash(look.detail, 21));
  put_upper_floors(canvas, style, look.detail);
  put_ground_floor(canvas, style, look.detail);
  canvas.fill(0, 0, canvas.width(), 0.3F, style.grey * 1.2F);  // cornice
  canvas.fill(0, 0.3F, canvas.width(), 0.08F, style.grey * 0.4F);
  canvas.weather(5, hash(look.detail, 22));
  if (look.is_lit) canvas.shine();
  return Texture(canvas.take());
}

Texture make_box_side(float width_m, float height_m, std::uint32_t seed, bool is_dusk) {
  Canvas canvas(width_m, height_m, kWallDetail);
  const float grey = 50 + 150 * chance(seed, 1);
  canvas.fill(0, 0, width_m, height_m, grey);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const float left = width_m * chance(seed, 2, i) * 0.8F;
    const float top = height_m * chance(seed, 3, i) * 0.8F;
    const float width = width_m * (0.15F + 0.3F * chance(seed, 4, i));
    if (i % 2 == 0) {
      canvas.fill(left, top, width, height_m * 0.25F, 255 * chance(seed, 5, i));
    } else {
      write_sign(canvas, left, top, std::max(width, 0.5F), 0.35F, hash(seed, 6, i));
    }
  }
  canvas.weather(6, hash(seed, 7));
  if (is_dusk) canvas.shine();
  return Texture(canvas.take());
}

Texture make_ground(const GroundPlan& plan, std::uint32_t seed) {
  Canvas canvas(plan.size_x, plan.size_z, kGroundDetail);
  const float half = plan.street_width / 2;
  const float curb = half - 2;  // pavements are 2 m wide
  const auto offset_from = [](const std::vector<float>& lines, float at) {
    float best = 1e9F;
    for (const float line : lines) best = std::min(best, std::abs(at - line));
    return best;
  };
  canvas.paint(0, 0, plan.size_x, plan.size_z, [&](float u, float v, std::uint8_t) {
    const float dx = offset_from(plan.streets_x, plan.origin_x + u);
    const float dz = offset_from(plan.streets_z, plan.origin_z + v);
    const float side = std::min(dx, dz);
    const auto fine = static_cast<std::uint32_t>(u * 16);
    const auto finer = static_cast<std::uint32_t>(v * 16);
    const float grain = 26 * (chance(fine, finer, seed) - 0.5F);
    if (side > curb) {  // slabs
      const auto slab_x = static_cast<std::uint32_t>(u / 0.75F);
      const auto slab_z = static_cast<std::uint32_t>(v / 0.75F);
      const bool joint = u - 0.75F * static_cast<float>(slab_x) < 0.07F ||
                         v - 0.75F * static_cast<float>(slab_z) < 0.07F;
      return joint ? 70.0F : 125 + 50 * chance(slab_x, slab_z, seed + 1) + 0.4F * grain;
    }
    const bool crossing = std::max(dx, dz) > curb + 0.5F && std::max(dx, dz) < curb + 3;
    const float across = dx < dz ? plan.origin_x + u : plan.origin_z + v;
    if (crossing && static_cast<std::int32_t>(std::floor(across * 1.25F)) % 2 == 0)
      return 205 + grain;
    const float along = dx < dz ? v : u;
    const bool dash = side < 0.09F && static_cast<std::uint32_t>(along / 1.5F) % 2 == 0;
    return (dash ? 200.0F : 88.0F) + grain;
  });
  // Repairs: rectangles of newer and older asphalt.
  const auto repairs = static_cast<std::uint32_t>(plan.size_x * plan.size_z / 12);
  for (std::uint32_t i = 0; i < repairs; ++i) {
    const float grey = 50 + 90 * chance(seed, 5, i);
    canvas.paint(plan.size_x * chance(seed, 6, i), plan.size_z * chance(seed, 7, i),
                 0.3F + 1.6F * chance(seed, 8, i), 0.3F + 1.6F * chance(seed, 9, i),
                 [&](float, float, std::uint8_t before) {
                   return 0.35F * static_cast<float>(before) + 0.65F * grey;
                 });
  }
  canvas.weather(8, seed + 40);
  return Texture(canvas.take());
}

}  // namespace looptree::detail

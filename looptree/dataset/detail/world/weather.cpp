// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/world/weather.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace looptree::detail {
namespace {

constexpr float kHaze = 168;      // grey of the air in rain
constexpr float kHazeDepth = 45;  // metres at which half of what one sees is air
constexpr float kLampPitch = 15;  // metres from one street lamp to the next
constexpr float kLampHeight = 5;
constexpr float kAmbient = 0.16F;  // of the day's light, at dusk
constexpr float kExposure = 1.5F;  // what the camera makes of the dusk
constexpr std::uint32_t kDrops = 26;
constexpr std::uint32_t kFramesOfDrops = 12;  // until others hang there

/// How far a point lies from the nearest lamp of a street along one axis, squared, in the plane.
float lamp_distance2(float along, float across) {
  const float off = along - kLampPitch * std::floor(along / kLampPitch + 0.5F);
  return off * off + across * across;
}

float nearest(const std::vector<float>& lines, float at) {
  float best = 1e9F;
  for (const float line : lines) best = std::min(best, std::abs(at - line));
  return best;
}

std::uint8_t to_pixel(float grey) {
  return static_cast<std::uint8_t>(std::clamp(grey + 0.5F, 0.0F, 255.0F));
}

/// Bright streaks that fall, each a few pixels wide and long.
void draw_streaks(Image& image, std::uint32_t frame) {
  const auto count = static_cast<std::uint32_t>(image.width * image.height / 700);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto x = static_cast<int>(chance(frame, i, 1) * static_cast<float>(image.width));
    const auto y = static_cast<int>(chance(frame, i, 2) * static_cast<float>(image.height));
    const int length = 6 + static_cast<int>(14 * chance(frame, i, 3));
    const float bright = 12 + 34 * chance(frame, i, 4);
    for (int k = 0; k < length && y + k < image.height; ++k) {
      std::uint8_t& pixel = image.row(y + k)[x];
      pixel = to_pixel(static_cast<float>(pixel) + bright);
    }
  }
}

/// A drop shows what is around it, smeared.
void draw_drop(Image& image, const Image& before, int cx, int cy, int radius) {
  const auto grey = [&](int x, int y) {
    return static_cast<int>(
        before.row(std::clamp(y, 0, before.height - 1))[std::clamp(x, 0, before.width - 1)]);
  };
  for (int y = std::max(0, cy - radius); y < std::min(image.height, cy + radius + 1); ++y) {
    for (int x = std::max(0, cx - radius); x < std::min(image.width, cx + radius + 1); ++x) {
      if ((x - cx) * (x - cx) + (y - cy) * (y - cy) > radius * radius) continue;
      int sum = 0;
      for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) sum += grey(x + dx * 4, y + dy * 4);
      }
      image.row(y)[x] = static_cast<std::uint8_t>(sum / 25);
    }
  }
}

void draw_drops(Image& image, std::uint32_t frame) {
  const Image before = image;
  const std::uint32_t seed = hash(frame / kFramesOfDrops, 77);
  for (std::uint32_t i = 0; i < kDrops; ++i) {
    const auto x = static_cast<int>(chance(seed, i, 1) * static_cast<float>(image.width));
    const auto y = static_cast<int>(chance(seed, i, 2) * static_cast<float>(image.height));
    const float part = 0.012F + 0.03F * chance(seed, i, 3);
    draw_drop(image, before, x, y, static_cast<int>(part * static_cast<float>(image.width)));
  }
}

}  // namespace

float Weather::lamps(const SeenPoint& at) const {
  const float up = at.height - kLampHeight;
  const float d2 = std::min(lamp_distance2(at.z, nearest(plan_.streets_x, at.x)),
                            lamp_distance2(at.x, nearest(plan_.streets_z, at.z)));
  const float street = 1.1F / (1 + (d2 + 0.5F * up * up) / 20);
  // The camera's own headlights reach some metres, and not far up.
  const float ahead = at.depth / 9;
  const float low = at.height < 1 ? 1 : 1 / (at.height * at.height);
  return kAmbient + street + 0.5F * low / (1 + ahead * ahead);
}

float Weather::hazy(float grey, float depth) const {
  return grey + (kHaze - grey) * (depth / (depth + kHazeDepth));
}

float Weather::wall(float texture, float sunlit, const SeenPoint& at) const {
  if (kind_ == DemoWeather::rain) return hazy(0.8F * texture, at.depth);
  if (kind_ == DemoWeather::day) return sunlit;
  // Below 128 the texture has what is reflected, above it what shines.
  const float reflected = 2 * std::min(texture, 127.0F);
  const float shining = 2 * std::max(texture - 128, 0.0F);
  return kExposure * (reflected * lamps(at) * 0.6F + shining);
}

float Weather::ground(float grey, const SeenPoint& at) const {
  if (kind_ == DemoWeather::day) return grey;
  if (kind_ == DemoWeather::dusk) return kExposure * 0.6F * grey * lamps(at);
  // Wet asphalt is dark; puddles show the sky.
  const auto x = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(at.x / 0.9F)));
  const auto z = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(at.z / 0.9F)));
  return hazy(chance(x, z, 55) < 0.12F ? 0.3F * grey + 105 : 0.6F * grey, at.depth);
}

float Weather::sky(float down) const {
  if (kind_ == DemoWeather::dusk) return 34 + 30 * down;
  if (kind_ == DemoWeather::rain) return kHaze;
  return 190 + 40 * down;
}

void Weather::finish(Image& image, std::uint32_t frame) const {
  if (kind_ != DemoWeather::rain) return;
  draw_streaks(image, hash(frame, 76));
  draw_drops(image, frame);
}

}  // namespace looptree::detail

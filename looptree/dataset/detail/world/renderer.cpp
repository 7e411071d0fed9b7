// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/world/renderer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "looptree/dataset/detail/world/weather.hpp"

namespace looptree::detail {
namespace {

/// Surfaces seen at a slant are averaged over at most this many samples along the slant.
constexpr int kMaxTaps = 8;

/// Where a column's ray meets a wall.
struct Hit {
  float depth;  ///< metres along the viewing direction
  float along;  ///< metres from the wall's first end
  float slant;  ///< metres of the wall that one column covers
  const Wall* wall;
  friend bool operator<(const Hit& a, const Hit& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.wall < b.wall;
  }
};

/// Rows below the horizon.
float below_horizon(const Camera& camera, int y) {
  return std::max(0.3F, static_cast<float>(y) - camera.centre_y());
}

float ground_depth(const Camera& camera, int y) {
  return kEyeHeight * camera.focal_px / below_horizon(camera, y);
}

/// Walks over the columns of an image and tells the painter which surface each pixel shows: its
/// methods begin_column(), wall(), ground() and sky().
template <typename Painter>
class ColumnWalk {
 public:
  ColumnWalk(const City& city, const Camera& camera, const Station& station, Painter& painter)
      : city_(city), camera_(camera), station_(station), painter_(painter) {}

  void run() {
    std::vector<Hit> hits;
    for (int x = 0; x < camera_.width; ++x) {
      const float slope = (static_cast<float>(x) - camera_.centre_x()) / camera_.focal_px;
      // The ray that advances one metre along the viewing direction.
      ray_x_ = station_.heading_x + slope * station_.heading_z;
      ray_z_ = station_.heading_z - slope * station_.heading_x;
      find_hits(hits);
      painter_.begin_column(ray_x_, ray_z_);
      draw_column(x, hits);
    }
  }

 private:
  void find_hits(std::vector<Hit>& hits) const {
    hits.clear();
    for (const Wall& wall : city_.walls) {
      const float wx = wall.x1 - wall.x0;
      const float wz = wall.z1 - wall.z0;
      const float cross = ray_x_ * wz - ray_z_ * wx;
      if (std::abs(cross) < 1e-6F) continue;
      const float dx = wall.x0 - station_.x;
      const float dz = wall.z0 - station_.z;
      const float depth = (dx * wz - dz * wx) / cross;
      const float part = (dx * ray_z_ - dz * ray_x_) / cross;
      if (depth < 0.1F || part < 0 || part > 1) continue;
      const float length = std::sqrt(wx * wx + wz * wz);
      // One column farther, the ray has moved by depth / focal across the viewing direction.
      const float facing = std::abs(cross) / length;
      const float ray2 = ray_x_ * ray_x_ + ray_z_ * ray_z_;
      hits.push_back({depth, part * length,
                      depth / camera_.focal_px * ray2 / facing / std::sqrt(ray2), &wall});
    }
    std::sort(hits.begin(), hits.end());
  }

  /// The row in which a height above the ground appears at a depth.
  int row_of(float height, float depth) const {
    const float row = camera_.centre_y() + camera_.focal_px * (kEyeHeight - height) / depth;
    return static_cast<int>(std::clamp(row, -1.0F, static_cast<float>(camera_.height)) + 1);
  }

  /// Near to far: a wall hides what is behind it and lower, so what remains is above its top.
  void draw_column(int x, const std::vector<Hit>& hits) {
    int open = camera_.height;  // rows below this one, down the image, are done
    for (const Hit& hit : hits) {
      if (open <= 0) break;
      const int bottom = row_of(0, hit.depth);
      const int top = row_of(hit.wall->height, hit.depth);
      if (top >= open) continue;
      for (int y = bottom; y < open; ++y) painter_.ground(x, y);
      painter_.wall(x, top, std::min(bottom, open), hit);
      open = std::min(open, top);
    }
    const int horizon = static_cast<int>(camera_.centre_y()) + 1;
    for (int y = 0; y < std::min(horizon, open); ++y) painter_.sky(x, y);
    for (int y = std::max(horizon, 0); y < open; ++y) painter_.ground(x, y);
  }

  const City& city_;
  const Camera& camera_;
  const Station& station_;
  Painter& painter_;
  float ray_x_ = 0;
  float ray_z_ = 0;
};

/// What the sensor sees, in grey.
class GreyPainter {
 public:
  GreyPainter(const City& city, const Camera& camera, const Station& station, std::uint32_t noise)
      : city_(city),
        camera_(camera),
        station_(station),
        noise_(noise),
        weather_(city.weather, city.plan),
        image_(camera.width, camera.height) {}

  Image take() {
    weather_.finish(image_, noise_);
    return std::move(image_);
  }

  void begin_column(float ray_x, float ray_z) {
    ray_x_ = ray_x;
    ray_z_ = ray_z;
  }
  void ground(int x, int y) {
    put(x, y, weather_.ground(ground_grey(y), point_at(ground_depth(camera_, y), 0)));
  }
  /// Brighter towards the horizon, without texture: nothing up there tells one place from another.
  void sky(int x, int y) {
    put(x, y, weather_.sky(static_cast<float>(y) / static_cast<float>(camera_.height)));
  }
  void wall(int x, int top, int bottom, const Hit& hit) {
    const Wall& wall = *hit.wall;
    const Texture& texture = city_.textures[wall.texture];
    const float pixel = hit.depth / camera_.focal_px * kWallDetail;  // upright footprint
    const float slant = std::max(hit.slant * kWallDetail, 1e-3F);
    const int taps =
        std::clamp(static_cast<int>(slant / std::max(pixel, 1.0F) + 0.5F), 1, kMaxTaps);
    const float footprint = std::max({1.0F, pixel, slant / static_cast<float>(taps)});
    const float middle = hit.along * kWallDetail;
    const float light =
        1 + (std::abs(wall.x1 - wall.x0) < std::abs(wall.z1 - wall.z0) ? station_.light.sun_x
                                                                       : station_.light.sun_z);
    for (int y = top; y < bottom; ++y) {
      const float height =
          kEyeHeight - (static_cast<float>(y) - camera_.centre_y()) * hit.depth / camera_.focal_px;
      const float v = (wall.height - height) * kWallDetail;
      float sum = 0;
      for (int tap = 0; tap < taps; ++tap) {
        const float shift = (static_cast<float>(tap) + 0.5F) / static_cast<float>(taps) - 0.5F;
        sum += texture.sample(middle + shift * slant, v, footprint);
      }
      const auto n = static_cast<float>(taps);
      put(x, y, weather_.wall(sum / n, light * sum / n, point_at(hit.depth, height)));
    }
  }

 private:
  SeenPoint point_at(float depth, float height) const {
    return {station_.x + ray_x_ * depth, station_.z + ray_z_ * depth, height, depth};
  }

  float ground_grey(int y) const {
    const float below = below_horizon(camera_, y);
    const float depth = ground_depth(camera_, y);
    const float across = depth / camera_.focal_px * kGroundDetail;
    const float ahead = depth / below * kGroundDetail;  // one row farther
    const int taps =
        std::clamp(static_cast<int>(ahead / std::max(across, 1.0F) + 0.5F), 1, kMaxTaps);
    const float footprint = std::max({1.0F, across, ahead / static_cast<float>(taps)});
    float sum = 0;
    for (int tap = 0; tap < taps; ++tap) {
      const float shift = (static_cast<float>(tap) + 0.5F) / static_cast<float>(taps) - 0.5F;
      const float d = depth * (1 + shift / below);
      const float u = (station_.x + ray_x_ * d - city_.plan.origin_x) * kGroundDetail;
      const float v = (station_.z + ray_z_ * d - city_.plan.origin_z) * kGroundDetail;
      sum += city_.ground.sample(u, v, footprint);
    }
    return sum / static_cast<float>(taps);
  }

  void put(int x, int y, float grey) {
    const Light& light = station_.light;
    const float lit = (128 + (grey - 128) * light.contrast) * light.gain;
    const auto cell = static_cast<std::uint32_t>(y * camera_.width + x);
    const float grain = weather_.grain() * 3 * (chance(cell, noise_) - 0.5F);
    image_.row(y)[x] = static_cast<std::uint8_t>(std::clamp(lit + grain + 0.5F, 0.0F, 255.0F));
  }

  const City& city_;
  const Camera& camera_;
  const Station& station_;
  std::uint32_t noise_;
  Weather weather_;
  Image image_;
  float ray_x_ = 0;
  float ray_z_ = 0;
};

/// How far away it is.
class DepthPainter {
 public:
  explicit DepthPainter(const Camera& camera)
      : camera_(camera), image_(camera.width, camera.height) {}

  DepthImage take() { return std::move(image_); }

  void begin_column(float, float) {}
  void sky(int, int) {}
  void ground(int x, int y) { image_.row(y)[x] = ground_depth(camera_, y); }
  void wall(int x, int top, int bottom, const Hit& hit) {
    for (int y = top; y < bottom; ++y) image_.row(y)[x] = hit.depth;
  }

 private:
  const Camera& camera_;
  DepthImage image_;
};

}  // namespace

Image render(const City& city, const Camera& camera, const Station& station, std::uint32_t noise) {
  GreyPainter painter(city, camera, station, noise);
  ColumnWalk(city, camera, station, painter).run();
  return painter.take();
}

DepthImage render_depth(const City& city, const Camera& camera, const Station& station) {
  DepthPainter painter(camera);
  ColumnWalk(city, camera, station, painter).run();
  return painter.take();
}

}  // namespace looptree::detail

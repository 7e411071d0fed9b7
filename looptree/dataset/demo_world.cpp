// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/demo_world.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/world/city.hpp"
#include "looptree/dataset/detail/world/renderer.hpp"

namespace looptree {
namespace {

constexpr double kFrameRate = 10;
/// Of the width: a view of 77 degrees.
constexpr float kFocalPart = 0.625F;

/// Depth images are exact, but a keypoint that is a pixel off shows another point of its surface:
/// of the ground, 1 / depth changes by 1 / (focal length x height) per row.
constexpr double kDepthSigma = 0.002;
/// Of "demo:stereo", metres.
constexpr double kBaseline = 0.5;
/// Of "demo:home", so that its steps are those of the others.
constexpr std::size_t kFramesHome = 850;

/// The city and the route through it, for all that look at them.
class World {
 public:
  World(const DemoWorldOptions& options, std::vector<detail::Station> route)
      : seed_(options.seed),
        weather_(options.weather),
        camera_{options.width, options.height, kFocalPart * static_cast<float>(options.width)},
        route_(std::move(route)) {}

  const detail::City& city() {
    // Building takes a second, which whoever wants only the poses need not wait.
    std::call_once(built_, [this] { city_ = detail::build_city(seed_, weather_); });
    return city_;
  }
  DemoWeather weather() const { return weather_; }
  const detail::Camera& camera() const { return camera_; }
  const detail::Station& station(std::size_t frame) const { return route_[frame]; }

 private:
  std::uint32_t seed_;
  DemoWeather weather_;
  std::once_flag built_;
  detail::City city_;
  detail::Camera camera_;
  std::vector<detail::Station> route_;
};

class RenderedSource final : public ImageSource {
 public:
  /// `right_m`: how far to the right of the route the camera is, and then another one with a grain
  /// of its own.
  RenderedSource(std::shared_ptr<World> world, float right_m)
      : world_(std::move(world)), right_m_(right_m) {}

  Image load(std::size_t frame) override {
    detail::Station station = world_->station(frame);
    station.x += right_m_ * station.heading_z;
    station.z -= right_m_ * station.heading_x;
    auto noise = static_cast<std::uint32_t>(frame);
    noise += static_cast<std::uint32_t>(world_->weather()) << 20U;  // another grain, too
    if (right_m_ > 0) noise += 0x80000000U;
    return detail::render(world_->city(), world_->camera(), station, noise);
  }
  bool is_random_access() const override { return true; }

 private:
  std::shared_ptr<World> world_;
  float right_m_;
};

class RenderedDepth final : public DepthSource {
 public:
  explicit RenderedDepth(std::shared_ptr<World> world) : world_(std::move(world)) {}
  DepthImage load(std::size_t frame) override {
    return detail::render_depth(world_->city(), world_->camera(), world_->station(frame));
  }

 private:
  std::shared_ptr<World> world_;
};

}  // namespace

std::unique_ptr<Sequence> open_demo_world(const DemoWorldOptions& options) {
  require_number(options.frames >= 2 && options.frames <= 100'000,
                 "2 to 100000 frames of the demo world", static_cast<double>(options.frames));
  require_number(options.width >= 64 && options.width <= 4096, "a width from 64 to 4096",
                 options.width);
  require_number(options.height >= 64 && options.height <= 4096, "a height from 64 to 4096",
                 options.height);
  require_number(options.baseline_m >= 0 && options.baseline_m <= 5, "a baseline_m from 0 to 5",
                 options.baseline_m);
  std::vector<detail::Station> route = detail::plan_route(options.frames, options.home);
  SequenceInfo info{.format = "demo"};
  for (std::size_t i = 0; i < route.size(); ++i) {
    info.frames.push_back({.name = "frame " + std::to_string(i),
                           .time_s = static_cast<double>(i) / kFrameRate,
                           .pose = detail::pose_of(route[i])});
  }
  const auto world = std::make_shared<World>(options, std::move(route));
  const detail::Camera& camera = world->camera();
  info.calibration =
      Calibration{camera.focal_px, camera.focal_px, camera.centre_x(), camera.centre_y()};
  DepthSources beside;
  if (options.baseline_m > 0) {
    info.baseline_m = options.baseline_m;
    beside.right = std::make_unique<RenderedSource>(world, static_cast<float>(options.baseline_m));
  }
  if (options.depth) {
    info.inverse_depth_sigma = kDepthSigma;
    beside.depth = std::make_unique<RenderedDepth>(world);
  }
  return std::make_unique<Sequence>(std::move(info), std::make_unique<RenderedSource>(world, 0.0F),
                                    std::move(beside));
}

namespace detail {

bool looks_like_demo(const Path& path) {
  constexpr std::array<std::string_view, 6> names{"demo",      "demo:stereo", "demo:depth",
                                                  "demo:home", "demo:dusk",   "demo:rain"};
  return std::find(names.begin(), names.end(), path.string()) != names.end() &&
         !std::filesystem::exists(path);
}

SequencePtr open_demo(const Path& path, const OpenOptions&) {
  DemoWorldOptions options;
  if (path == "demo:stereo") options.baseline_m = kBaseline;
  if (path == "demo:depth") options.depth = true;
  if (path == "demo:dusk") options.weather = DemoWeather::dusk;
  if (path == "demo:rain") options.weather = DemoWeather::rain;
  if (path == "demo:home") {
    options.home = true;
    options.frames = kFramesHome;
  }
  return open_demo_world(options);
}

}  // namespace detail
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/demo_world.hpp"

#include <mutex>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/city.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/renderer.hpp"

namespace looptree {
namespace {

constexpr double kFrameRate = 10;
/// Of the width: a view of 77 degrees.
constexpr float kFocalPart = 0.625F;

class RenderedSource final : public ImageSource {
 public:
  RenderedSource(const DemoWorldOptions& options, std::vector<detail::Station> route)
      : seed_(options.seed),
        camera_{options.width, options.height, kFocalPart * static_cast<float>(options.width)},
        route_(std::move(route)) {}

  Image load(std::size_t frame) override {
    // Building takes a second, which whoever wants only the poses need not wait.
    std::call_once(built_, [this] { city_ = detail::build_city(seed_); });
    return detail::render(city_, camera_, route_[frame], static_cast<std::uint32_t>(frame));
  }
  bool is_random_access() const override { return true; }
  const detail::Camera& camera() const { return camera_; }

 private:
  std::uint32_t seed_;
  std::once_flag built_;
  detail::City city_;
  detail::Camera camera_;
  std::vector<detail::Station> route_;
};

}  // namespace

std::unique_ptr<Sequence> open_demo_world(const DemoWorldOptions& options) {
  require(options.frames >= 2 && options.frames <= 100'000, ErrorKind::invalid_argument,
          "expected 2 to 100000 frames of the demo world, found a number outside");
  require(options.width >= 64 && options.width <= 4096 && options.height >= 64 &&
              options.height <= 4096,
          ErrorKind::invalid_argument,
          "expected a width and a height from 64 to 4096, found a number outside");
  std::vector<detail::Station> route = detail::plan_route(options.frames);
  SequenceInfo info{.format = "demo"};
  for (std::size_t i = 0; i < route.size(); ++i) {
    info.frames.push_back({.name = "frame " + std::to_string(i),
                           .time_s = static_cast<double>(i) / kFrameRate,
                           .pose = detail::pose_of(route[i])});
  }
  auto source = std::make_unique<RenderedSource>(options, std::move(route));
  const detail::Camera& camera = source->camera();
  info.calibration =
      Calibration{camera.focal_px, camera.focal_px, camera.centre_x(), camera.centre_y()};
  return std::make_unique<Sequence>(std::move(info), std::move(source));
}

namespace detail {

bool looks_like_demo(const Path& path) {
  return path == "demo" && !std::filesystem::exists(path);
}

SequencePtr open_demo(const Path&, const OpenOptions&) {
  return open_demo_world();
}

}  // namespace detail
}  // namespace looptree

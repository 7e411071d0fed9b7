// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Bring your own features: keypoints and descriptors of any detector, here 64 floats made up on the
// spot where a learned one would be. The pipeline is the same. Link looptree::vision.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/detect/loop_detector.hpp"
#include "looptree/vocabulary/training.hpp"

namespace {

constexpr std::size_t kDimension = 64;
constexpr std::size_t kPoints = 300;

/// A number in [0, 1) that depends on nothing but its arguments.
float made_up(std::uint32_t a, std::uint32_t b) {
  std::uint32_t h = a * 0x9e3779b1U ^ b * 0x85ebca77U;
  h ^= h >> 15U;
  h *= 0x2c1b3c6dU;
  h ^= h >> 13U;
  return static_cast<float>(h >> 8U) / 16777216.0F;
}

/// What a camera sees at a place: points in front of it, shifted a little by `step`.
looptree::Features look(std::uint32_t place, float step) {
  looptree::Features features;
  features.width = 640;
  features.height = 480;
  features.descriptors = {looptree::DescriptorType::real, kDimension, {}, {}};
  for (std::uint32_t i = 0; i < kPoints; ++i) {
    const std::uint32_t point = place * 1000 + i;
    const float depth = 4 + 16 * made_up(point, 1);
    const float x = 12 * made_up(point, 2) - 6 - step;
    const float y = 8 * made_up(point, 3) - 4;
    features.keypoints.push_back({320 + 500 * x / depth, 240 + 500 * y / depth});
    for (std::uint32_t d = 0; d < kDimension; ++d) {
      const float noise = 0.05F * made_up(point + static_cast<std::uint32_t>(step * 100), 100 + d);
      features.descriptors.floats.push_back(made_up(point, 4 + d) + noise);
    }
  }
  return features;
}

}  // namespace

int main() {
  using namespace looptree;
  try {
    // A walk through 40 places, and back to the first ten a step to the side.
    std::vector<Features> walk;
    for (std::uint32_t place = 0; place < 40; ++place) walk.push_back(look(place, 0));
    for (std::uint32_t place = 0; place < 10; ++place) walk.push_back(look(place, 0.5F));

    Descriptors all{DescriptorType::real, kDimension, {}, {}};
    std::vector<std::size_t> rows_per_image;
    for (const Features& features : walk) {
      const auto& floats = features.descriptors.floats;
      all.floats.insert(all.floats.end(), floats.begin(), floats.end());
      rows_per_image.push_back(features.size());
    }
    const Vocabulary vocabulary = train_vocabulary(all.view(), rows_per_image, {.depth = 3});

    LoopDetector detector(vocabulary, {.exclude_recent = 20});
    std::size_t closures = 0;
    for (const Features& features : walk) {
      const Detection detection = detector.process(features);
      closures += detection.is_closure() ? 1 : 0;
      std::printf("%s\n", detection.explain().c_str());
    }
    return closures == 10 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

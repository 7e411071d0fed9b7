// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/common/random.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::test {

/// Rounds of a circle: each place has words of its own, of which an image sees most, beside some
/// that are everywhere. Places come back once a round; images of one place differ.
struct MadeRoute {
  static constexpr std::uint32_t kVocabularySize = 2000;

  MadeRoute(std::size_t frames, std::size_t frames_per_round, std::uint64_t seed) {
    Random random(seed);
    const std::vector<double> idf(kVocabularySize, 1.0);
    for (std::size_t i = 0; i < frames; ++i) {
      const std::size_t place = i % frames_per_round;
      std::vector<WordId> words;
      for (std::uint32_t landmark = 0; landmark < 24; ++landmark) {
        // Landmarks stay in sight for a while: neighbours share most of theirs.
        const auto word = static_cast<std::uint32_t>((place * 4 + landmark) % 1800);
        if (random.below(4) != 0) words.emplace_back(word);
      }
      for (int noise = 0; noise < 6; ++noise) {
        words.emplace_back(static_cast<std::uint32_t>(1800 + random.below(200)));
      }
      histograms.push_back(make_histogram(words, idf));
      poses.push_back(pose(place, frames_per_round));
    }
  }

  /// On a circle of 1 m per frame, looking along it.
  static Pose pose(std::size_t place, std::size_t frames_per_round) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(frames_per_round);
    const double radius = static_cast<double>(frames_per_round) / (2 * std::numbers::pi);
    Pose pose;
    pose.translation = {radius * std::cos(angle), 0, radius * std::sin(angle)};
    pose.rotation = {std::cos(angle),  0, std::sin(angle), 0, 1, 0,
                     -std::sin(angle), 0, std::cos(angle)};
    return pose;
  }

  std::vector<Histogram> histograms;
  std::vector<Pose> poses;
};

}  // namespace looptree::test

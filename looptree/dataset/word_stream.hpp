// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// How a made-up drive looks to a bag of words. The defaults follow KITTI 00 seen through ORB and
/// 10,000 words; WordStreamOptions::million() through 884,885. docs/protocols/scale.md has the
/// statistics of both beside those of the drives they follow.
struct WordStreamOptions {
  std::uint32_t vocabulary_size = 10'000;
  /// Landmarks in view at a time, each worth one word and now and then repeated in the image.
  double landmarks = 1265;
  /// Chance that a landmark shows more than once in an image: words of textures, which are this
  /// share of the vocabulary, mostly do, others hardly ever.
  double burst = 0.1;
  /// Words are drawn from a Zipf law: the r-th most frequent with a chance proportional to r^-zipf.
  double zipf = 0.33;
  /// Frames for which a landmark stays in view, on average.
  double persistence = 18;
  /// Chance that a landmark in view gets its own word, not a random one.
  double stability = 0.55;
  /// Of the landmarks of a road seen before, the share that is there again where the revisit is
  /// best; it falls to none where it is worst: other light, another lane, the other direction.
  double recognition = 0.7;
  /// The road runs through scenes of a few kinds. Such a share of the words is drawn from those
  /// that are common in its kind, which makes different places look alike.
  double scenery = 0.25;
  std::uint32_t scene_kinds = 40;
  /// How much the number of landmarks swings from place to place.
  double variation = 0.075;
  /// The drive comes in laps: so many frames of new road, then so many along a road already seen.
  std::uint32_t new_frames = 850;
  std::uint32_t revisit_frames = 150;
  std::uint64_t seed = 1;

  static WordStreamOptions million();
};

/// Words of the frames of an endless drive that comes back to places it has seen.
///
/// Made for measuring at scale without images: frame i is computed from i alone, so frames can be
/// had in any order and from any number of threads, and are the same on every machine.
class LOOPTREE_EXPORT WordStream {
 public:
  /// Throws Error(invalid_argument) if an option is out of range.
  explicit WordStream(WordStreamOptions options = {});

  /// The words of a frame's descriptors, ascending, repeated as they occur. Cost: a few nanoseconds
  /// per word and a sort.
  std::vector<WordId> frame(std::uint64_t index) const;

  /// Where on the road the camera is, in frames of fresh road; the same place has the same
  /// position.
  double position(std::uint64_t index) const;

  /// The frame that saw this place first, if the frame revisits one.
  std::optional<std::uint64_t> revisits(std::uint64_t index) const;

  /// Inverse document frequency of every word, from the law the words are drawn from.
  std::span<const float> word_weights() const { return word_weights_; }
  const WordStreamOptions& options() const { return options_; }

 private:
  std::uint32_t draw(std::uint64_t random, std::uint64_t scene) const;
  double burst_of(std::uint32_t word) const;
  std::uint64_t scene_at(double position) const;

  WordStreamOptions options_;
  std::vector<float> word_weights_;
  std::vector<float> quantiles_;  // of the Zipf law, at even steps
};

}  // namespace looptree

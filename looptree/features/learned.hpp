// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "looptree/export.hpp"
#include "looptree/features/feature_extractor.hpp"

namespace looptree {

struct LearnedOptions {
  /// Keep at most this many per image, spread over it; 1 to 1,000,000.
  std::size_t max_features = 1000;
  /// The file of a network's weights (docs/formats/network.md); empty: those in the box.
  std::filesystem::path network{};
};

/// Keypoints and 256-bit descriptors of a small neural network, which know a place in another light
/// (docs/features.md). All its sums are of integers, so every machine finds the same features, to
/// the bit. Descriptors compare by Hamming distance, as ORB's do, but with their own kind only: a
/// vocabulary, a map and its queries are of one network.
///
/// Keypoints have no angle and one octave: the network sees an image upright and at one scale. An
/// image of more than 640 x 768 pixels is made smaller first. Responses are logits.
///
/// Threads: extract() may run concurrently with itself; each call under way holds about 20 bytes
/// per pixel of the image, at most 10 MB, which the next call uses again. Cost: docs/features.md.
class LOOPTREE_EXPORT LearnedExtractor final : public FeatureExtractor {
 public:
  /// Throws Error(invalid_argument) for options out of range, and what Error(not_found, io,
  /// corruption, unsupported) there is to say of the network's file.
  explicit LearnedExtractor(const LearnedOptions& options = {});
  ~LearnedExtractor() override;
  LearnedExtractor(const LearnedExtractor&) = delete;
  LearnedExtractor& operator=(const LearnedExtractor&) = delete;

  Features extract(ImageView image) const override;
  DescriptorType descriptor_type() const override { return DescriptorType::binary; }
  std::size_t descriptor_width() const override { return 32; }
  /// What the network calls itself.
  const std::string& network_name() const;

 private:
  class Engine;
  std::size_t max_features_;
  std::unique_ptr<Engine> engine_;
};

/// The same features from plain loops: slow, obvious, and what LearnedExtractor is tested against.
/// Throws as LearnedExtractor does.
LOOPTREE_EXPORT Features plain_learned(ImageView image, const LearnedOptions& options = {});

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace looptree::detail {

/// Cuts a stream of bytes into the JPEG and PNG images that follow each other in it, by their own
/// structure: a thumbnail inside a JPEG is not taken for the next image. What lies between images
/// is left out.
class ImageSplitter {
 public:
  /// Images beyond this are taken for damage, and dropped.
  static constexpr std::size_t kLargest = std::size_t{64} << 20U;

  void push(std::span<const std::uint8_t> bytes);
  /// The next whole image, if all of it came.
  std::optional<std::vector<std::uint8_t>> next();
  /// Bytes of an image that has begun and not ended.
  std::size_t waiting() const { return buffer_.size() - start_; }

 private:
  std::vector<std::uint8_t> buffer_;
  std::size_t start_ = 0;  ///< of what was not given out yet
};

}  // namespace looptree::detail

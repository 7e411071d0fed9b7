// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace looptree::cli {

/// What somebody on the network sends to be looked up. Whatever the bytes are, these functions
/// either return what is within the bounds below or throw Error(invalid_argument or corruption).

constexpr std::size_t kMaxTopK = 1000;
constexpr std::size_t kMaxWords = 100'000;
constexpr std::size_t kMaxDescriptors = 20'000;
constexpr std::size_t kMaxImagePixels = 64'000'000;

struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// The size that a PNG, a JPEG or a WebP file says it has, without decoding it: a small file can
/// claim a huge image. Throws unless it is one of these, at least 1 x 1 and at most 64 megapixels.
ImageSize image_size(std::span<const std::uint8_t> bytes);

/// A query as JSON: {"words": [3, 17, 17, ...]}, or {"descriptors": BASE64, "width": 32}, rows of
/// binary descriptors; both may have "top_k" (1 to 1000), "threshold" (0 to 1) and "sessions".
struct JsonQuery {
  std::vector<std::uint32_t> words;
  std::vector<std::uint8_t> descriptors;
  std::size_t width = 0;  ///< bytes of a descriptor; 0: these are words
  std::size_t top_k = 10;
  double threshold = 0;
  std::optional<std::vector<std::uint32_t>> sessions;
};
JsonQuery parse_query(std::string_view text);

/// Throws Error(corruption) for what is not base64 with its padding.
std::vector<std::uint8_t> parse_base64(std::string_view text);

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/image_splitter.hpp"

#include <algorithm>
#include <array>

namespace looptree::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::array<std::uint8_t, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<std::uint8_t, 3> kJpeg{0xff, 0xd8, 0xff};

bool begins(Bytes bytes, Bytes mark) {
  return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
}

/// How long the image at the front is.
struct Extent {
  std::size_t bytes = 0;  ///< 0: it has not all come yet
  bool broken = false;    ///< it is no image after all
};

std::size_t big_endian(Bytes bytes, std::size_t at, std::size_t width) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = value << 8U | bytes[at + i];
  return value;
}

/// Chunks of a length, a name, so many bytes and a checksum, up to the one named IEND.
Extent png_extent(Bytes bytes) {
  std::size_t at = kPng.size();
  while (at + 12 <= bytes.size()) {
    const std::size_t length = big_endian(bytes, at, 4);
    if (length > ImageSplitter::kLargest) return {0, true};
    const bool last = std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(at + 4),
                                 bytes.begin() + static_cast<std::ptrdiff_t>(at + 8), "IEND");
    at += 12 + length;
    if (last) return {at <= bytes.size() ? at : 0, false};
  }
  return {};
}

/// Segments with lengths, and after each start of scan compressed bytes up to the next marker.
Extent jpeg_extent(Bytes bytes) {
  std::size_t at = 2;
  bool in_scan = false;
  while (at + 2 <= bytes.size()) {
    if (bytes[at] != 0xff) {
      if (!in_scan) return {0, true};
      ++at;
      continue;
    }
    const std::uint8_t marker = bytes[at + 1];
    const bool restart = marker >= 0xd0 && marker <= 0xd7;
    if (marker == 0xff) {
      ++at;
    } else if (marker == 0xd9) {
      return {at + 2, false};
    } else if (restart || marker == 0x01 || (in_scan && marker == 0)) {
      at += 2;
    } else if (marker == 0 || marker == 0xd8) {
      return {0, true};
    } else {
      if (at + 4 > bytes.size()) return {};
      in_scan = marker == 0xda;
      at += 2 + std::max<std::size_t>(2, big_endian(bytes, at + 2, 2));
    }
  }
  return {};
}

/// Where the next image may begin.
std::size_t find_start(Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Bytes rest = bytes.subspan(i);
    if (begins(rest, kPng) || begins(rest, kJpeg)) return i;
    // A mark may be cut in two by the end of what came so far.
    const auto cut = [&](Bytes mark) { return rest.size() < mark.size() && begins(mark, rest); };
    if (cut(kPng) || cut(kJpeg)) return i;
  }
  return bytes.size();
}

}  // namespace

void ImageSplitter::push(std::span<const std::uint8_t> bytes) {
  if (start_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
    start_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

std::optional<std::vector<std::uint8_t>> ImageSplitter::next() {
  for (;;) {
    start_ += find_start(Bytes(buffer_).subspan(start_));
    const Bytes rest = Bytes(buffer_).subspan(start_);
    if (rest.size() < kPng.size()) return std::nullopt;
    const Extent extent = begins(rest, kPng) ? png_extent(rest) : jpeg_extent(rest);
    if (extent.broken || (extent.bytes == 0 && rest.size() > kLargest)) {
      ++start_;
      continue;
    }
    if (extent.bytes == 0) return std::nullopt;
    std::vector<std::uint8_t> image(rest.begin(),
                                    rest.begin() + static_cast<std::ptrdiff_t>(extent.bytes));
    start_ += extent.bytes;
    return image;
  }
}

}  // namespace looptree::detail

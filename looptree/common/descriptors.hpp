// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace looptree {

/// What a descriptor is made of, and so how two of them are compared.
enum class DescriptorType {
  binary,  ///< whole bytes, by Hamming distance: ORB, BRIEF, AKAZE
  real,    ///< floats, by Euclidean distance: SIFT, learned ones
};

/// Descriptors of one image, or of many, as contiguous rows that somebody else owns. A plain view:
/// cheap to copy, valid as long as the rows are. Of binary type `width` counts bytes, of real type
/// floats.
class DescriptorView {
 public:
  /// No rows, of the given kind.
  DescriptorView(DescriptorType type, std::size_t width) : type_(type), width_(width) {}
  DescriptorView(const std::uint8_t* rows, std::size_t count, std::size_t bytes)
      : type_(DescriptorType::binary), width_(bytes), count_(count), bytes_(rows) {}
  DescriptorView(const float* rows, std::size_t count, std::size_t dimension)
      : type_(DescriptorType::real), width_(dimension), count_(count), floats_(rows) {}

  DescriptorType type() const noexcept { return type_; }
  std::size_t width() const noexcept { return width_; }
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

  std::span<const std::uint8_t> bytes(std::size_t row) const {
    assert(type_ == DescriptorType::binary && row < count_);
    return {bytes_ + row * width_, width_};
  }
  std::span<const float> floats(std::size_t row) const {
    assert(type_ == DescriptorType::real && row < count_);
    return {floats_ + row * width_, width_};
  }
  /// Rows [first, first + count).
  DescriptorView rows(std::size_t first, std::size_t count) const {
    assert(first + count <= count_);
    return type_ == DescriptorType::binary
               ? DescriptorView(bytes_ + first * width_, count, width_)
               : DescriptorView(floats_ + first * width_, count, width_);
  }

 private:
  DescriptorType type_;
  std::size_t width_;
  std::size_t count_ = 0;
  const std::uint8_t* bytes_ = nullptr;
  const float* floats_ = nullptr;
};

/// Descriptors that own their rows.
struct Descriptors {
  DescriptorType type = DescriptorType::binary;
  std::size_t width = 32;           ///< bytes or floats per row; at least 1
  std::vector<std::uint8_t> bytes;  ///< rows of binary type
  std::vector<float> floats;        ///< rows of real type

  std::size_t size() const {
    return (type == DescriptorType::binary ? bytes.size() : floats.size()) / width;
  }
  DescriptorView view() const {
    return type == DescriptorType::binary
               ? DescriptorView(bytes.data(), bytes.size() / width, width)
               : DescriptorView(floats.data(), floats.size() / width, width);
  }
};

}  // namespace looptree

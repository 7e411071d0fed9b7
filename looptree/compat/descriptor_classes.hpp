// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/error.hpp"

namespace cv {
class Mat;  // only named here: who has OpenCV brings it, who has not needs it not
}  // namespace cv

namespace looptree::compat {

/// DBoW2's classes of descriptor functions. Each says what a descriptor is (TDescriptor) and how it
/// is laid end to end with others; distances and means are the vocabulary's business. A class of
/// one's own needs the same two members:
///   typedef ... TDescriptor;
///   static void append(const TDescriptor& descriptor, Descriptors& rows);
/// which appends one row to rows.bytes or rows.floats and sets rows.type and rows.width.

namespace detail {

inline void append_bytes(const std::uint8_t* data, std::size_t bytes, Descriptors& rows) {
  rows.type = DescriptorType::binary;
  require(rows.bytes.empty() || rows.width == bytes, ErrorKind::invalid_argument,
          "expected descriptors of one length, found several");
  rows.width = bytes;
  rows.bytes.insert(rows.bytes.end(), data, data + bytes);
}

inline void append_floats(const float* data, std::size_t count, Descriptors& rows) {
  rows.type = DescriptorType::real;
  require(rows.floats.empty() || rows.width == count, ErrorKind::invalid_argument,
          "expected descriptors of one length, found several");
  rows.width = count;
  rows.floats.insert(rows.floats.end(), data, data + count);
}

}  // namespace detail

/// ORB in an OpenCV matrix of one row of bytes. Works with any class that has cv::Mat's `data`,
/// `rows` and `cols`.
struct FORB {
  typedef cv::Mat TDescriptor;
  typedef const TDescriptor* pDescriptor;
  static constexpr int L = 32;

  template <typename Matrix>
  static void append(const Matrix& descriptor, Descriptors& rows) {
    require(descriptor.rows == 1 && descriptor.cols > 0 && descriptor.depth() == 0,
            ErrorKind::invalid_argument, "expected a descriptor as one row of bytes (CV_8U)");
    detail::append_bytes(descriptor.data, static_cast<std::size_t>(descriptor.cols), rows);
  }
};

/// BRIEF as bits: bit i is bit i % 8 of byte i / 8, as in DBoW2's files.
struct FBrief {
  typedef std::bitset<256> TDescriptor;
  typedef const TDescriptor* pDescriptor;
  static constexpr int L = 256;

  template <std::size_t kBits>
  static void append(const std::bitset<kBits>& descriptor, Descriptors& rows) {
    static_assert(kBits % 8 == 0, "descriptors are whole bytes");
    std::array<std::uint8_t, kBits / 8> bytes{};
    for (std::size_t i = 0; i < kBits; ++i) {
      if (descriptor[i]) bytes[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
    }
    detail::append_bytes(bytes.data(), bytes.size(), rows);
  }
};

/// Raw bytes, for those who have neither OpenCV nor bits.
template <std::size_t kBytes>
struct FBytes {
  typedef std::array<std::uint8_t, kBytes> TDescriptor;
  typedef const TDescriptor* pDescriptor;
  static constexpr int L = static_cast<int>(kBytes);

  static void append(const TDescriptor& descriptor, Descriptors& rows) {
    detail::append_bytes(descriptor.data(), kBytes, rows);
  }
};

/// SURF, SIFT and learned descriptors as vectors of floats.
struct FFloat {
  typedef std::vector<float> TDescriptor;
  typedef const TDescriptor* pDescriptor;

  static void append(const TDescriptor& descriptor, Descriptors& rows) {
    require(!descriptor.empty(), ErrorKind::invalid_argument,
            "expected a descriptor of at least one number, found none");
    detail::append_floats(descriptor.data(), descriptor.size(), rows);
  }
};
struct FSurf64 : FFloat {
  static constexpr int L = 64;
};

}  // namespace looptree::compat

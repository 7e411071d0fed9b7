// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Image files in and out. Truncated files are caught by their missing end mark before decoding:
// the decoders would fill the rest with grey and print a warning.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/write_error.hpp"
#include "looptree/dataset/detail/deep_image.hpp"
#include "looptree/dataset/sequence.hpp"

namespace looptree {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read_bytes(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    throw Error(ErrorKind::corruption, "expected an image, found the folder " + path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::not_found, "expected an image, found no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> mark) {
  return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
}

/// Whether a JPEG or PNG lacks its end mark, or a WebP a part of what it announces. Some cameras
/// add a few bytes behind it.
bool is_truncated(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 2> jpeg{0xff, 0xd8};
  constexpr std::array<std::uint8_t, 2> jpeg_end{0xff, 0xd9};
  constexpr std::array<std::uint8_t, 4> png{0x89, 'P', 'N', 'G'};
  constexpr std::array<std::uint8_t, 4> png_end{'I', 'E', 'N', 'D'};
  constexpr std::ptrdiff_t tail = 1024;
  const auto last = bytes.size() > tail ? bytes.end() - tail : bytes.begin();
  if (starts_with(bytes, jpeg)) {
    return std::search(last, bytes.end(), jpeg_end.begin(), jpeg_end.end()) == bytes.end();
  }
  if (starts_with(bytes, png)) {
    return std::search(last, bytes.end(), png_end.begin(), png_end.end()) == bytes.end();
  }
  constexpr std::array<std::uint8_t, 4> riff{'R', 'I', 'F', 'F'};
  if (starts_with(bytes, riff) && bytes.size() >= 8) {
    std::size_t announced = 0;
    for (std::size_t i = 0; i < 4; ++i) announced |= std::size_t{bytes[4 + i]} << (8 * i);
    return bytes.size() < announced + 8;
  }
  return false;
}

/// Throws Error(corruption).
cv::Mat decode(std::span<const std::uint8_t> bytes, const std::string& name, int flags) {
  cv::Mat decoded;
  if (!bytes.empty() && !is_truncated(bytes)) {
    try {
      // OpenCV's header takes what it does not change as if it might.
      decoded = cv::imdecode(cv::Mat(1, static_cast<int>(bytes.size()), CV_8U,
                                     const_cast<std::uint8_t*>(bytes.data())),
                             flags);
    } catch (const cv::Exception&) {
      decoded.release();  // damaged inside: the same sentence as for any other damage
    }
  }
  if (decoded.empty()) {
    throw Error(ErrorKind::corruption, "expected a whole image in " + name + ", found " +
                                           std::to_string(bytes.size()) +
                                           " bytes that are not one");
  }
  return decoded;
}

}  // namespace

Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name) {
  const cv::Mat decoded = decode(bytes, name, cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH);
  Image image(decoded.cols, decoded.rows);
  if (decoded.depth() == CV_16U) {
    // Decoded images have no padding.
    detail::spread_to_8_bits(decoded.ptr<std::uint16_t>(), image);
    return image;
  }
  if (decoded.depth() != CV_8U) {
    throw Error(ErrorKind::unsupported,
                "expected an image of 8 or 16 bits in " + name + ", found one of floats");
  }
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(decoded.ptr<std::uint8_t>(y), image.width, image.row(y));
  }
  return image;
}

Image read_image(const std::string& path) {
  return decode_image(read_bytes(path), path);
}

DepthImage read_depth_image(const std::string& path, double units_per_metre) {
  require(units_per_metre > 0, ErrorKind::invalid_argument,
          "expected units_per_metre above 0, found none");
  const cv::Mat decoded = decode(read_bytes(path), path, cv::IMREAD_UNCHANGED);
  if (decoded.type() != CV_16UC1) {
    throw Error(ErrorKind::corruption, "expected a depth image of 16 bits, in one channel, in " +
                                           path + ", found another kind of image");
  }
  DepthImage image(decoded.cols, decoded.rows);
  for (int y = 0; y < image.height; ++y) {
    const auto* from = decoded.ptr<std::uint16_t>(y);
    for (int x = 0; x < image.width; ++x) {
      image.row(y)[x] = static_cast<float>(from[x] / units_per_metre);
    }
  }
  return image;
}

void write_image(const std::string& path, const Image& image) {
  bool written = false;
  try {
    written = cv::imwrite(path, cv::Mat(image.height, image.width, CV_8U,
                                        const_cast<std::uint8_t*>(image.pixels.data())));
  } catch (const cv::Exception& error) {
    throw write_error(path, error.err);
  }
  if (!written) throw write_error(path);
}

}  // namespace looptree

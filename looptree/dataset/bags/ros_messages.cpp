// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/bags/detail/ros_messages.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Fields in order: ROS 1's packed, or CDR's, aligned to their size, behind four bytes that say
/// which end of a number comes first.
class MessageReader {
 public:
  MessageReader(Encoding encoding, Bytes message, const std::string& name)
      : bytes_(message), cdr_(encoding == Encoding::cdr), name_(name) {
    if (!cdr_) return;
    const Bytes head = take(4);
    big_endian_ = (head[1] & 1U) == 0;
    bytes_ = bytes_.subspan(4);
    at_ = 0;
  }

  std::uint64_t number(std::size_t width) {
    align(width);
    const Bytes from = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value |= std::uint64_t{from[big_endian_ ? width - 1 - i : i]} << (8 * i);
    }
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  double f64() { return std::bit_cast<double>(number(8)); }

  std::string text() {
    const Bytes from = take(u32());
    std::string value(from.begin(), from.end());
    if (cdr_ && !value.empty() && value.back() == '\0') value.pop_back();
    return value;
  }
  Bytes bytes() { return take(u32()); }

  std::vector<double> doubles(std::size_t count) {
    if (count > bytes_.size() / 8) refuse(count * 8);
    std::vector<double> values(count);
    for (double& value : values) value = f64();
    return values;
  }

  /// std_msgs/Header. Returns the stamp in nanoseconds.
  std::uint64_t header() {
    if (!cdr_) u32();  // its sequence number
    const std::uint64_t seconds = u32();
    const std::uint64_t ns = seconds * 1'000'000'000U + u32();
    return ns;
  }

 private:
  void align(std::size_t width) {
    if (cdr_) at_ = (at_ + width - 1) / width * width;
  }
  Bytes take(std::size_t count) {
    if (at_ > bytes_.size() || count > bytes_.size() - at_) refuse(count);
    const Bytes result = bytes_.subspan(at_, count);
    at_ += count;
    return result;
  }
  [[noreturn]] void refuse(std::size_t count) const {
    throw Error(ErrorKind::corruption, "expected a whole message in " + name_ + ", found that " +
                                           std::to_string(count) + " bytes of it are missing");
  }

  Bytes bytes_;
  bool cdr_;
  const std::string& name_;
  bool big_endian_ = false;
  std::size_t at_ = 0;
};

LensModel lens_named(const std::string& model, const std::string& name) {
  if (model.empty() || model == "plumb_bob" || model == "rational_polynomial") {
    return LensModel::brown_conrady;
  }
  if (model == "equidistant" || model == "fisheye") return LensModel::fisheye;
  throw Error(ErrorKind::unsupported,
              "expected a lens of plumb_bob, rational_polynomial, equidistant or fisheye in " +
                  name + ", found " + model);
}

}  // namespace

std::optional<std::uint64_t> read_stamp_ns(Encoding encoding, Bytes message,
                                           const std::string& name) {
  const std::uint64_t stamp = MessageReader(encoding, message, name).header();
  if (stamp == 0) return std::nullopt;
  return stamp;
}

RosImage read_image_message(Encoding encoding, Bytes message, const std::string& name) {
  MessageReader reader(encoding, message, name);
  reader.header();
  reader.text();
  RosImage image;
  image.height = reader.u32();
  image.width = reader.u32();
  image.encoding = reader.text();
  image.big_endian = reader.number(1) != 0;
  image.step = reader.u32();
  image.data = reader.bytes();
  if (image.data.size() / std::max(1U, image.step) < image.height) {
    throw Error(ErrorKind::corruption, "expected " + std::to_string(image.height) + " rows of " +
                                           std::to_string(image.step) + " bytes in " + name +
                                           ", found " + std::to_string(image.data.size()) +
                                           " bytes");
  }
  return image;
}

RosCompressedImage read_compressed_message(Encoding encoding, Bytes message,
                                           const std::string& name) {
  MessageReader reader(encoding, message, name);
  reader.header();
  reader.text();
  RosCompressedImage image;
  image.format = reader.text();
  image.data = reader.bytes();
  return image;
}

RosCamera read_camera_message(Encoding encoding, Bytes message, const std::string& name) {
  MessageReader reader(encoding, message, name);
  reader.header();
  reader.text();
  reader.u32();  // height
  reader.u32();  // width
  const std::string model = reader.text();
  const std::vector<double> d = reader.doubles(reader.u32());
  const std::vector<double> k = reader.doubles(9);
  reader.doubles(9);  // of the rectification
  const std::vector<double> p = reader.doubles(12);
  RosCamera camera{{k[0], k[4], k[2], k[5]}, {p[0], p[5], p[2], p[6]}};
  if (std::all_of(d.begin(), d.end(), [](double value) { return value == 0; })) return camera;
  camera.raw.lens = lens_named(model, name);
  std::copy_n(d.begin(), std::min(d.size(), camera.raw.distortion.size()),
              camera.raw.distortion.begin());
  return camera;
}

}  // namespace looptree::detail

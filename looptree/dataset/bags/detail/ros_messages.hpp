// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "looptree/common/pose.hpp"
#include "looptree/dataset/bags/detail/bag.hpp"

namespace looptree::detail {

/// sensor_msgs/Image; the pixels are a view of the message.
struct RosImage {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::string encoding;
  bool big_endian = false;
  std::uint32_t step = 0;  ///< bytes from one row to the next
  std::span<const std::uint8_t> data;
};

/// sensor_msgs/CompressedImage.
struct RosCompressedImage {
  std::string format;
  std::span<const std::uint8_t> data;
};

/// sensor_msgs/CameraInfo.
struct RosCamera {
  Calibration raw;        ///< K and D
  Calibration rectified;  ///< of images that were undistorted: P
};

/// All throw Error(corruption) for messages that are cut off or contradict themselves; `name` is
/// for messages. Nanoseconds of the header's stamp, the first field of all of these; nothing for
/// stamps of 0.
std::optional<std::uint64_t> read_stamp_ns(Encoding encoding, std::span<const std::uint8_t> message,
                                           const std::string& name);
RosImage read_image_message(Encoding encoding, std::span<const std::uint8_t> message,
                            const std::string& name);
RosCompressedImage read_compressed_message(Encoding encoding, std::span<const std::uint8_t> message,
                                           const std::string& name);
/// Throws Error(unsupported) for lenses of other models, too.
RosCamera read_camera_message(Encoding encoding, std::span<const std::uint8_t> message,
                              const std::string& name);

}  // namespace looptree::detail

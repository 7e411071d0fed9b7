// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/bag.hpp"
#include "looptree/dataset/bags/detail/ros_messages.hpp"
#include "looptree/dataset/detail/image_splitter.hpp"

// Containers and messages of bags, and the cutting of a stream into images.
namespace looptree::test {

inline void read_messages(const detail::Bag& bag) {
  for (std::size_t i = 0; i < bag.messages().size() && i < 50; ++i) {
    const detail::Encoding encoding = bag.topics()[bag.messages()[i].topic].encoding;
    const auto each = [&](auto read) {
      try {
        const std::vector<std::uint8_t> message = bag.read(i);
        read(encoding, message, "a message");
      } catch (const Error&) {
      }
    };
    each(detail::read_stamp_ns);
    each(detail::read_image_message);
    each(detail::read_compressed_message);
    each(detail::read_camera_message);
  }
}

inline void read_bag(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  for (const auto open : {detail::open_ros1_bag, detail::open_mcap}) {
    try {
      read_messages(*open(detail::bytes_in_memory(bytes)));
    } catch (const Error&) {
    }
  }
  detail::ImageSplitter splitter;
  splitter.push(bytes);
  while (splitter.next()) {
  }
}

}  // namespace looptree::test

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "looptree/dataset/bags/detail/byte_source.hpp"

namespace looptree::detail {

/// How the bytes of a message are laid out.
enum class Encoding { ros1, cdr };

struct BagTopic {
  std::string name;
  std::string type;  ///< "sensor_msgs/Image", without ROS 2's "msg/"
  Encoding encoding = Encoding::ros1;
};

struct BagMessage {
  std::uint32_t topic = 0;    ///< its place among the topics
  std::uint64_t time_ns = 0;  ///< when it was recorded
};

/// A recording of messages, whatever the file. What is known of all messages is known on opening;
/// their bytes are read one by one, by any number of threads.
class Bag {
 public:
  virtual ~Bag() = default;
  const std::vector<BagTopic>& topics() const { return topics_; }
  const std::vector<BagMessage>& messages() const { return messages_; }
  /// The first bytes of a message, at most so many of them. Throws Error(corruption).
  virtual std::vector<std::uint8_t> read(
      std::size_t message, std::size_t at_most = std::numeric_limits<std::size_t>::max()) const = 0;

 protected:
  std::vector<BagTopic> topics_;
  std::vector<BagMessage> messages_;
};

/// ROS 1, version 2.0.
std::unique_ptr<Bag> open_ros1_bag(std::unique_ptr<ByteSource> bytes);
std::unique_ptr<Bag> open_mcap(std::unique_ptr<ByteSource> bytes);
/// ROS 2's SQLite storage.
std::unique_ptr<Bag> open_db3(const std::filesystem::path& path);

/// "sensor_msgs/msg/Image" as "sensor_msgs/Image".
std::string ros1_type(std::string type);

}  // namespace looptree::detail

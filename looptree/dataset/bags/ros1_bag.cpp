// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Bags of ROS 1, version 2.0: records of a header (fields "name=value") and data. Chunks hold
// connections and messages; after each chunk lies an index of its messages, and at the end, if the
// bag was closed, all connections once more.
#include <algorithm>
#include <string_view>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/chunked_bag.hpp"

namespace looptree::detail {
namespace {

constexpr std::string_view kMagic = "#ROSBAG V2.0\n";

enum Op : std::uint8_t {
  kMessage = 0x02,
  kBagHeader = 0x03,
  kIndex = 0x04,
  kChunk = 0x05,
  kChunkInfo = 0x06,
  kConnection = 0x07,
};

using Bytes = std::span<const std::uint8_t>;

/// The fields of a header.
class Fields {
 public:
  Fields(Bytes header, const std::string& name) : name_(name) {
    RecordReader reader(header, name_);
    while (reader.left() > 0) {
      const std::string field = reader.text();
      const std::size_t equals = field.find('=');
      if (equals == std::string::npos) refuse("fields name=value in a header");
      values_[field.substr(0, equals)] = field.substr(equals + 1);
    }
  }

  std::uint64_t number(const std::string& field, std::size_t width) const {
    const std::string& value = text(field);
    if (value.size() != width) refuse("another width of the field " + field);
    const auto* data = reinterpret_cast<const std::uint8_t*>(value.data());
    return RecordReader(Bytes(data, width), name_).number(width);
  }
  /// Seconds and nanoseconds.
  std::uint64_t time_ns(const std::string& field) const {
    const std::uint64_t raw = number(field, 8);
    return (raw & 0xffffffffU) * 1'000'000'000U + (raw >> 32U);
  }
  const std::string& text(const std::string& field) const {
    const auto found = values_.find(field);
    if (found == values_.end()) refuse("a field " + field + " in a header");
    return found->second;
  }
  bool has(const std::string& field) const { return values_.contains(field); }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ErrorKind::corruption,
                "expected " + expected + " in " + name_ + ", found something else");
  }

  const std::string& name_;
  std::map<std::string, std::string> values_;
};

class Ros1Bag final : public ChunkedBag {
 public:
  explicit Ros1Bag(std::unique_ptr<ByteSource> bytes) : ChunkedBag(std::move(bytes)) {
    std::uint64_t at = kMagic.size();
    while (at < bytes_->size()) at = take_record(at);
    // A bag that was not closed has its connections in the chunks alone.
    const bool all_known = std::all_of(pending_.begin(), pending_.end(), [&](const Indexed& each) {
      return topic_of_.contains(each.connection);
    });
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      if (!all_known || !has_index_[i]) look_into(i, !has_index_[i]);
    }
    for (const Indexed& each : pending_) {
      const auto topic = topic_of_.find(each.connection);
      if (topic == topic_of_.end()) {
        throw Error(ErrorKind::corruption, "expected a connection " +
                                               std::to_string(each.connection) + " in " +
                                               bytes_->name() + ", found messages of it alone");
      }
      add_message(topic->second, each.time_ns, each.place);
    }
    pending_.clear();
    sort_by_time();
  }

 private:
  struct Indexed {
    std::uint64_t connection;
    std::uint64_t time_ns;
    Place place;
  };

  Extent extent_of(Bytes record) const override {
    RecordReader reader(record, bytes_->name());
    reader.bytes(reader.u32());
    const std::uint64_t bytes = reader.u32();
    return {reader.position(), bytes};
  }

  /// Returns where the next one begins. Data of chunks are passed over.
  std::uint64_t take_record(std::uint64_t at) {
    const std::uint32_t header_bytes = length_at(at);
    const auto header = bytes_->read(at + 4, header_bytes);
    const std::uint64_t data = at + 8 + header_bytes;
    const std::uint32_t data_bytes = length_at(data - 4);
    const Fields fields(header, bytes_->name());
    const auto op = fields.number("op", 1);
    if (op == kChunk) {
      std::string compression = fields.text("compression");
      if (compression == "none") compression.clear();
      chunks_.push_back({data, data_bytes, std::move(compression)});
      has_index_.push_back(false);
      bytes_->read(data + data_bytes, 0);  // it ends inside the file
    } else if (op == kIndex) {
      take_index(fields, bytes_->read(data, data_bytes));
    } else if (op == kConnection) {
      take_connection(fields, bytes_->read(data, data_bytes));
    } else {
      bytes_->read(data + data_bytes, 0);
    }
    return data + data_bytes;
  }

  std::uint32_t length_at(std::uint64_t at) const {
    const auto four = bytes_->read(at, 4);
    return RecordReader(four, bytes_->name()).u32();
  }

  void take_index(const Fields& fields, const std::vector<std::uint8_t>& data) {
    if (chunks_.empty()) return;
    const auto chunk = static_cast<std::uint32_t>(chunks_.size() - 1);
    has_index_[chunk] = true;
    const std::uint64_t connection = fields.number("conn", 4);
    RecordReader reader(data, bytes_->name());
    while (reader.left() > 0) {
      const std::uint64_t seconds = reader.u32();
      const std::uint64_t time_ns = seconds * 1'000'000'000U + reader.u32();
      pending_.push_back({connection, time_ns, {chunk, reader.u32()}});
    }
  }

  void take_connection(const Fields& fields, Bytes data) {
    const std::uint64_t number = fields.number("conn", 4);
    if (topic_of_.contains(number)) return;
    const Fields about(data, bytes_->name());
    const std::string& name = fields.text("topic");
    const std::string type = about.has("type") ? about.text("type") : "";
    const auto same = std::find_if(topics_.begin(), topics_.end(), [&](const BagTopic& topic) {
      return topic.name == name && topic.type == type;
    });
    topic_of_[number] = static_cast<std::uint32_t>(same - topics_.begin());
    if (same == topics_.end()) topics_.push_back({name, type, Encoding::ros1});
  }

  /// Connections in a chunk, and the messages too where it has no index.
  void look_into(std::uint32_t chunk, bool with_messages) {
    const Unpacked unpacked = unpack(chunk);
    RecordReader reader(*unpacked, bytes_->name());
    while (reader.left() > 0) {
      const std::uint64_t offset = reader.position();
      const Fields fields(reader.bytes(reader.u32()), bytes_->name());
      const auto data = reader.bytes(reader.u32());
      const auto op = fields.number("op", 1);
      if (op == kConnection) take_connection(fields, data);
      if (op == kMessage && with_messages) {
        pending_.push_back({fields.number("conn", 4), fields.time_ns("time"), {chunk, offset}});
      }
    }
  }

  std::vector<Indexed> pending_;
  std::vector<bool> has_index_;  ///< by chunk
};

}  // namespace

std::unique_ptr<Bag> open_ros1_bag(std::unique_ptr<ByteSource> bytes) {
  const auto magic =
      bytes->size() < kMagic.size() ? std::vector<std::uint8_t>() : bytes->read(0, kMagic.size());
  if (!std::equal(magic.begin(), magic.end(), kMagic.begin(), kMagic.end())) {
    throw Error(ErrorKind::corruption, "expected a bag of ROS 1, version 2.0, in " + bytes->name() +
                                           ", found another beginning");
  }
  return std::make_unique<Ros1Bag>(std::move(bytes));
}

}  // namespace looptree::detail

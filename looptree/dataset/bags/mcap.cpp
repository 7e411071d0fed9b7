// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// MCAP: records of a kind, a length and content; schemas name types, channels name topics. Messages
// lie in chunks, behind each of which their places are listed, or between other records.
#include <algorithm>
#include <array>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/chunked_bag.hpp"

namespace looptree::detail {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum Op : std::uint8_t {
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kDataEnd = 0x0f,
};

using Bytes = std::span<const std::uint8_t>;

/// In front of every record: its kind and its length.
constexpr std::size_t kRecordHead = 9;
/// In front of a message's data: channel, sequence number, two times.
constexpr std::size_t kMessageHead = 22;

class Mcap final : public ChunkedBag {
 public:
  explicit Mcap(std::unique_ptr<ByteSource> bytes) : ChunkedBag(std::move(bytes)) {
    std::uint64_t at = kMagic.size();
    while (!ended_) at = take_record(at);
    const bool all_known = std::all_of(pending_.begin(), pending_.end(), [&](const Indexed& each) {
      return topic_of_.contains(each.channel);
    });
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      if (!all_known || !has_index_[i]) look_into(i, !has_index_[i]);
    }
    for (const Indexed& each : pending_) {
      const auto topic = topic_of_.find(each.channel);
      if (topic == topic_of_.end()) {
        throw Error(ErrorKind::corruption, "expected a channel " + std::to_string(each.channel) +
                                               " in " + bytes_->name() +
                                               ", found messages of it alone");
      }
      add_message(topic->second, each.time_ns, each.place);
    }
    pending_.clear();
    sort_by_time();
  }

 private:
  struct Indexed {
    std::uint64_t channel;
    std::uint64_t time_ns;
    Place place;
  };

  Extent extent_of(Bytes record) const override {
    RecordReader reader(record, bytes_->name());
    const auto kind = reader.number(1);
    const std::uint64_t length = reader.u64();
    if (kind != kMessage || length < kMessageHead) {
      throw Error(ErrorKind::corruption, "expected a message at its place in " + bytes_->name() +
                                             ", found another record");
    }
    return {kRecordHead + kMessageHead, length - kMessageHead};
  }

  std::uint64_t take_record(std::uint64_t at) {
    const auto head = bytes_->read(at, kRecordHead);
    RecordReader reader(head, bytes_->name());
    const auto kind = reader.number(1);
    const std::uint64_t length = reader.u64();
    const std::uint64_t content = at + kRecordHead;
    if (length > bytes_->size()) bytes_->read(content, length);  // says so
    if (kind == kChunk) {
      take_chunk(content, length);
    } else if (kind == kMessage) {
      const auto start = bytes_->read(content, std::min<std::uint64_t>(length, kMessageHead));
      take_message(start, {std::nullopt, at});
      bytes_->read(content + length, 0);
    } else if (kind == kMessageIndex) {
      take_index(bytes_->read(content, length));
    } else if (kind == kSchema || kind == kChannel) {
      take_description(kind, bytes_->read(content, length));
    } else {
      bytes_->read(content + length, 0);
    }
    // What lies behind the footer is the magic once more.
    ended_ = kind == kFooter;
    return content + length;
  }

  void take_chunk(std::uint64_t content, std::uint64_t length) {
    constexpr std::uint64_t kFixed = 8 + 8 + 8 + 4;  // times, size, checksum
    const auto head = bytes_->read(content, std::min<std::uint64_t>(length, 256));
    RecordReader reader(head, bytes_->name());
    reader.bytes(kFixed);
    std::string compression = reader.text();
    const std::uint64_t size = reader.u64();
    const std::uint64_t start = reader.position();
    if (size > length - start) {
      throw Error(ErrorKind::corruption, "expected a chunk's messages inside its record in " +
                                             bytes_->name() + ", found more");
    }
    bytes_->read(content + length, 0);
    chunks_.push_back({content + start, size, std::move(compression)});
    has_index_.push_back(false);
  }

  void take_index(const std::vector<std::uint8_t>& content) {
    if (chunks_.empty()) return;
    const auto chunk = static_cast<std::uint32_t>(chunks_.size() - 1);
    has_index_[chunk] = true;
    RecordReader reader(content, bytes_->name());
    const std::uint64_t channel = reader.u16();
    RecordReader entries(reader.bytes(reader.u32()), bytes_->name());
    while (entries.left() > 0) {
      const std::uint64_t time_ns = entries.u64();
      pending_.push_back({channel, time_ns, {chunk, entries.u64()}});
    }
  }

  void take_description(std::uint64_t kind, Bytes content) {
    RecordReader reader(content, bytes_->name());
    const std::uint16_t id = reader.u16();
    if (kind == kSchema) {
      types_[id] = ros1_type(reader.text());
      return;
    }
    if (topic_of_.contains(id)) return;
    const std::uint16_t schema = reader.u16();
    std::string topic = reader.text();
    const std::string encoding = reader.text();
    const auto type = types_.find(schema);
    topic_of_[id] = static_cast<std::uint32_t>(topics_.size());
    topics_.push_back({std::move(topic), type == types_.end() ? "" : type->second,
                       encoding == "ros1" ? Encoding::ros1 : Encoding::cdr});
  }

  void take_message(Bytes start, const Place& place) {
    RecordReader reader(start, bytes_->name());
    const std::uint64_t channel = reader.u16();
    reader.u32();
    pending_.push_back({channel, reader.u64(), place});
  }

  void look_into(std::uint32_t chunk, bool with_messages) {
    const Unpacked unpacked = unpack(chunk);
    RecordReader reader(*unpacked, bytes_->name());
    while (reader.left() > 0) {
      const std::uint64_t offset = reader.position();
      const auto kind = reader.number(1);
      const auto content = reader.bytes(reader.u64());
      if (kind == kSchema || kind == kChannel) take_description(kind, content);
      if (kind == kMessage && with_messages) take_message(content, {chunk, offset});
    }
  }

  std::map<std::uint16_t, std::string> types_;  ///< by schema
  std::vector<Indexed> pending_;
  std::vector<bool> has_index_;  ///< by chunk
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Bag> open_mcap(std::unique_ptr<ByteSource> bytes) {
  const auto magic =
      bytes->size() < kMagic.size() ? std::vector<std::uint8_t>() : bytes->read(0, kMagic.size());
  if (!std::equal(magic.begin(), magic.end(), kMagic.begin(), kMagic.end())) {
    throw Error(ErrorKind::corruption,
                "expected an MCAP file in " + bytes->name() + ", found another beginning");
  }
  return std::make_unique<Mcap>(std::move(bytes));
}

}  // namespace looptree::detail

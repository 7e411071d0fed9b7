// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "looptree/dataset/bags/detail/bag.hpp"

namespace looptree::detail {

/// Numbers and strings of a record, in order, little-endian. Throws Error(corruption) past its end.
class RecordReader {
 public:
  RecordReader(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(&name) {}

  std::uint64_t number(std::size_t width);
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::span<const std::uint8_t> bytes(std::uint64_t count);
  /// With its length in front.
  std::string text();
  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

 private:
  std::span<const std::uint8_t> bytes_;
  const std::string* name_;
  std::size_t position_ = 0;
};

/// A bag whose messages lie in chunks that may be compressed. Keeps the chunks that were used last
/// unpacked.
class ChunkedBag : public Bag {
 public:
  std::vector<std::uint8_t> read(std::size_t message, std::size_t at_most) const final;

 protected:
  explicit ChunkedBag(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}

  struct Chunk {
    std::uint64_t position = 0;  ///< of its packed bytes in the file
    std::uint64_t size = 0;      ///< of these
    std::string compression;
  };
  /// Where a message's record lies: in a chunk, or, without one, in the file.
  struct Place {
    std::optional<std::uint32_t> chunk;
    std::uint64_t offset = 0;
  };
  /// Where in a record of a message its data lie.
  struct Extent {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
  };
  /// The extent of the message whose record begins these bytes, which are the first of it. Throws
  /// Error(corruption) for a record of another kind.
  virtual Extent extent_of(std::span<const std::uint8_t> record) const = 0;

  using Unpacked = std::shared_ptr<const std::vector<std::uint8_t>>;
  Unpacked unpack(std::uint32_t chunk) const;
  void add_message(std::uint32_t topic, std::uint64_t time_ns, const Place& place);
  /// In order of time; of equal times, of the file.
  void sort_by_time();
  /// The place of a topic among the topics, by the file's number for it.
  std::map<std::uint64_t, std::uint32_t> topic_of_;
  std::vector<Chunk> chunks_;
  std::unique_ptr<ByteSource> bytes_;

 private:
  std::vector<std::uint8_t> read_plain(const Place& place, std::size_t at_most) const;
  [[noreturn]] void refuse_place() const;

  std::vector<Place> places_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint32_t, Unpacked> recent_;
};

}  // namespace looptree::detail

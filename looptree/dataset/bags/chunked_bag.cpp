// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/bags/detail/chunked_bag.hpp"

#include <algorithm>
#include <numeric>

#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/decompress.hpp"

namespace looptree::detail {
namespace {

/// What lies in front of a message's data is shorter than this.
constexpr std::size_t kHead = 1024;

}  // namespace

std::uint64_t RecordReader::number(std::size_t width) {
  const auto from = bytes(width);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

std::span<const std::uint8_t> RecordReader::bytes(std::uint64_t count) {
  if (count > left()) {
    throw Error(ErrorKind::corruption, "expected " + std::to_string(count) +
                                           " more bytes in a record of " + *name_ + ", found " +
                                           std::to_string(left()));
  }
  const auto result = bytes_.subspan(position_, static_cast<std::size_t>(count));
  position_ += static_cast<std::size_t>(count);
  return result;
}

std::string RecordReader::text() {
  const auto from = bytes(u32());
  return {from.begin(), from.end()};
}

std::vector<std::uint8_t> ChunkedBag::read(std::size_t message, std::size_t at_most) const {
  const Place& place = places_[message];
  if (!place.chunk || chunks_[*place.chunk].compression.empty()) return read_plain(place, at_most);
  const Unpacked chunk = unpack(*place.chunk);
  if (place.offset > chunk->size()) refuse_place();
  const auto record = std::span(*chunk).subspan(static_cast<std::size_t>(place.offset));
  const Extent extent = extent_of(record.first(std::min(record.size(), kHead)));
  if (extent.start > record.size() || extent.bytes > record.size() - extent.start) refuse_place();
  const auto part = record.subspan(static_cast<std::size_t>(extent.start),
                                   std::min<std::uint64_t>(at_most, extent.bytes));
  return {part.begin(), part.end()};
}

/// Only as much as is asked for is read of what is not compressed.
std::vector<std::uint8_t> ChunkedBag::read_plain(const Place& place, std::size_t at_most) const {
  std::uint64_t start = place.offset;
  std::uint64_t end = bytes_->size();
  if (place.chunk) {
    const Chunk& chunk = chunks_[*place.chunk];
    if (place.offset > chunk.size) refuse_place();
    start += chunk.position;
    end = chunk.position + chunk.size;
  }
  if (start > end) refuse_place();
  const auto head = bytes_->read(start, std::min<std::uint64_t>(end - start, kHead));
  const Extent extent = extent_of(head);
  if (extent.start > end - start || extent.bytes > end - start - extent.start) refuse_place();
  return bytes_->read(start + extent.start, std::min<std::uint64_t>(at_most, extent.bytes));
}

void ChunkedBag::refuse_place() const {
  throw Error(ErrorKind::corruption,
              "expected a message inside its chunk in " + bytes_->name() + ", found one outside");
}

ChunkedBag::Unpacked ChunkedBag::unpack(std::uint32_t number) const {
  constexpr std::size_t kKept = 4;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = recent_.find(number); found != recent_.end()) return found->second;
  }
  const Chunk& chunk = chunks_[number];
  auto unpacked = std::make_shared<const std::vector<std::uint8_t>>(
      decompress(chunk.compression, bytes_->read(chunk.position, chunk.size), bytes_->name()));
  const std::lock_guard lock(mutex_);
  // A route is read forwards: the first chunk is the one that is not needed any more.
  if (recent_.size() >= kKept) recent_.erase(recent_.begin());
  recent_[number] = unpacked;
  return unpacked;
}

void ChunkedBag::add_message(std::uint32_t topic, std::uint64_t time_ns, const Place& place) {
  messages_.push_back({topic, time_ns});
  places_.push_back(place);
}

void ChunkedBag::sort_by_time() {
  std::vector<std::size_t> order(messages_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return messages_[a].time_ns < messages_[b].time_ns;
  });
  std::vector<BagMessage> messages;
  std::vector<Place> places;
  for (const std::size_t i : order) {
    messages.push_back(messages_[i]);
    places.push_back(places_[i]);
  }
  messages_ = std::move(messages);
  places_ = std::move(places);
}

std::string ros1_type(std::string type) {
  const std::size_t middle = type.find("/msg/");
  if (middle != std::string::npos) type.erase(middle, 4);
  return type;
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/bytes.hpp"

#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

constexpr std::size_t kSealBytes = 8;

std::uint64_t little_endian(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

std::uint64_t hash_bytes(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

void ByteWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
  byte(static_cast<std::uint8_t>(value));
}

void ByteWriter::text(std::string_view text) {
  varint(text.size());
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

void ByteWriter::fixed(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
}

ByteReader ByteReader::sealed(ByteView bytes, std::uint64_t seed, std::string what) {
  ByteReader reader(bytes, std::move(what));
  if (bytes.size() < kSealBytes) {
    reader.fail("only " + std::to_string(bytes.size()) + " bytes");
  }
  reader.rest_ = bytes.first(bytes.size() - kSealBytes);
  if (hash_bytes(reader.rest_, seed) != seal_of(bytes)) reader.fail("a checksum that differs");
  return reader;
}

std::uint8_t ByteReader::byte() {
  return raw(1)[0];
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const std::uint8_t next = byte();
    value |= std::uint64_t{next & 0x7Fu} << shift;
    if (next < 0x80) return value;
  }
  fail("a number of more than 63 bits");
}

ByteView ByteReader::raw(std::size_t count) {
  if (count > rest_.size()) fail("an early end");
  const ByteView result = rest_.first(count);
  rest_ = rest_.subspan(count);
  return result;
}

std::size_t ByteReader::count(std::size_t bytes_each) {
  const std::uint64_t value = varint();
  if (value > left() / bytes_each) {
    fail("a count of " + std::to_string(value) + " in the last " + std::to_string(left()) +
         " bytes");
  }
  return static_cast<std::size_t>(value);
}

void ByteReader::expect_end() const {
  if (!rest_.empty()) fail(std::to_string(rest_.size()) + " bytes too many");
}

void ByteReader::fail(const std::string& found) const {
  throw Error(ErrorKind::corruption,
              what_ + ": expected bytes as looptree writes them, found " + found);
}

std::uint64_t ByteReader::fixed(std::size_t bytes) {
  return little_endian(raw(bytes));
}

Bytes reseal(ByteView sealed, std::uint64_t seed, std::uint64_t new_seed, std::string what) {
  ByteReader reader = ByteReader::sealed(sealed, seed, std::move(what));
  ByteWriter writer;
  writer.raw(reader.raw(reader.left()));
  writer.seal(new_seed);
  return writer.take();
}

std::uint64_t seal_of(ByteView sealed) {
  return sealed.size() < kSealBytes ? 0 : little_endian(sealed.last(kSealBytes));
}

}  // namespace looptree::detail

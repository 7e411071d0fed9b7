// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/snapshots.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/index/snapshot.hpp"
#include "looptree/store/detail/bytes.hpp"

namespace looptree::detail {
namespace {

constexpr std::uint8_t kTagVersion = 1;

Bytes encode_tag(const MapRow& row, const Cursor& cursor) {
  ByteWriter writer;
  writer.byte(kTagVersion);
  writer.u64(row.vocabulary.hash);
  writer.u32(row.vocabulary.words);
  writer.text(row.topology.name());
  writer.u64(static_cast<std::uint64_t>(cursor.generation));
  writer.u32(cursor.next_frame);
  writer.u64(static_cast<std::uint64_t>(cursor.next_erasure));
  writer.u64(static_cast<std::uint64_t>(cursor.next_closure));
  for (const Digest& digest : cursor.digests.of) {
    writer.u64(static_cast<std::uint64_t>(digest.rows));
    writer.u64(digest.sum);
  }
  return writer.take();
}

/// The cursor of a tag; nothing if it is not one of this map.
std::optional<Cursor> decode_tag(ByteView tag, const MapRow& row) {
  ByteReader reader(tag, "tag of a snapshot");
  if (reader.byte() != kTagVersion) return std::nullopt;
  Cursor cursor;
  const bool same = reader.u64() == row.vocabulary.hash && reader.u32() == row.vocabulary.words;
  const ByteView topology = reader.raw(reader.count(1));
  cursor.generation = static_cast<std::int64_t>(reader.u64());
  cursor.next_frame = reader.u32();
  cursor.next_erasure = static_cast<std::int64_t>(reader.u64());
  cursor.next_closure = static_cast<std::int64_t>(reader.u64());
  for (Digest& digest : cursor.digests.of) {
    digest.rows = static_cast<std::int64_t>(reader.u64());
    digest.sum = reader.u64();
  }
  reader.expect_end();
  const std::string name = row.topology.name();
  const bool as_named = std::equal(topology.begin(), topology.end(), name.begin(), name.end());
  if (!same || !as_named || cursor.generation != row.generation) return std::nullopt;
  return cursor;
}

}  // namespace

Snapshots::Snapshots(const std::filesystem::path& map, std::size_t every)
    : path_(map), every_(every) {
  path_ += "-snapshot";
}

Snapshots::~Snapshots() {
  if (under_way_.valid()) under_way_.wait();
}

std::optional<Snapshots::Restored> Snapshots::open(const MapRow& row, const Digests& stored,
                                                   std::size_t threads) {
  forget();
  if (every_ == 0 || !std::filesystem::exists(path_)) return std::nullopt;
  try {
    const std::vector<std::byte> tag = snapshot_tag(path_);
    const std::optional<Cursor> cursor =
        decode_tag({reinterpret_cast<const std::uint8_t*>(tag.data()), tag.size()}, row);
    if (!cursor) return std::nullopt;
    for (const std::size_t table : {1, 2, 4}) {  // those that only grow within a generation
      if (cursor->digests.of[table].rows > stored.of[table].rows) return std::nullopt;
    }
    PooledIndex index = open_snapshot(
        path_, {row.vocabulary.words, row.topology, row.vocabulary.word_weights}, threads);
    if (index.next_id().value != cursor->next_frame) return std::nullopt;
    last_ = tried_ = cursor;
    return Restored{std::make_shared<PooledIndex>(std::move(index)), *cursor};
  } catch (const Error&) {
    return std::nullopt;  // derived data: what is wrong with it is made again
  }
}

std::size_t Snapshots::changes(const std::optional<Cursor>& since, const Cursor& cursor,
                               const PooledIndex& index) {
  if (!since || since->generation != cursor.generation) return index.size();
  return cursor.next_frame - since->next_frame +
         static_cast<std::size_t>(cursor.next_erasure - since->next_erasure);
}

void Snapshots::collect() {
  if (!under_way_.valid()) return;
  try {
    if (under_way_.get()) last_ = tried_;
  } catch (const std::exception&) {
    // No space for it, say. It is tried again after as many changes.
  }
}

void Snapshots::write_if_due(const MapRow& row, const Cursor& cursor,
                             const std::shared_ptr<const PooledIndex>& index) noexcept {
  // Counted from the last attempt: one that failed because frames are erased all the time would
  // fail again at once.
  if (every_ == 0 || changes(tried_, cursor, *index) < std::max(every_, index->size() / 2)) return;
  if (under_way_.valid() &&
      under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return;
  }
  try {
    collect();
    tried_ = cursor;
    under_way_ = std::async(std::launch::async, [snapshot = IndexSnapshot(index), path = path_,
                                                 tag = encode_tag(row, cursor)]() mutable {
      return snapshot.write(path, std::as_bytes(std::span(tag)));
    });
  } catch (const std::exception&) {
    // No memory or no thread for it: as if it had failed later.
  }
}

void Snapshots::finish(const MapRow& row, const Cursor& cursor,
                       const std::shared_ptr<const PooledIndex>& index) noexcept {
  try {
    collect();
    if (every_ == 0 || changes(last_, cursor, *index) <
                           std::max({every_ / 10, index->size() / 50, std::size_t{1}})) {
      return;
    }
    const Bytes tag = encode_tag(row, cursor);
    if (IndexSnapshot(index).write(path_, std::as_bytes(std::span(tag)))) last_ = cursor;
  } catch (const std::exception&) {
    // As above; the map itself is safe.
  }
}

}  // namespace looptree::detail

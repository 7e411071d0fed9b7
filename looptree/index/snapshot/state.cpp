// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// How the parts of an index are written to a snapshot and read back. What is read may be anything:
// nothing is used before it is known to stay inside the file, the vocabulary and the frames.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "looptree/index/core/sessions.hpp"
#include "looptree/index/frames/segment.hpp"
#include "looptree/index/snapshot/piece.hpp"

namespace looptree::detail {
namespace {

using Shape = ForwardEntry::Shape;
static_assert(sizeof(Shape) == 24 && std::is_trivially_copyable_v<Shape>);

/// Instead of the number of words of a layout: it is that of the segment before.
constexpr std::uint32_t kSameLayout = ~std::uint32_t{0};

/// The bits of a block's first frames. Bits lie in bytes by position, as in rows.
FrameBits first_frames(std::uint32_t count) {
  FrameBits bits;
  for (std::uint32_t position = 0; position < count; ++position) bits.set(position);
  return bits;
}

void expect(bool holds, const char* what) {
  SnapshotSource::expect(holds, what);
}

}  // namespace

void PostingLists::save(SnapshotPiece& piece) const {
  piece.reserve(bytes() + 64 * kSnapshotAlignment);
  piece.put(static_cast<std::uint32_t>(chunks_.size()));
  piece.put(used_in_last_);
  for (const auto& free : free_) {
    piece.put(static_cast<std::uint32_t>(free.size()));
    piece.put_array(std::span<const std::uint32_t>(free));
  }
  piece.put_array(heads_.values());
  for (const auto& chunk : chunks_) {
    piece.put_array(std::span<const std::uint16_t>(chunk.get(), kChunk));
  }
}

std::unique_ptr<PostingLists> PostingLists::load(SnapshotSource& source,
                                                 std::uint32_t vocabulary_size,
                                                 std::uint32_t slots) {
  auto lists = std::make_unique<PostingLists>(vocabulary_size);
  const auto chunks = source.get<std::uint32_t>();
  lists->used_in_last_ = source.get<std::uint32_t>();
  expect(lists->used_in_last_ <= kChunk && (chunks > 0 || lists->used_in_last_ == kChunk),
         "a chunk of lists that is used up to its end at most");
  for (auto& free : lists->free_) {
    const auto count = source.get<std::uint32_t>();
    const auto places = source.get_array<std::uint32_t>(count);
    free.assign(places.begin(), places.end());
  }
  const auto heads = source.get_array<Head>(vocabulary_size);
  std::copy(heads.begin(), heads.end(), lists->heads_.values().begin());
  for (std::uint32_t i = 0; i < chunks; ++i) {
    std::uint16_t* chunk = source.get_array<std::uint16_t>(kChunk).data();
    lists->chunks_.emplace_back(std::const_pointer_cast<void>(source.owner()), chunk);
  }
  for (std::size_t log2 = 0; log2 < lists->free_.size(); ++log2) {
    for (const std::uint32_t place : lists->free_[log2]) {
      expect(lists->inside(place, 1u << log2), "free places inside the lists");
    }
  }
  for (const Head& head : heads) {
    expect(lists->sound(head, slots), "lists of ascending slots");
  }
  return lists;
}

bool PostingLists::sound(const Head& head, std::uint32_t slots) const {
  if (head.count > slots) return false;
  const bool outside = head.count > kInline;
  if (outside && !inside(where(head), std::bit_ceil(std::max(head.count, 16u)))) return false;
  const std::uint16_t* list = outside ? storage(head) : head.slots.data();
  std::uint32_t wrong = head.count > 0 && list[head.count - 1] >= slots ? 1 : 0;
  for (std::uint32_t i = 1; i < head.count; ++i) wrong |= list[i - 1] >= list[i] ? 1 : 0;
  return wrong == 0;
}

void Sessions::save_chunk(SnapshotPiece& piece, std::size_t c, std::uint32_t next,
                          const std::function<bool(std::uint32_t)>& stored) const {
  piece.put(static_cast<std::uint8_t>(chunks_[c] ? 1 : 0));
  if (!chunks_[c]) return;
  std::array<SessionId, kChunk> then = chunks_[c]->sessions;
  const std::size_t first = c * kChunk;
  if (next < first + kChunk) std::fill(then.begin() + (next - first), then.end(), SessionId{});
  piece.put_array(std::span<const SessionId>(then));
  for (std::size_t i = 0; i < kChunk; i += 64) {
    std::uint64_t bits = 0;
    for (std::size_t bit = 0; bit < 64; ++bit) {
      const std::size_t frame = first + i + bit;
      const bool is = frame < next && stored(static_cast<std::uint32_t>(frame));
      bits |= std::uint64_t{is} << bit;
    }
    piece.put(bits);
  }
}

Sessions::Loaded Sessions::load(SnapshotSource& source) {
  Loaded loaded;
  Sessions& table = loaded.sessions;
  table.next_ = source.get<std::uint32_t>();
  const std::size_t chunks = (std::size_t{table.next_} + kChunk - 1) / kChunk;
  for (std::size_t c = 0; c < chunks; ++c) {
    const bool partial = c + 1 == chunks && table.next_ % kChunk != 0;
    const std::size_t end = partial ? table.next_ % kChunk : kChunk;
    loaded.stored.resize(c * kChunk + end, false);
    if (source.get<std::uint8_t>() == 0) {
      expect(!partial, "the chunk of sessions that is being filled");
      table.chunks_.push_back(nullptr);
      continue;
    }
    table.chunks_.push_back(std::make_unique<Chunk>());
    Chunk& chunk = *table.chunks_.back();
    const auto sessions = source.get_array<SessionId>(kChunk);
    std::copy(sessions.begin(), sessions.end(), chunk.sessions.begin());
    for (std::size_t i = 0; i < kChunk; i += 64) {
      for (auto bits = source.get<std::uint64_t>(); bits != 0; bits &= bits - 1) {
        const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(bits));
        expect(at < end, "frames below the next id only");
        loaded.stored[c * kChunk + at] = true;
        ++chunk.frames;
      }
    }
  }
  return loaded;
}

void Segment::save_head(SnapshotPiece& piece, const RowLayout* before) const {
  const bool same = layout_.get() == before;
  piece.put(same ? kSameLayout : static_cast<std::uint32_t>(layout_->rows()));
  if (!same) piece.put_array(std::span<const std::uint32_t>(layout_->words()));
  piece.put(slots());
  piece.put(static_cast<std::uint32_t>(ids_.capacity()));
  piece.put_array(std::span<const std::uint32_t>(ids_));
}

void Segment::save_block(SnapshotPiece& piece, std::size_t number, BlockPart part) const {
  const Block& block = blocks_[number];
  const std::span<const ForwardEntry> frames = std::span(block.forward).first(part.frames);
  std::vector<Shape> shapes;
  std::size_t bytes = 0;
  for (const ForwardEntry& frame : frames) {
    shapes.push_back(frame.shape());
    bytes += frame.bytes();
  }
  piece.reserve(bytes + shapes.size() * sizeof(Shape) + 8 * kSnapshotAlignment);
  piece.put(part.scale);
  piece.put(static_cast<std::uint8_t>(block.rows.empty() ? 0 : 1));
  const FrameBits then = first_frames(part.frames);
  for (std::size_t i = 0; i < then.words.size(); ++i) {
    piece.put(block.alive.words[i] & then.words[i]);
  }
  piece.put_array(std::span<const Shape>(shapes));
  piece.align();
  for (const ForwardEntry& frame : frames) piece.append(frame.data(), frame.bytes());
  piece.align();
}

void Segment::save_rows(SnapshotPiece& piece, std::size_t number, BlockPart part, std::size_t first,
                        std::size_t last) const {
  const Lines& rows = blocks_[number].rows;
  if (part.frames == kBlockFrames) {
    piece.append(rows.line(first), (last - first) * kLine);
    return;
  }
  const FrameBits then = first_frames(part.frames);
  piece.reserve((last - first) * kLine);
  for (std::size_t line = first; line < last; ++line) {
    std::array<std::uint64_t, kLine / sizeof(std::uint64_t)> bits{};
    std::memcpy(bits.data(), rows.line(line), kLine);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= then.words[i];
    piece.append(bits.data(), kLine);
  }
}

std::shared_ptr<const RowLayout> Segment::load_layout(SnapshotSource& source,
                                                      std::shared_ptr<const RowLayout> before,
                                                      std::uint32_t vocabulary_size) {
  const auto count = source.get<std::uint32_t>();
  if (count == kSameLayout) {
    expect(before != nullptr, "a layout of the first segment");
    return before;
  }
  const auto words = source.get_array<std::uint32_t>(count);
  std::vector<std::uint32_t> distinct(words.begin(), words.end());
  std::sort(distinct.begin(), distinct.end());
  expect(std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end() &&
             (distinct.empty() || distinct.back() < vocabulary_size),
         "rows of distinct words of the vocabulary");
  return std::make_shared<const RowLayout>(std::move(distinct), vocabulary_size);
}

std::unique_ptr<Segment> Segment::load(SnapshotSource& source,
                                       std::shared_ptr<const RowLayout> layout,
                                       const IdfTable& idf) {
  auto segment = std::make_unique<Segment>(std::move(layout), idf);
  segment->snapshot_ = source.owner();
  segment->load_ids(source);
  while (segment->blocks_.size() * kBlockFrames < segment->slots()) {
    source.align();
    segment->load_block(source);
    if (segment->blocks_.back().forward.size() == kBlockFrames) segment->count_rows();
  }
  source.align();
  segment->postings_ = PostingLists::load(source, idf.words(), segment->slots());
  return segment;
}

void Segment::load_ids(SnapshotSource& source) {
  const auto slots = source.get<std::uint32_t>();
  const auto capacity = source.get<std::uint32_t>();
  expect(slots > 0 && slots <= kFrames && capacity >= slots && capacity <= kFrames,
         "1 to 65536 frames in a segment");
  const auto ids = source.get_array<std::uint32_t>(slots);
  expect(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end(),
         "ascending ids");
  ids_.reserve(capacity);
  ids_.assign(ids.begin(), ids.end());
}

void Segment::load_block(SnapshotSource& source) {
  Block block;
  const auto frames = static_cast<std::uint32_t>(
      std::min<std::size_t>(kBlockFrames, slots() - blocks_.size() * kBlockFrames));
  block.scale = source.get<double>();
  const bool has_rows = source.get<std::uint8_t>() != 0;
  for (std::uint64_t& bits : block.alive.words) {
    bits = source.get<std::uint64_t>();
    block.live += static_cast<std::uint32_t>(std::popcount(bits));
  }
  expect(std::isfinite(block.scale) && block.scale >= 0, "a finite scale");
  expect(has_rows ? layout_->rows() > 0 : layout_->rows() == 0 || block.live == 0,
         "rows where the layout has some");
  const auto shapes = source.get_array<Shape>(frames);
  std::uint64_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.size;
  const std::uint8_t* data = source.get_array<std::uint8_t>(bytes).data();
  block.forward.reserve(std::bit_ceil(frames));  // as it grew
  for (std::uint32_t position = 0; position < kBlockFrames; ++position) {
    const bool alive = block.alive.test(position);
    expect(position < frames ? alive == (shapes[position].size > 0) : !alive,
           "words of every frame that is stored");
    if (position >= frames) continue;
    if (!alive) {
      block.forward.emplace_back();
      continue;
    }
    block.forward.emplace_back(data, shapes[position]);
    expect(block.forward.back().sound(idf_.words()), "words of the vocabulary");
    data += shapes[position].size;
  }
  const std::size_t lines = has_rows ? layout_->lines() : 0;
  const auto rows = source.get_array<std::uint8_t>(lines * kLine);
  // Copied, since searches need them on large pages, which a mapped file has not.
  if (has_rows) block.rows = lines_.copy(rows.data(), lines);
  live_ += block.live;
  scale_ = std::max(scale_, block.scale);
  blocks_.push_back(std::move(block));
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/segment.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

namespace looptree::detail {
namespace {

/// How frequent a word is that gets a row. A row takes 64 bytes for 512 frames, a list two bytes a
/// frame, so memory breaks even at 32 of them; a row is read so much faster that half of that is
/// enough. Half again pays where it leaves hardly a word of a query without a row: with 10,000
/// words a search then needs no posting lists, and with 100,000 it takes a sixth less time for a
/// quarter more memory.
double row_density(std::uint32_t vocabulary_size) {
  constexpr std::uint32_t kSmallVocabulary = 1u << 17;
  return (vocabulary_size <= kSmallVocabulary ? 8.0 : 16.0) / kBlockFrames;
}

/// A word keeps its row until it is this much rarer: a layout that follows every wobble is not
/// shared.
constexpr double kKeep = 0.5;

/// One of so many blocks is counted for the document frequencies: to count all would make opening a
/// map take longer.
constexpr std::size_t kCountEvery = 8;

std::uint32_t count_bits(const std::uint8_t* line) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kLine; i += sizeof(std::uint64_t)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, line + i, sizeof(bits));
    count += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return count;
}

void set_bit(std::uint8_t* line, std::uint32_t position) {
  line[position / 8] |= static_cast<std::uint8_t>(1u << (position % 8));
}

void clear_bit(std::uint8_t* line, std::uint32_t position) {
  line[position / 8] &= static_cast<std::uint8_t>(~(1u << (position % 8)));
}

/// The capacity for so many elements, twice the former one if that is too small.
std::size_t grown(std::size_t capacity, std::size_t size) {
  return size <= capacity ? capacity : std::max(size, 2 * capacity);
}

}  // namespace

Segment::Segment(std::shared_ptr<const RowLayout> layout, const IdfTable& idf, SegmentRoom room)
    : idf_(idf),
      layout_(std::move(layout)),
      lines_(std::move(room.lines)),
      postings_(room.postings ? std::move(room.postings)
                              : std::make_unique<PostingLists>(idf.words())),
      sampling_(layout_->rows() == 0),
      frequent_at_(frequent_among(sampling_ ? kSampleFrames : kFrames)) {}

/// The frames of so many that have a word that gets a row.
std::uint32_t Segment::frequent_among(std::uint32_t frames) const {
  const double share = row_density(idf_.words()) * frames;
  return std::max(1u, static_cast<std::uint32_t>(std::ceil(share)));
}

std::uint32_t Segment::slot_of(std::uint32_t id) const {
  return static_cast<std::uint32_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
}

void Segment::append(std::uint32_t id, PreparedFrame& frame) {
  const std::uint32_t slot = slots();
  const std::uint32_t position = slot % kBlockFrames;
  // All that may fail comes first; then the frame is there at once.
  ids_.reserve(grown(ids_.capacity(), slot + 1));
  if (position == 0 && blocks_.size() == slot / kBlockFrames) {
    Block block;
    if (layout_->rows() > 0) {
      block.rows = ahead_.empty() ? lines_.allocate(layout_->lines()) : std::move(ahead_);
    }
    ahead_ = {};
    blocks_.push_back(std::move(block));
  }
  Block& block = blocks_.back();
  block.forward.reserve(grown(block.forward.capacity(), position + 1));
  add_words(slot, frame);
  block.scale = std::max(block.scale, frame.factors.scale);
  scale_ = std::max(scale_, frame.factors.scale);
  block.forward.push_back(std::move(frame.forward));
  block.alive.set(position);
  ++block.live;
  ++live_;
  ids_.push_back(id);
  if (slots() % kBlockFrames == 0) count_rows();
  prepare_next_block();
}

/// The rows of a block are megabytes that the system has to find and to zero. While the second half
/// of a block fills, those of the next are asked for and touched, a part with every frame.
void Segment::prepare_next_block() noexcept {
  constexpr std::size_t kPage = 4096;
  constexpr std::uint32_t kFrom = kBlockFrames / 2;
  const std::uint32_t position = slots() % kBlockFrames;
  if (position < kFrom || layout_->rows() == 0 || blocks_.size() * kBlockFrames == kFrames) return;
  if (position == kFrom) {
    try {
      if (ahead_.empty()) ahead_ = lines_.allocate(layout_->lines());
    } catch (const std::bad_alloc&) {
      return;  // the next block asks again, and has somebody to tell
    }
  }
  const std::size_t pages = (ahead_.bytes() + kPage - 1) / kPage;
  const std::size_t share = pages / (kBlockFrames - kFrom) + 1;
  const std::size_t first = (position - kFrom) * share;
  for (std::size_t page = first; page < std::min(pages, first + share); ++page) {
    *static_cast<volatile std::uint8_t*>(ahead_.data() + page * kPage) = 0;
  }
}

void Segment::pop(const FixedHistogram& words) noexcept {
  const std::uint32_t slot = slots() - 1;
  remove_words(slot, words.words());
  Block& block = blocks_.back();
  block.alive.reset(slot % kBlockFrames);
  block.forward.pop_back();
  --block.live;
  --live_;
  ids_.pop_back();
  if (slot % kBlockFrames == 0) blocks_.pop_back();
}

/// Every word is somewhere else: where its place is, and then what is written there, are asked for
/// in time.
void Segment::add_words(std::uint32_t slot, const PreparedFrame& frame) {
  constexpr std::size_t kAhead = 16;
  Lines& rows = blocks_.back().rows;
  const std::span<const std::uint32_t> words = frame.words.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 2 * kAhead < words.size()) layout_->prefetch(words[i + 2 * kAhead]);
    if (i + kAhead < words.size()) {
      const std::uint32_t later = words[i + kAhead];
      const std::uint32_t line = layout_->line(later);
      line == RowLayout::kNoRow ? postings_->prefetch(later)
                                : __builtin_prefetch(rows.line(line), 1);
    }
    const std::uint32_t line = layout_->line(words[i]);
    if (line != RowLayout::kNoRow) {
      set_bit(rows.line(line), slot % kBlockFrames);
      if (frame.factors.repeated[i] != 0) {
        set_bit(rows.line(layout_->repeated_line(line)), slot % kBlockFrames);
      }
      continue;
    }
    try {
      postings_->append(words[i], static_cast<std::uint16_t>(slot));
      note_frequent(words[i]);
    } catch (...) {
      remove_words(slot, words.first(i));
      throw;
    }
  }
}

void Segment::remove_words(std::uint32_t slot, std::span<const std::uint32_t> words) noexcept {
  Lines& rows = blocks_.back().rows;
  for (const std::uint32_t word : words) {
    const std::uint32_t line = layout_->line(word);
    if (line == RowLayout::kNoRow) {
      postings_->pop(word);
    } else {
      clear_bit(rows.line(line), slot % kBlockFrames);
      clear_bit(rows.line(layout_->repeated_line(line)), slot % kBlockFrames);
    }
  }
}

void Segment::count_rows() {
  const Block& full = blocks_.back();
  if (full.rows.empty() || (blocks_.size() - 1) % kCountEvery != 0) return;
  row_counts_.resize(layout_->rows(), 0);
  counted_ += kBlockFrames;
  for (std::size_t row = 0; row < layout_->rows(); ++row) {
    row_counts_[row] += count_bits(full.rows.line(row + 1));
  }
}

void Segment::erase(std::uint32_t slot) {
  Block& block = blocks_[slot / kBlockFrames];
  block.alive.reset(slot % kBlockFrames);
  block.forward[slot % kBlockFrames] = {};
  --block.live;
  --live_;
  const bool filling = slot / kBlockFrames + 1 == blocks_.size() && slots() % kBlockFrames != 0;
  if (block.live == 0 && !filling) block.rows = {};
}

void Segment::note_frequent(std::uint32_t word) {
  const bool notes = !sampling_ || slots() < kSampleFrames;
  if (!notes || postings_->count(word) != frequent_at_) return;
  try {
    frequent_.push_back(word);
  } catch (const std::bad_alloc&) {
    // The word keeps its list in the next segment, too: slower, not wrong.
  }
}

void Segment::note_frequent_again(bool sampling) {
  sampling_ = sampling && layout_->rows() == 0;
  frequent_at_ = frequent_among(sampling_ ? kSampleFrames : kFrames);
  frequent_.clear();
  if (slots() < frequent_at_) return;
  for (std::uint32_t word = 0; word < idf_.words(); ++word) {
    const std::span<const std::uint16_t> list = postings_->list(word);
    if (list.size() < frequent_at_) continue;
    if (!sampling_ || list[frequent_at_ - 1] < kSampleFrames) frequent_.push_back(word);
  }
}

std::shared_ptr<const RowLayout> Segment::better_layout(
    std::optional<RowLayout::Table> room) const {
  const double keep = row_density(idf_.words()) * kKeep * counted_;
  std::vector<std::uint32_t> words;
  for (std::size_t row = 0; row < layout_->rows(); ++row) {
    if (counted_ == 0 || row_counts_[row] >= keep) words.push_back(layout_->words()[row]);
  }
  const bool changed = words.size() != layout_->rows() || !frequent_.empty();
  if (!changed) return layout_;
  words.insert(words.end(), frequent_.begin(), frequent_.end());
  if (!room) room.emplace(idf_.words());
  return std::make_shared<const RowLayout>(std::move(words), *std::move(room));
}

std::size_t Segment::lines_to_come(std::size_t words_of_a_frame) const {
  const std::size_t known = layout_->rows() + frequent_.size();
  const std::size_t rows =
      sampling_ ? kSampleFrames * words_of_a_frame / frequent_at_ : known + known / 16;
  return 1 + 2 * std::min<std::size_t>(idf_.words(), rows);
}

std::size_t Segment::bytes() const {
  std::size_t bytes = sizeof(Segment) + lines_.unused_bytes() + ahead_.bytes() +
                      postings_->bytes() + ids_.capacity() * sizeof(ids_[0]) +
                      blocks_.capacity() * sizeof(blocks_[0]);
  bytes += row_counts_.capacity() * sizeof(row_counts_[0]);
  bytes += frequent_.capacity() * sizeof(frequent_[0]);
  for (const Block& block : blocks_) {
    bytes += block.rows.bytes() + block.forward.capacity() * sizeof(ForwardEntry);
    for (const ForwardEntry& frame : block.forward) bytes += frame.bytes();
  }
  return bytes;
}

}  // namespace looptree::detail

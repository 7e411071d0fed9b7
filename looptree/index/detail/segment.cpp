// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/segment.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace looptree::detail {
namespace {

/// How frequent a word is that gets a row. A row takes 64 bytes for 512 frames, a list two bytes a
/// frame, so memory breaks even at 32 of them; a row is read so much faster that half of that is
/// enough. Half again pays where it leaves hardly a word of a query without a row: with 10,000
/// words a search then needs no sums for lists, and with 100,000 it takes a sixth less time for a
/// quarter more memory.
double row_density(std::uint32_t vocabulary_size) {
  constexpr std::uint32_t kSmallVocabulary = 1u << 17;
  return (vocabulary_size <= kSmallVocabulary ? 8.0 : 16.0) / kRowBits;
}
/// A word keeps its row until it is this much rarer: a layout that follows every wobble is not
/// shared.
constexpr double kKeep = 0.5;

/// One of so many blocks is counted to know how frequent words are: opening a map would take longer
/// if all were.
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

}  // namespace

Segment::Segment(std::shared_ptr<const RowLayout> layout, const WordUnits& units)
    : units_(units),
      layout_(std::move(layout)),
      lists_(std::make_unique<WordLists>(units.words())) {}

std::uint32_t Segment::slot_of(std::uint32_t id) const {
  return static_cast<std::uint32_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
}

void Segment::append(std::uint32_t id, const Terms& terms, const Factors& factors,
                     ForwardList forward) {
  const std::uint32_t slot = slots();
  if (slot % kRowBits == 0) {
    blocks_.emplace_back();
    if (layout_->rows() > 0) blocks_.back().rows = lines_.allocate(layout_->lines());
  }
  Block& block = blocks_.back();
  block.forward.push_back(std::move(forward));
  set(block.alive, slot % kRowBits);
  ++block.live;
  block.scale = std::max(block.scale, factors.scale);
  add_words(slot, terms, factors);
  ids_.push_back(id);
  ++live_;
  scale_ = std::max(scale_, factors.scale);
  if (slots() % kRowBits == 0) count_rows();
}

/// Every word is somewhere else: where its place is, and then what is written there, are asked for
/// in time.
void Segment::add_words(std::uint32_t slot, const Terms& terms, const Factors& factors) {
  constexpr std::size_t kAhead = 16;
  Lines& rows = blocks_.back().rows;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + 2 * kAhead < terms.size()) layout_->prefetch(terms.words[i + 2 * kAhead]);
    if (i + kAhead < terms.size()) {
      const std::uint32_t later = terms.words[i + kAhead];
      const std::uint32_t line = layout_->line(later);
      line == RowLayout::kNoRow ? lists_->prefetch(later) : __builtin_prefetch(rows.line(line), 1);
    }
    const std::uint32_t line = layout_->line(terms.words[i]);
    if (line == RowLayout::kNoRow) {
      lists_->append(terms.words[i], static_cast<std::uint16_t>(slot));
      continue;
    }
    set_bit(rows.line(line), slot % kRowBits);
    if (factors.heavy[i] != 0) set_bit(rows.line(layout_->heavy_line(line)), slot % kRowBits);
  }
}

void Segment::count_rows() {
  const Block& full = blocks_.back();
  if (full.rows.empty() || (blocks_.size() - 1) % kCountEvery != 0) return;
  row_counts_.resize(layout_->rows(), 0);
  counted_ += kRowBits;
  for (std::size_t row = 0; row < layout_->rows(); ++row) {
    row_counts_[row] += count_bits(full.rows.line(row + 1));
  }
}

void Segment::erase(std::uint32_t slot) {
  Block& block = blocks_[slot / kRowBits];
  block.alive.words[slot % kRowBits / 64] &= ~(std::uint64_t{1} << (slot % 64));
  block.forward[slot % kRowBits] = {};
  --block.live;
  --live_;
  const bool filling = slot / kRowBits + 1 == blocks_.size() && slots() % kRowBits != 0;
  if (block.live == 0 && !filling) block.rows = {};
}

std::shared_ptr<const RowLayout> Segment::better_layout() const {
  const double density = row_density(units_.words());
  const double frames = live_;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> row_counts(layout_->rows(), 0);
  for (const Block& block : blocks_) {
    if (block.rows.empty()) continue;
    for (std::uint32_t row = 0; row < layout_->rows(); ++row) {
      row_counts[row] += count_bits(block.rows.line(row + 1));
    }
  }
  bool changed = false;
  for (std::uint32_t word = 0; word < units_.words(); ++word) {
    const std::uint32_t line = layout_->line(word);
    const bool has_row = line != RowLayout::kNoRow;
    const double count = has_row ? row_counts[line - 1] : static_cast<double>(lists_->count(word));
    const bool wants_row = count >= frames * density * (has_row ? kKeep : 1);
    changed |= wants_row != has_row;
    if (wants_row) words.push_back(word);
  }
  return changed ? std::make_shared<const RowLayout>(std::move(words), units_) : layout_;
}

std::unique_ptr<Segment> Segment::repacked(std::shared_ptr<const RowLayout> layout) const {
  auto result = std::make_unique<Segment>(std::move(layout), units_);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    if (!alive(slot)) continue;
    PreparedFrame frame(forward(slot).decode(units_), units_);
    result->append(ids_[slot], frame.terms.view(), frame.factors, std::move(frame.forward));
  }
  return result;
}

std::size_t Segment::bytes() const {
  std::size_t bytes = sizeof(Segment) + lines_.unused_bytes() + lists_->bytes() +
                      ids_.capacity() * sizeof(ids_[0]) + blocks_.capacity() * sizeof(blocks_[0]);
  bytes += row_counts_.capacity() * sizeof(row_counts_[0]);
  for (const Block& block : blocks_) {
    bytes += block.rows.bytes() + block.forward.capacity() * sizeof(ForwardList);
    for (const ForwardList& frame : block.forward) bytes += frame.bytes();
  }
  return bytes;
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "looptree/common/ids.hpp"

namespace looptree::detail {

class SnapshotPiece;
class SnapshotSource;

/// Which frames are stored, and the session of each. In chunks, so that a map that forgets its
/// oldest frames for ever does not grow with the ids it has used.
class FrameTable {
 public:
  /// The id the next frame gets.
  std::uint32_t next() const { return next_; }
  std::size_t live() const { return live_; }

  void append(SessionId session) {
    if (next_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    Chunk& chunk = *chunks_.back();
    chunk.sessions[next_ % kChunk] = session;
    chunk.stored.set(next_ % kChunk);
    ++chunk.live;
    ++live_;
    ++next_;
  }

  /// The next ids stay without a frame.
  void skip(std::uint32_t count) {
    next_ += count;
    chunks_.resize((std::size_t{next_} + kChunk - 1) / kChunk);
    if (next_ % kChunk != 0 && !chunks_.back()) chunks_.back() = std::make_unique<Chunk>();
  }

  void erase(std::uint32_t frame) {
    std::unique_ptr<Chunk>& chunk = chunks_[frame / kChunk];
    chunk->stored.reset(frame % kChunk);
    --live_;
    const bool filled = frame / kChunk < next_ / kChunk;
    if (--chunk->live == 0 && filled) chunk.reset();
  }

  bool contains(std::uint32_t frame) const {
    return frame < next_ && chunks_[frame / kChunk] &&
           chunks_[frame / kChunk]->stored.test(frame % kChunk);
  }
  /// Of a stored frame.
  SessionId session(std::uint32_t frame) const {
    return chunks_[frame / kChunk]->sessions[frame % kChunk];
  }

  /// To a snapshot and back. Throws Error(corruption) for what save() would not have written.
  void save(SnapshotPiece& piece) const;
  static FrameTable load(SnapshotSource& source);

  std::size_t bytes() const {
    std::size_t bytes = chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_) bytes += chunk ? sizeof(Chunk) : 0;
    return bytes;
  }

 private:
  static constexpr std::uint32_t kChunk = 1024;
  struct Chunk {
    std::array<SessionId, kChunk> sessions{};
    std::bitset<kChunk> stored;
    std::uint32_t live = 0;
  };

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t next_ = 0;
  std::size_t live_ = 0;
};

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "looptree/common/ids.hpp"

namespace looptree::detail {

class SnapshotPiece;
class SnapshotSource;

/// The session of every frame, and the id that the next one gets. In chunks, so that a map that
/// forgets its oldest frames for ever does not grow with the ids it has used.
class Sessions {
 public:
  /// The id the next frame gets.
  std::uint32_t next() const { return next_; }

  /// Makes room for the next frame, so that append() cannot fail.
  void reserve() {
    if (chunks_.size() == next_ / kChunk) {
      chunks_.push_back(std::make_unique<Chunk>());
    }
  }
  /// After reserve().
  void append(SessionId session) noexcept {
    Chunk& chunk = *chunks_.back();
    chunk.sessions[next_ % kChunk] = session;
    ++chunk.frames;
    ++next_;
  }

  /// Takes the last frame out again.
  void pop() noexcept {
    --next_;
    --chunks_.back()->frames;
  }

  /// The next ids stay without a frame.
  void skip(std::uint32_t count) {
    const std::uint32_t after = next_ + count;
    chunks_.resize((std::size_t{after} + kChunk - 1) / kChunk);
    if (after % kChunk != 0 && !chunks_.back()) chunks_.back() = std::make_unique<Chunk>();
    next_ = after;
  }

  /// Of a stored frame, which is stored no longer.
  void erase(std::uint32_t frame) {
    std::unique_ptr<Chunk>& chunk = chunks_[frame / kChunk];
    const bool filled = frame / kChunk < next_ / kChunk;
    if (--chunk->frames == 0 && filled) chunk.reset();
  }

  /// Of a stored frame.
  SessionId operator[](std::uint32_t frame) const {
    return chunks_[frame / kChunk]->sessions[frame % kChunk];
  }

  /// To a snapshot, in chunks: the first `next` frames, and which of them are stored.
  static std::size_t chunks(std::uint32_t next) {
    return (std::size_t{next} + kChunk - 1) / kChunk;
  }
  void save_chunk(SnapshotPiece& piece, std::size_t c, std::uint32_t next,
                  const std::function<bool(std::uint32_t)>& stored) const;
  struct Loaded;
  /// Throws Error(corruption) for what save() would not have written.
  static Loaded load(SnapshotSource& source);

  std::size_t bytes() const {
    std::size_t bytes = chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_) bytes += chunk ? sizeof(Chunk) : 0;
    return bytes;
  }

 private:
  static constexpr std::uint32_t kChunk = 1024;
  struct Chunk {
    std::array<SessionId, kChunk> sessions{};
    std::uint32_t frames = 0;  // of them that are stored
  };

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t next_ = 0;
};

/// What a snapshot says: the sessions, and which frames are to be stored.
struct Sessions::Loaded {
  Sessions sessions;
  std::vector<bool> stored;  ///< by id
};

}  // namespace looptree::detail

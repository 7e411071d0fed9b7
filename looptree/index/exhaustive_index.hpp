// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/common_words.hpp"
#include "looptree/index/query.hpp"

namespace looptree {

struct InsertOptions {
  /// The map or run the frame belongs to; filters can ask for it.
  SessionId session{0};
  /// Threads to prepare several frames with that are inserted together; 0: all of the machine.
  /// ExhaustiveIndex takes no notice.
  std::size_t threads = 1;
};

/// The oracle: scores every frame one by one with intersection(). Slow, and obviously right; every
/// faster search of this library is tested for equality with it.
///
/// Same contract as PooledIndex, but for threads: queries may run concurrently with each other, not
/// with a change. The pooling options of a query (slack, beam) have nothing to act on here.
class LOOPTREE_EXPORT ExhaustiveIndex {
 public:
  /// For words in [0, vocabulary_size).
  explicit ExhaustiveIndex(std::uint32_t vocabulary_size);
  ~ExhaustiveIndex();
  ExhaustiveIndex(ExhaustiveIndex&&) noexcept;
  ExhaustiveIndex& operator=(ExhaustiveIndex&&) noexcept;

  FrameId insert(const Histogram& histogram, InsertOptions options = {});
  bool erase(FrameId frame);
  void clear();
  std::size_t size() const;
  QueryResult query(const Histogram& histogram, const QueryOptions& options = {}) const;
  CommonWords common_words(const Histogram& histogram,
                           const CommonWordsOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace looptree

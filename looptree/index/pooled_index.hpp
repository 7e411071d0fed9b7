// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/common_words.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/query.hpp"
#include "looptree/index/topology.hpp"

namespace looptree {
namespace detail {
class SnapshotRestore;
}

struct IndexOptions {
  /// The number of words of the vocabulary; words lie below it. Required.
  std::uint32_t vocabulary_size = 0;
  /// Grouping and pooling; the default, d1, is exact and needs no tuning.
  Topology topology = {};
  /// What one occurrence of each word weighs before normalisation: the vocabulary's idf for tf-idf
  /// histograms, nothing for binary and tf. Answers do not depend on it; speed and memory do, by a
  /// factor of two or three. Empty, or one per word.
  std::vector<double> word_weights = {};
};

/// Heap bytes an index holds, capacity included.
struct MemoryUsage {
  std::size_t frames = 0;           ///< frames stored now
  std::size_t bytes = 0;            ///< all of it
  std::vector<std::size_t> layers;  ///< of which each layer's storage, from the frames up
  double bytes_per_frame() const {
    return frames == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(frames);
  }
};

/// Frames of a route as histograms, pooled into a tree that a query descends from the top.
///
/// The paper's data structure: an inverted index in every layer, searched breadth first, a node's
/// children only where its pooled histogram scores high enough. With d1, max or sum pooling a query
/// returns exactly the frames, scores and order that ExhaustiveIndex returns, to the bit. With mean
/// pooling it follows the paper's lossy rule (QueryOptions::slack); a node's mean counts every
/// frame below it alike.
///
/// Grows by insertion: no training, no preparation, a query may follow any insert. Frame ids are
/// 0, 1, 2, ... in order of insertion and are not used again after erase().
///
/// Threads: any number of queries run concurrently with each other and with one insert, erase or
/// clear at a time, and see the state before or after it, never between. Several writers take
/// turns. Same input, same answer, to the bit, whatever the threads, the machine and the batch.
class LOOPTREE_EXPORT PooledIndex {
 public:
  /// Throws Error(invalid_argument) if vocabulary_size is 0 or word_weights has another size.
  explicit PooledIndex(IndexOptions options);
  ~PooledIndex();
  PooledIndex(PooledIndex&&) noexcept;
  PooledIndex& operator=(PooledIndex&&) noexcept;

  /// Adds a frame and returns its id, the next in order. The histogram is L1-normalised (its sum is
  /// 1 within 0.001), not empty, and within the vocabulary, or Error(invalid_argument) is thrown
  /// and nothing changes. Cost: words of the frame x layers.
  FrameId insert(const Histogram& histogram, InsertOptions options = {});
  /// The same with a histogram that was checked and rounded before; only that it is not empty and
  /// lies within the vocabulary is checked again.
  FrameId insert(const FixedHistogram& histogram, InsertOptions options = {});

  /// Adds frames in order, all or none, and returns the id of the first; the same as inserting them
  /// one by one, with one wait for running queries instead of many, and with most of the work on
  /// `options.threads` threads.
  FrameId insert(std::span<const Histogram> histograms, InsertOptions options = {});
  FrameId insert(std::span<const FixedHistogram> histograms, InsertOptions options = {});

  /// Passes over the next `count` ids, as if frames had been inserted there and erased long ago;
  /// returns the first of them.
  FrameId leave_vacant(std::uint32_t count);

  /// Removes a frame: it is never returned again. False if there is no such frame (any more).
  /// Its space, and what it gave to the pooled nodes above, is reclaimed once half of what they
  /// hold has been erased; bounds stay valid all the while, so exact searches stay exact.
  bool erase(FrameId frame);

  /// Back to an empty index with the same options; ids start at 0 again.
  void clear();

  /// The frames that match, best first; see QueryOptions. Throws Error(invalid_argument) for a
  /// histogram that insert() would refuse or options out of range.
  QueryResult query(const Histogram& histogram, const QueryOptions& options = {}) const;

  /// One result per histogram, all against the same state, on `options.threads` threads (0: all).
  std::vector<QueryResult> query(std::span<const Histogram> histograms,
                                 const QueryOptions& options = {}) const;

  /// The frames that have most words in common with the histogram: what ORB-SLAM selects its
  /// candidates from. Exact under every topology, since frames are counted and nodes are not.
  /// Words so once that the index rounds their weight to nothing (below 2^-32) do not count.
  /// Throws Error(invalid_argument) as query() does, and Error(unsupported) for a query of more
  /// than 65535 distinct words.
  CommonWords common_words(const Histogram& histogram,
                           const CommonWordsOptions& options = {}) const;

  /// Frames stored now; erased ones do not count.
  std::size_t size() const;
  /// The id the next frame will get.
  FrameId next_id() const;
  bool contains(FrameId frame) const;
  /// The histogram of a frame, weights rounded as the index keeps them (histogram/fixed_point.hpp);
  /// nothing if it is not stored.
  std::optional<Histogram> histogram(FrameId frame) const;
  std::optional<SessionId> session(FrameId frame) const;
  MemoryUsage memory() const;
  const IndexOptions& options() const;

 private:
  friend class IndexSnapshot;
  friend class detail::SnapshotRestore;
  friend LOOPTREE_EXPORT PooledIndex open_snapshot(const std::filesystem::path&, IndexOptions,
                                                   std::size_t);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// What a SLAM system asked of its keyframe database, and what it was answered: the records of a
/// trace in order. docs/formats/keyframe_trace.md describes the file. Keyframes go by the system's
/// own numbers, which need not be dense and start again after a TraceClear.
using KeyframeNumber = std::uint64_t;

/// A keyframe as the database first sees it.
struct TraceKeyframe {
  KeyframeNumber keyframe = 0;
  std::uint64_t frame = 0;  ///< the system's number of the frame it was made of
  std::uint64_t image = 0;  ///< of the sequence
  double time = 0;          ///< the image's, in seconds
  Histogram histogram;      ///< exactly the system's vector, L1-normalised; may be empty
};
struct TraceAdd {
  KeyframeNumber keyframe = 0;
};
struct TraceErase {
  KeyframeNumber keyframe = 0;
  bool present = true;  ///< false: it was not in the database
};
/// Everything so far is forgotten.
struct TraceClear {};
/// The best covisible neighbours of a keyframe, best first, until told otherwise.
struct TraceNeighbours {
  KeyframeNumber keyframe = 0;
  std::vector<KeyframeNumber> neighbours;
  bool next_query_only = false;
};
/// All keyframes connected to one that the next query returns.
struct TraceConnected {
  KeyframeNumber keyframe = 0;
  std::vector<KeyframeNumber> connected;
};
/// A frame without a keyframe: what the next relocalisation asks about.
struct TraceFrame {
  std::uint64_t frame = 0;
  std::uint64_t image = 0;
  double time = 0;
  Histogram histogram;
};

struct TraceScore {
  KeyframeNumber keyframe = 0;
  std::uint32_t common = 0;  ///< words in common; 0 among left-over scores
  float score = 0;
  friend bool operator==(const TraceScore&, const TraceScore&) = default;
};
/// What a query was answered, and how that came about.
struct TraceAnswer {
  std::size_t sharing = 0;         ///< keyframes with a word in common, excluded ones left out
  std::uint32_t most_common = 0;   ///< the most words in common with one of these
  std::vector<TraceScore> scored;  ///< those with enough of them, in the order they were met
  std::vector<KeyframeNumber> returned;
};
struct TraceLoopQuery {
  KeyframeNumber keyframe = 0;
  std::size_t database = 0;  ///< keyframes in the database
  double microseconds = 0;   ///< it took the system
  float min_score = 0;
  std::vector<KeyframeNumber> excluded;
  TraceAnswer answer;
};
struct TraceRelocalization {
  std::uint64_t frame = 0;
  std::size_t database = 0;
  double microseconds = 0;
  TraceAnswer answer;
  /// Scores that the system added although no query (or an earlier one) had computed them.
  std::vector<TraceScore> left_over;
};

using TraceRecord = std::variant<TraceKeyframe, TraceAdd, TraceErase, TraceClear, TraceNeighbours,
                                 TraceConnected, TraceLoopQuery, TraceFrame, TraceRelocalization>;

/// Reads a trace record by record; gzip or plain text. Each vector is recomputed from its words and
/// checked against the hash that the trace gives, so a histogram that comes out is the system's, to
/// the bit. One thread at a time.
class LOOPTREE_EXPORT KeyframeTraceReader {
 public:
  /// Opens the file and reads up to the vocabulary's weights. Throws Error(not_found), and as
  /// next() does.
  explicit KeyframeTraceReader(const std::filesystem::path& path);
  ~KeyframeTraceReader();
  KeyframeTraceReader(KeyframeTraceReader&&) noexcept;
  KeyframeTraceReader& operator=(KeyframeTraceReader&&) noexcept;

  /// One weight per word of the vocabulary.
  std::span<const double> word_weights() const;
  /// The settings of the run, as written; empty if there are none.
  const std::string& settings() const;

  /// The next record, or nothing at the end. Throws Error(corruption) with the line for a damaged
  /// or truncated trace, and Error(io) if the file cannot be read.
  std::optional<TraceRecord> next();

  /// The line of the record returned last, from 1.
  std::size_t line() const;
  /// Bytes of the file read so far, and in all; for progress.
  std::size_t bytes_read() const;
  std::size_t bytes_total() const;

  /// Error(corruption) about the line returned last: "expected ..., found ...".
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace looptree

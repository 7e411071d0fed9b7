// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/dataset/keyframe_trace.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::evaluate {

/// What a trace asks of a keyframe database at one point.
struct TraceQuestion {
  const Histogram& histogram;
  float min_score = 0;                         ///< loops; 0 for a relocalisation
  std::span<const KeyframeNumber> excluded;    ///< keyframes connected to the query
  std::span<const TraceScore> left_over = {};  ///< relocalisation, to imitate what ORB-SLAM reads
  bool count_sharing = false;                  ///< fill TraceAnswer::sharing
  /// The best covisible neighbours of a keyframe, best first.
  std::function<std::span<const KeyframeNumber>(KeyframeNumber)> neighbours;
};

/// A keyframe database under replay. The histogram of a keyframe outlives its stay.
class TraceEngine {
 public:
  TraceEngine() = default;
  TraceEngine(const TraceEngine&) = delete;
  TraceEngine& operator=(const TraceEngine&) = delete;
  virtual ~TraceEngine() = default;

  virtual std::string name() const = 0;
  /// Whether ask() selects candidates as ORB-SLAM does, so that the whole answer can be checked.
  /// Otherwise it searches: `returned` are all keyframes that score at least the minimum.
  virtual bool selects() const = 0;

  /// A keyframe that is in already is in twice, as in ORB-SLAM: each of its words counts double.
  virtual void add(KeyframeNumber keyframe, const Histogram& histogram) = 0;
  /// Takes it out once; nothing happens if it is not in.
  virtual void erase(KeyframeNumber keyframe) = 0;
  virtual void clear() = 0;
  /// Turns the query into the form that the engine's users have it in before they ask. Not timed;
  /// ask() follows, once or more, with the same histogram.
  virtual void prepare(const Histogram& /*query*/) {}
  virtual TraceAnswer ask(const TraceQuestion& question) const = 0;
};

/// loop_candidates() over an index of one layer, with DBoW2's scores.
LOOPTREE_EVALUATE_EXPORT std::unique_ptr<TraceEngine> make_covisibility_engine(
    std::span<const double> word_weights);

/// PooledIndex::query() for everything that reaches the minimum score, over any topology.
LOOPTREE_EVALUATE_EXPORT std::unique_ptr<TraceEngine> make_search_engine(
    std::span<const double> word_weights, const Topology& topology);

struct ReplayOptions {
  /// Times each question is asked; its time is the median.
  std::size_t repeats = 1;
  ProgressCallback progress = {};  ///< counts bytes of the trace
};

/// Times of one engine in microseconds of processor time, one per query in the order of the trace.
struct EngineTimes {
  std::string name;
  std::vector<double> loop_us;
  std::vector<double> relocalization_us;
  std::vector<double> add_us;
  std::vector<double> erase_us;
};

/// An answer that is not the trace's.
struct ReplayDifference {
  std::size_t line = 0;
  std::string engine;
  std::string what;  ///< "expected ..., found ..."
};

struct ReplayResult {
  std::size_t adds = 0;
  std::size_t erases = 0;
  std::size_t clears = 0;
  std::size_t loops = 0;            ///< queries
  std::size_t relocalizations = 0;  ///< queries
  std::size_t scores = 0;           ///< of the trace, each compared bit by bit
  std::size_t candidates = 0;       ///< returned in the trace's loop answers
  /// Relocalisations whose recorded answer is what this query's scores alone give.
  std::size_t sound_relocalizations = 0;
  std::vector<double> recorded_loop_us;  ///< what the system itself took
  std::vector<EngineTimes> engines;
  std::vector<ReplayDifference> differences;
};

/// Makes an engine for a vocabulary with these weights.
using EngineMaker = std::function<std::unique_ptr<TraceEngine>(std::span<const double>)>;

/// Drives the engines with the trace, side by side: each question goes to all of them, each time in
/// another order, so that whatever else the machine does hits all alike. Answers are compared with
/// the trace's: number of keyframes that share a word, most common words, scored lists with their
/// scores bit by bit, returned lists in order. A search must return every keyframe that the trace
/// scored above the minimum. Relocalisations are checked with the left-over scores the trace
/// records, and timed without.
///
/// Throws Error(corruption) for a trace that is damaged or contradicts itself (a keyframe that was
/// never described, a database of another size), and as KeyframeTraceReader does. Differences are a
/// result, not an error.
LOOPTREE_EVALUATE_EXPORT ReplayResult replay(const std::filesystem::path& trace,
                                             std::span<const EngineMaker> engines,
                                             const ReplayOptions& options = {});

}  // namespace looptree::evaluate

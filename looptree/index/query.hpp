// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// Which frames a query may return. All conditions must hold. They are applied inside the search,
/// before the cut to top_k, so k frames come back whenever k frames qualify.
struct Filter {
  /// Leaves out this many of the newest ids: the frames a moving camera still sees.
  std::uint32_t exclude_recent = 0;
  /// Only frames with first <= id < last.
  FrameId first{0};
  FrameId last{std::numeric_limits<std::uint32_t>::max()};
  /// Only frames of these sessions; without a value, of any.
  std::optional<std::vector<SessionId>> sessions = std::nullopt;
  /// Only frames for which this returns true; empty means all. It is asked about frames that would
  /// otherwise be returned, in no particular order, perhaps twice and perhaps from several threads
  /// at once. It must not call into the index that is searched; another one it may.
  std::function<bool(FrameId)> accept = nullptr;
};

struct QueryOptions {
  /// For top_k and beam: no limit.
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  /// Return at most this many frames, the best. At least 1.
  std::size_t top_k = 10;
  /// Return only frames with at least this score; in [0, 1]. At 0 a frame must still share a word.
  double threshold = 0;
  /// Mean pooling only: search below a node where its score reaches slack * threshold. In [0, 1]: 1
  /// is the paper's rule, 0 searches everything and is exact.
  double slack = 1;
  /// Retrieval mode, if limited: of each pooled layer search only below the `beam` best nodes,
  /// whatever their score (the paper takes 10). Approximate under every pooling. At least 1.
  std::size_t beam = kUnlimited;
  Filter filter = {};
  /// Threads for this one query: 1 is best for maps below some 100,000 frames, 0 takes all cores.
  /// The answer does not depend on it.
  std::size_t threads = 1;
};

/// A frame returned by a query.
struct Match {
  FrameId frame;
  double score = 0;  ///< the intersection with the query, in (0, 1]
  friend bool operator==(const Match&, const Match&) = default;
};

/// What the search did in one layer.
struct LayerStats {
  std::size_t nodes = 0;      ///< nodes (or frames) the layer holds
  std::size_t scored = 0;     ///< of these, compared with the query, by score or by bound
  std::size_t descended = 0;  ///< pooled layers: nodes whose children were searched
  std::size_t exact = 0;      ///< layer 0: frames whose score was computed in full
  friend bool operator==(const LayerStats&, const LayerStats&) = default;
};

struct QueryResult {
  /// Best first; equal scores by lower FrameId. Empty if nothing qualifies.
  std::vector<Match> matches;
  /// From the frames (element 0) up to the top layer.
  std::vector<LayerStats> layers;
};

/// Throws Error(invalid_argument) if a number is outside the range given above.
LOOPTREE_EXPORT void check(const QueryOptions& options);

}  // namespace looptree

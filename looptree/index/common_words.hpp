// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/export.hpp"
#include "looptree/index/query.hpp"

namespace looptree {

struct CommonWordsOptions {
  /// Return the frames with more than this fraction of the most words in common; in [0, 1]. The
  /// product is taken in single precision and cut to a whole number, as ORB-SLAM does. At 0 every
  /// frame that shares a word is returned, at 1 none is.
  float fraction = 0.8f;
  /// And with more than this many.
  std::uint32_t min_words = 0;
  /// Frames it rejects count for nothing, not for the maximum either. Filter::accept is asked only
  /// about frames near the top, so a few dozen connected keyframes cost a few dozen questions.
  Filter filter = {};
  /// Compute CommonFrame::score.
  bool scores = true;
  /// Compute CommonWords::sharing where there is a Filter::accept or a session to ask about, too;
  /// it is then asked about every frame that shares a word.
  bool count_sharing = false;
};

/// A frame and what it has in common with a query.
struct CommonFrame {
  FrameId frame;
  std::uint32_t common = 0;  ///< distinct words that both have
  WordId first;              ///< the lowest of them
  double score = 0;  ///< their intersection, as PooledIndex::query() gives it; 0 if not asked
  friend bool operator==(const CommonFrame&, const CommonFrame&) = default;
};

struct CommonWords {
  /// In the order in which a walk through the lists of the query's words, lowest word first, would
  /// meet them: by CommonFrame::first, then by FrameId.
  std::vector<CommonFrame> frames;
  std::uint32_t most = 0;  ///< the most words in common with any frame that passes the filter
  /// Frames that pass the filter and share a word; 0 if it was not counted, see count_sharing.
  std::size_t sharing = 0;
};

/// Throws Error(invalid_argument) if a number is outside the range given above.
LOOPTREE_EXPORT void check(const CommonWordsOptions& options);

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/common/weighting.hpp"
#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// The norm that a score expects of its histograms.
LOOPTREE_EXPORT Norm norm_of(Score score);

/// The score of two histograms that carry norm_of(score). Sums run in ascending order of words.
/// Score::kl counts a word that `b` lacks as if it had weight epsilon there. Never throws.
LOOPTREE_EXPORT double score(Score score, const Histogram& a, const Histogram& b);

/// The score of the index: sum over words of min(a, b), in [0, 1], for L1-normalised histograms.
///
/// Weights are rounded to multiples of 2^-31 first (see histogram/fixed_point.hpp), so the sum is
/// exact whatever its order and every index returns precisely this number. It differs from
/// score(Score::l1, a, b) by at most the number of words times 2^-32.
LOOPTREE_EXPORT double intersection(const Histogram& a, const Histogram& b);

}  // namespace looptree

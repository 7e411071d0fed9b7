// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "looptree/export.hpp"

namespace looptree {

/// How often a word occurs in the image, and how rare it is elsewhere, become its weight so. The
/// numbers are those that DBoW2's files use.
enum class Weighting {
  tf_idf = 0,  ///< occurrences x word weight
  tf = 1,      ///< occurrences
  idf = 2,     ///< word weight, once
  binary = 3,  ///< 1
};

/// Ways to compare two histograms, with DBoW2's formulas and numbers.
enum class Score {
  l1 = 0,             ///< 1 - |a - b|_1 / 2, the intersection; L1-normalised
  l2 = 1,             ///< 1 - sqrt(1 - a.b); L2-normalised
  chi_square = 2,     ///< 2 sum a b / (a + b); L1-normalised
  kl = 3,             ///< sum a ln(a / b): smaller is better, and not symmetric; L1-normalised
  bhattacharyya = 4,  ///< sum sqrt(a b); L1-normalised
  dot_product = 5,    ///< sum a b; not normalised, see Norm::size
};

LOOPTREE_EXPORT std::string_view to_string(Weighting weighting);
LOOPTREE_EXPORT std::string_view to_string(Score score);

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/progress.hpp"
#include "looptree/common/weighting.hpp"
#include "looptree/export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

struct TrainOptions {
  std::size_t branching = 10;  ///< children per node (k); in [2, 65536]
  std::size_t depth = 6;       ///< levels below the root (L); in [1, 255]
  Weighting weighting = Weighting::tf_idf;
  Score scoring = Score::l1;
  std::uint64_t seed = 0;           ///< another seed gives another, equally good vocabulary
  std::size_t max_iterations = 11;  ///< of the clustering of one node; at least 1
  std::size_t threads = 0;          ///< 0: all of the machine
  StopWords stop_words = {};
  ProgressCallback progress = {};
};

/// A vocabulary of up to branching^depth words, clustered from training descriptors.
///
/// From the root down, the descriptors of a node are split into `branching` clusters: seeds by
/// k-means++, then rounds of assigning each descriptor to the nearest centre (the first of equally
/// near ones) and moving the centre to the mean, or, for binary descriptors, to the bitwise
/// majority (a tie sets the bit), until nothing moves or `max_iterations` is reached. A cluster
/// that runs empty takes the descriptor farthest from its centre. A node of more than 131,072
/// descriptors finds its centres on that many of them, drawn evenly, and then assigns them all. A
/// node whose descriptors are all equal is a leaf at any level.
///
/// `rows_per_image` says how many rows of `descriptors` each training image has, in order; a word's
/// weight is ln(images / images with the word), rounded to single precision so that every file
/// format can hold it, or 1 where the weighting does not use it.
///
/// The result depends on the input and the seed alone, to the bit: not on threads, SIMD level or
/// machine. Throws Error(invalid_argument) for options out of range, rows that do not add up,
/// descriptors that are not finite or all equal; Error(cancelled) on request. Cost: memory, 16
/// bytes per row and the vocabulary; time, rows x branching x depth x iterations distances.
LOOPTREE_EXPORT Vocabulary train_vocabulary(DescriptorView descriptors,
                                            std::span<const std::size_t> rows_per_image,
                                            const TrainOptions& options = {});

}  // namespace looptree

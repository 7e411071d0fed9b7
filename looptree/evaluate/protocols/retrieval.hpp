// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

/// Whose rules an answer is scored by.
enum class RetrievalScore {
  ukbench,  ///< every image asks; `score` is the mean number of right ones in the top 4, itself too
  holidays,  ///< the first image of every label asks; `map` is the mean average precision of the
             ///< rest, the query itself left out
};

struct RetrievalOptions {
  RetrievalScore score = RetrievalScore::ukbench;
  std::size_t group_size = 16;  ///< objects per node of the top layer; at least 1
  std::size_t beam = 10;        ///< nodes searched below, per layer; at least 1
  std::size_t passes = 3;
  std::uint64_t seed = 1;  ///< of the random groups
  ProgressCallback progress = nullptr;
};

/// The paper's image retrieval: flat indexes ("d1", "lists") against three layers, images, objects
/// (images of one label) and groups of objects, these drawn at random ("random-mean", "random-sum",
/// "random-max") or by greedy affinity ("affinity-..."). No threshold; only the beam limits the
/// search. Labels say what an image shows, one per histogram; histograms are L1-normalised and
/// not empty. Facts: images, labels, queries. Metrics: score or map, and times; here `speedup` is a
/// ratio of mean times. Throws Error(invalid_argument) otherwise.
LOOPTREE_EVALUATE_EXPORT EvaluationResult retrieval(std::span<const Histogram> images,
                                                    std::span<const std::uint32_t> labels,
                                                    const WordSpace& words,
                                                    const RetrievalOptions& options = {});

}  // namespace looptree::evaluate

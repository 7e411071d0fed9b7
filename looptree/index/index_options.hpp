// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "looptree/index/pooled_index.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

/// The options of an index for a vocabulary's histograms, complete: its number of words and what
/// one occurrence of each weighs, without which an index answers the same but is two or three
/// times slower and larger. Cost: a copy of the weights.
inline IndexOptions index_options(const Vocabulary& vocabulary, Topology topology = {}) {
  return {vocabulary.size(), std::move(topology), occurrence_weights(vocabulary)};
}

/// The same for histograms that make_histogram() weighs with `word_weights`, one per word, by
/// tf-idf or idf.
inline IndexOptions index_options(std::span<const double> word_weights, Topology topology = {}) {
  return {static_cast<std::uint32_t>(word_weights.size()),
          std::move(topology),
          {word_weights.begin(), word_weights.end()}};
}
inline IndexOptions index_options(std::span<const float> word_weights, Topology topology = {}) {
  return {static_cast<std::uint32_t>(word_weights.size()),
          std::move(topology),
          {word_weights.begin(), word_weights.end()}};
}

}  // namespace looptree

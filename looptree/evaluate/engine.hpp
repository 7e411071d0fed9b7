// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/query.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::evaluate {

/// The words that histograms are made of: what an engine needs to know of a vocabulary.
struct WordSpace {
  std::uint32_t size = 0;
  /// What one occurrence of each word weighs before normalisation, as IndexOptions::word_weights;
  /// answers do not depend on it, speed does. Empty where unknown.
  std::vector<double> weights = {};

  WordSpace() = default;
  /// A bare number of words will do. NOLINTNEXTLINE(google-explicit-constructor)
  WordSpace(std::uint32_t words) : size(words) {}
  explicit WordSpace(std::span<const float> word_weights)
      : size(static_cast<std::uint32_t>(word_weights.size())),
        weights(word_weights.begin(), word_weights.end()) {}
};

/// A search structure under test. Implement it to put a method of your own on the same plot.
class LOOPTREE_EVALUATE_EXPORT Engine {
 public:
  virtual ~Engine();
  /// Adds an L1-normalised histogram; ids count from 0 in order of insertion.
  virtual void insert(const Histogram& histogram) = 0;
  /// The matches, best first. Protocols set threshold, top_k, beam and filter.last.
  virtual std::vector<Match> query(const Histogram& histogram,
                                   const QueryOptions& options) const = 0;
};

/// A method that a protocol measures: a name, and how to make a fresh engine of it.
struct Variant {
  std::string name;
  std::function<std::unique_ptr<Engine>()> make;
  /// Whether raising the threshold only cuts the tail of the answer. Not so with mean pooling,
  /// where it also prunes, so that its curve has to be measured threshold by threshold.
  bool cuts_by_threshold = true;
  /// Whether it is bound to answer as an exact search does. Its curve is then the exact one, and
  /// is not measured again; whether the answers are the same is.
  bool is_exact = false;
  /// Whether its scores are of another kind than the intersection. It then gets a threshold of its
  /// own, by the paper's policy, and its answers are not compared with an exact search's.
  bool own_scale = false;
  /// Which frames of the sequence it inserts, one entry per frame; empty: all. For keyframes.
  std::vector<bool> keep = {};
};

/// By name:
///   d1, d2b16-mean, d3b8-max, ...  PooledIndex of that topology
///   d2b16-mean@0.8                 the same with a slack of 0.8
///   exhaustive                     ExhaustiveIndex, the oracle
///   lists                          an inverted file of linked lists with map accumulators, as
///   DBoW2
///                                  builds it: what the paper measured its speed-ups against
/// Throws Error(invalid_argument) for another name.
LOOPTREE_EVALUATE_EXPORT Variant make_variant(std::string_view name, const WordSpace& words);

/// PooledIndex of a given topology, under a given name.
LOOPTREE_EVALUATE_EXPORT Variant make_variant(std::string name, Topology topology,
                                              const WordSpace& words);

/// `variant` on the frames that `keep` marks, named "keyframes NAME".
LOOPTREE_EVALUATE_EXPORT Variant on_keyframes(Variant variant, std::vector<bool> keep);

LOOPTREE_EVALUATE_EXPORT std::vector<Variant> make_variants(std::span<const std::string> names,
                                                            const WordSpace& words);

}  // namespace looptree::evaluate

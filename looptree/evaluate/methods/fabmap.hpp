// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/methods/chow_liu.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

struct FabMapOptions {
  /// Probability that a word is seen where what makes it is there, and where it is not: the
  /// detector's model, by default the authors'. 0 <= false_detection < detection < 1.
  double detection = 0.39;
  double false_detection = 0;
  /// Prior probability that an image shows a place that is not in the map; in (0, 1).
  double new_place = 0.9;
  /// Frames within this many of each other show one place: their probabilities add up. With 0
  /// every frame is a place of its own.
  std::size_t same_place = 0;
  ChowLiuOptions tree = {};
};

/// What FAB-MAP 2.0 (Cummins and Newman, 2011) knows before it drives: how words depend on each
/// other, and places to compare a new one with. Learned from images of elsewhere, of which only
/// counts which words they show. Immutable; safe to share between threads.
class LOOPTREE_EVALUATE_EXPORT FabMapModel {
 public:
  /// Throws Error(invalid_argument) as learn_chow_liu() does and for options out of range.
  FabMapModel(std::span<const Histogram> training, std::uint32_t vocabulary_size,
              const FabMapOptions& options = {});
  ~FabMapModel();

  const ChowLiuTree& tree() const noexcept;
  const FabMapOptions& options() const noexcept;

  /// The logarithm of the probability of an image at a place whose one image showed `place`, by
  /// the definition, word by word of the whole vocabulary: slow, and what the fast form is tested
  /// against.
  double log_likelihood(const Histogram& image, const Histogram& place) const;

  struct Impl;

 private:
  friend class FabMap;
  std::unique_ptr<const Impl> impl_;
};

/// A place that an image may show.
struct PlaceBelief {
  std::uint32_t frame = 0;    ///< the likeliest frame of the place
  double log_likelihood = 0;  ///< of the image at that frame
  double probability = 0;     ///< of the place, all its frames together, given the image
  double log_odds = 0;        ///< ln(p / (1 - p)), with all its digits where p is nearly 1
};

struct FabMapAnswer {
  std::vector<PlaceBelief> places;      ///< by falling likelihood, ties by frame
  double new_place_log_likelihood = 0;  ///< the mean over the training images as places
  double new_place_probability = 1;
};

/// FAB-MAP 2.0: which place of a map an image shows, or none, by a generative model of words. A
/// place is one image. A place's likelihood differs from that of a place without words only by
/// terms of the place's words; of those only the ones that the image has, or whose parent in the
/// tree it has, depend on the image. They are summed over an inverted index, the rest once at
/// insertion: exact, not an approximation. Every place is as likely as any other beforehand: images
/// are asked one by one, as of the other methods, so FAB-MAP's motion model, its smoothing of a
/// sequence's beliefs and its geometric verification are left out.
///
/// Not thread-safe while inserting.
class LOOPTREE_EVALUATE_EXPORT FabMap {
 public:
  explicit FabMap(std::shared_ptr<const FabMapModel> model);
  ~FabMap();

  /// Frames count from 0. Throws Error(invalid_argument) for a word past the vocabulary, and adds
  /// nothing then.
  void insert(const Histogram& image);
  std::size_t size() const noexcept;

  /// The places among the frames below `last`, at most `count`, of at least these odds. Throws
  /// Error(invalid_argument) for a word past the vocabulary. Cost: the postings of the image's
  /// words and of their children in the tree, for the map and for the training images.
  FabMapAnswer query(const Histogram& image,
                     std::size_t last = std::numeric_limits<std::size_t>::max(),
                     std::size_t count = 1,
                     double min_log_odds = -std::numeric_limits<double>::infinity()) const;

  /// The log-likelihood of the image at every frame below `last`.
  std::vector<double> log_likelihoods(
      const Histogram& image, std::size_t last = std::numeric_limits<std::size_t>::max()) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// FAB-MAP as a method to measure, "fabmap". Its scores are odds^(1/100), squashed to
/// odds^(1/100) / (1 + odds^(1/100)): in the order of the probabilities, most of which are 1 up to
/// the last digit. They have a scale of their own (Variant::own_scale).
LOOPTREE_EVALUATE_EXPORT Variant make_fabmap(std::shared_ptr<const FabMapModel> model,
                                             std::string name = "fabmap");

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "looptree/common/descriptors.hpp"
#include "looptree/compat/bow.hpp"
#include "looptree/export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::compat {

/// A vocabulary with DBoW2's methods and rules over looptree's, for descriptors as rows of memory.
/// The templates of dbow2.hpp and the class of dbow3.hpp put their own descriptor types on top.
///
/// Where DBoW2 would read through a null pointer or go on with nothing, this throws
/// Error(invalid_argument). Const methods may be called from any number of threads at once.
class LOOPTREE_EXPORT BowVocabulary {
 public:
  /// Without words: for create() and load().
  explicit BowVocabulary(int k = 10, int L = 5, WeightingType weighting = TF_IDF,
                         ScoringType scoring = L1_NORM);
  explicit BowVocabulary(const std::string& filename);
  explicit BowVocabulary(looptree::Vocabulary vocabulary);

  /// Reads any file that looptree reads: DBoW2's and DBoW3's YAML, ORB-SLAM's text, binary ones.
  /// Throws Error as looptree::Vocabulary::load() does.
  void load(const std::string& filename);
  /// Writes in the format that the name ends in: .yml, .yml.gz, .txt, .bin (DBoW3), .dbow2,
  /// .looptree. Throws Error(unsupported) for another name, and as Vocabulary::save() does.
  void save(const std::string& filename) const;
  /// The forms of ORB-SLAM's fork: false if the file is not a vocabulary, or not there.
  bool loadFromTextFile(const std::string& filename);
  void saveToTextFile(const std::string& filename) const;
  bool loadFromBinaryFile(const std::string& filename) { return loadFromTextFile(filename); }

  bool empty() const { return !vocabulary_; }
  unsigned int size() const { return vocabulary_ ? vocabulary_->size() : 0; }
  int getBranchingFactor() const { return k_; }
  int getDepthLevels() const { return depth_; }
  /// The mean level of the leaves.
  float getEffectiveLevels() const;
  WeightingType getWeightingType() const { return weighting_; }
  ScoringType getScoringType() const { return scoring_; }
  /// As in DBoW2, the weights of the words stay what they are.
  void setWeightingType(WeightingType type) { weighting_ = type; }
  void setScoringType(ScoringType type) { scoring_ = type; }
  WordValue getWordWeight(WordId wid) const;
  /// Words lighter than this weigh nothing from now on; returns how many there are.
  int stopWords(double minWeight);
  double score(const BowVector& a, const BowVector& b) const;

  /// The vector of an image, normalised as the score asks.
  void transform(DescriptorView features, BowVector& v) const;
  /// And its features by node, `levelsup` levels above the words. Nodes carry looptree's numbers.
  void transform(DescriptorView features, BowVector& v, FeatureVector& fv, int levelsup) const;
  WordId transform_one(DescriptorView feature) const;
  /// Trains on images one after another; clears what was there.
  void create(DescriptorView features, std::span<const std::size_t> rows_per_image);

  /// Throws if there is none yet.
  const looptree::Vocabulary& vocabulary() const;

 protected:
  void set_shape(int k, int L) {
    k_ = k;
    depth_ = L;
  }

 private:
  void adopt(looptree::Vocabulary vocabulary);

  std::optional<looptree::Vocabulary> vocabulary_;
  int k_;
  int depth_;
  WeightingType weighting_;
  ScoringType scoring_;
};

LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const BowVocabulary& vocabulary);

}  // namespace looptree::compat

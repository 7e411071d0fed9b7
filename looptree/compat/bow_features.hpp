// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "looptree/compat/bow.hpp"
#include "looptree/compat/bow_database.hpp"
#include "looptree/compat/bow_vocabulary.hpp"

/// What DBoW2's and DBoW3's interfaces have in common: their names, and a vocabulary and a database
/// that take an image's features as their users hold them.
namespace looptree::compat {

/// The names that both libraries have.
namespace names {

using compat::BHATTACHARYYA;
using compat::BINARY;
using compat::BowVector;
using compat::CHI_SQUARE;
using compat::DOT_PRODUCT;
using compat::EntryId;
using compat::FeatureVector;
using compat::IDF;
using compat::KL;
using compat::L1_NORM;
using compat::L2_NORM;
using compat::NodeId;
using compat::QueryResults;
using compat::Result;
using compat::ScoringType;
using compat::TF;
using compat::TF_IDF;
using compat::WeightingType;
using compat::WordId;
using compat::WordValue;

}  // namespace names

/// `Rows::append(features, rows)` appends the descriptors of `features` to `rows` and returns how
/// many there were.
template <typename Features, typename Rows>
concept FeaturesOf = requires(const Features& features, Descriptors& rows) {
  { Rows::append(features, rows) } -> std::same_as<std::size_t>;
};

template <typename Rows>
class FeatureVocabulary : public BowVocabulary {
 public:
  using BowVocabulary::BowVocabulary;
  using BowVocabulary::transform;

  /// Trains on the features of one image after another.
  template <FeaturesOf<Rows> Features>
  void create(const std::vector<Features>& training_features) {
    Descriptors rows;
    std::vector<std::size_t> per_image;
    for (const Features& image : training_features) per_image.push_back(Rows::append(image, rows));
    BowVocabulary::create(rows.view(), per_image);
  }
  template <FeaturesOf<Rows> Features>
  void create(const std::vector<Features>& training_features, int k, int L) {
    set_shape(k, L);
    create(training_features);
  }
  template <FeaturesOf<Rows> Features>
  void create(const std::vector<Features>& training_features, int k, int L, WeightingType weighting,
              ScoringType scoring) {
    setWeightingType(weighting);
    setScoringType(scoring);
    create(training_features, k, L);
  }

  template <FeaturesOf<Rows> Features>
  void transform(const Features& features, BowVector& v) const {
    const Descriptors rows = to_rows(features);
    transform(rows.view(), v);
  }
  template <FeaturesOf<Rows> Features>
  void transform(const Features& features, BowVector& v, FeatureVector& fv, int levelsup) const {
    const Descriptors rows = to_rows(features);
    transform(rows.view(), v, fv, levelsup);
  }
  /// The word of a single feature.
  template <FeaturesOf<Rows> Feature>
  WordId transform(const Feature& feature) const {
    const Descriptors row = to_rows(feature);
    return transform_one(row.view());
  }

 private:
  template <typename Features>
  static Descriptors to_rows(const Features& features) {
    Descriptors rows;
    Rows::append(features, rows);
    return rows;
  }
};

template <typename Rows, typename Vocabulary>
class FeatureDatabase : public BowDatabase {
 public:
  using BowDatabase::add;
  using BowDatabase::query;

  explicit FeatureDatabase(bool use_di = true, int di_levels = 0)
      : BowDatabase(use_di, di_levels) {}
  /// DBoW2 and DBoW3 read a database from a file here, which this cannot (docs/compat.md); without
  /// these a name, or the address of a vocabulary, would pass for `use_di` and give an empty
  /// database.
  explicit FeatureDatabase(const std::string& filename) = delete;
  template <class T>
  explicit FeatureDatabase(const T* filename, bool use_di = true, int di_levels = 0) = delete;
  template <std::derived_from<Vocabulary> T>
  explicit FeatureDatabase(const T& voc, bool use_di = true, int di_levels = 0)
      : BowDatabase(use_di, di_levels) {
    setVocabulary(voc, use_di, di_levels);
  }

  /// A vocabulary is shared, not copied word by word; the database is cleared.
  template <class T>
  void setVocabulary(const T& voc) {
    setVocabulary(voc, usingDirectIndex(), getDirectIndexLevels());
  }
  template <class T>
  void setVocabulary(const T& voc, bool use_di, int di_levels = 0) {
    reset(voc, use_di, di_levels);
    voc_ = voc;
  }
  const Vocabulary* getVocabulary() const { return voc_.empty() ? nullptr : &voc_; }

  template <FeaturesOf<Rows> Features>
  EntryId add(const Features& features, BowVector* bowvec = nullptr,
              FeatureVector* fvec = nullptr) {
    BowVector own_bow;
    FeatureVector own_features;
    BowVector& v = bowvec != nullptr ? *bowvec : own_bow;
    FeatureVector& fv = fvec != nullptr ? *fvec : own_features;
    voc_.transform(features, v, fv, getDirectIndexLevels());
    return add(v, fv);
  }

  template <FeaturesOf<Rows> Features>
  void query(const Features& features, QueryResults& ret, int max_results = 1,
             int max_id = -1) const {
    BowVector v;
    voc_.transform(features, v);
    query(v, ret, max_results, max_id);
  }

 private:
  Vocabulary voc_;
};

}  // namespace looptree::compat

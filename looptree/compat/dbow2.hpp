// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "looptree/compat/bow.hpp"
#include "looptree/compat/bow_database.hpp"
#include "looptree/compat/bow_vocabulary.hpp"
#include "looptree/compat/descriptor_classes.hpp"

/// DBoW2's interface over looptree. Include this instead of DBoW2/DBoW2.h and say
/// `namespace DBoW2 = looptree::dbow2;` (or change the name), and code written for DBoW2's database
/// compiles and gives its answers. What DBoW2 has and this has not is not declared, so that the
/// compiler says so; docs/compat.md lists it, with the quirks.
namespace looptree::dbow2 {

using compat::BHATTACHARYYA;
using compat::BINARY;
using compat::BowVector;
using compat::CHI_SQUARE;
using compat::DOT_PRODUCT;
using compat::EntryId;
using compat::FBrief;
using compat::FBytes;
using compat::FeatureVector;
using compat::FFloat;
using compat::FORB;
using compat::FSurf64;
using compat::IDF;
using compat::KL;
using compat::L1;
using compat::L1_NORM;
using compat::L2;
using compat::L2_NORM;
using compat::LNorm;
using compat::NodeId;
using compat::QueryResults;
using compat::Result;
using compat::ScoringType;
using compat::TF;
using compat::TF_IDF;
using compat::WeightingType;
using compat::WordId;
using compat::WordValue;

/// The descriptors of an image as rows, one after another.
template <class TDescriptor, class F>
Descriptors to_rows(const std::vector<TDescriptor>& features) {
  Descriptors rows;
  for (const TDescriptor& feature : features) F::append(feature, rows);
  return rows;
}

template <class TDescriptor, class F>
class TemplatedVocabulary : public compat::BowVocabulary {
 public:
  using compat::BowVocabulary::BowVocabulary;
  using compat::BowVocabulary::transform;

  /// Trains on one vector of descriptors per image.
  void create(const std::vector<std::vector<TDescriptor>>& training_features) {
    Descriptors rows;
    std::vector<std::size_t> per_image;
    for (const auto& image : training_features) {
      for (const TDescriptor& feature : image) F::append(feature, rows);
      per_image.push_back(image.size());
    }
    compat::BowVocabulary::create(rows.view(), per_image);
  }
  void create(const std::vector<std::vector<TDescriptor>>& training_features, int k, int L) {
    set_shape(k, L);
    create(training_features);
  }
  void create(const std::vector<std::vector<TDescriptor>>& training_features, int k, int L,
              WeightingType weighting, ScoringType scoring) {
    setWeightingType(weighting);
    setScoringType(scoring);
    create(training_features, k, L);
  }

  void transform(const std::vector<TDescriptor>& features, BowVector& v) const {
    const Descriptors rows = to_rows<TDescriptor, F>(features);
    transform(rows.view(), v);
  }
  void transform(const std::vector<TDescriptor>& features, BowVector& v, FeatureVector& fv,
                 int levelsup) const {
    const Descriptors rows = to_rows<TDescriptor, F>(features);
    transform(rows.view(), v, fv, levelsup);
  }
  WordId transform(const TDescriptor& feature) const {
    Descriptors row;
    F::append(feature, row);
    return transform_one(row.view());
  }
};

template <class TDescriptor, class F>
class TemplatedDatabase : public compat::BowDatabase {
 public:
  using compat::BowDatabase::add;
  using compat::BowDatabase::query;

  explicit TemplatedDatabase(bool use_di = true, int di_levels = 0)
      : BowDatabase(use_di, di_levels) {}
  /// DBoW2 reads a database from a file here, which this cannot (docs/compat.md); without these a
  /// name, or the address of a vocabulary, would pass for `use_di` and give an empty database.
  explicit TemplatedDatabase(const std::string& filename) = delete;
  template <class T>
  explicit TemplatedDatabase(const T* filename, bool use_di = true, int di_levels = 0) = delete;
  template <class T>
  requires std::derived_from<T, TemplatedVocabulary<TDescriptor, F>>
  explicit TemplatedDatabase(const T& voc, bool use_di = true, int di_levels = 0)
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
  const TemplatedVocabulary<TDescriptor, F>* getVocabulary() const {
    return voc_.empty() ? nullptr : &voc_;
  }

  EntryId add(const std::vector<TDescriptor>& features, BowVector* bowvec = nullptr,
              FeatureVector* fvec = nullptr) {
    BowVector own_bow;
    FeatureVector own_features;
    BowVector& v = bowvec != nullptr ? *bowvec : own_bow;
    FeatureVector& fv = fvec != nullptr ? *fvec : own_features;
    voc_.transform(features, v, fv, getDirectIndexLevels());
    return add(v, fv);
  }

  void query(const std::vector<TDescriptor>& features, QueryResults& ret, int max_results = 1,
             int max_id = -1) const {
    BowVector v;
    voc_.transform(features, v);
    query(v, ret, max_results, max_id);
  }

 private:
  TemplatedVocabulary<TDescriptor, F> voc_;
};

typedef TemplatedVocabulary<FORB::TDescriptor, FORB> OrbVocabulary;
typedef TemplatedDatabase<FORB::TDescriptor, FORB> OrbDatabase;
typedef TemplatedVocabulary<FBrief::TDescriptor, FBrief> BriefVocabulary;
typedef TemplatedDatabase<FBrief::TDescriptor, FBrief> BriefDatabase;
typedef TemplatedVocabulary<FSurf64::TDescriptor, FSurf64> Surf64Vocabulary;
typedef TemplatedDatabase<FSurf64::TDescriptor, FSurf64> Surf64Database;

}  // namespace looptree::dbow2

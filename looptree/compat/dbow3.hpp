// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstring>
#include <string>
#include <vector>

#include "looptree/compat/bow.hpp"
#include "looptree/compat/bow_database.hpp"
#include "looptree/compat/bow_vocabulary.hpp"
#include "looptree/compat/descriptor_classes.hpp"

/// DBoW3's interface over looptree, as dbow2.hpp is DBoW2's: an image's descriptors are the rows of
/// one matrix, or a vector of matrices of one row. Any class with cv::Mat's members will do, so
/// OpenCV is not needed here. docs/compat.md says what differs.
namespace looptree::dbow3 {

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

template <typename Mat>
concept Matrix = requires(const Mat& mat) {
  { mat.rows } -> std::convertible_to<int>;
  { mat.cols } -> std::convertible_to<int>;
  { mat.depth() } -> std::convertible_to<int>;
  { mat.template ptr<unsigned char>(0) } -> std::convertible_to<const unsigned char*>;
};

/// Appends the rows of a matrix of bytes (CV_8U) or floats (CV_32F).
template <Matrix Mat>
void append_rows(const Mat& mat, Descriptors& rows) {
  constexpr int kBytes = 0;
  constexpr int kFloats = 5;
  require(mat.depth() == kBytes || mat.depth() == kFloats, ErrorKind::invalid_argument,
          "expected descriptors as bytes (CV_8U) or floats (CV_32F), found another type");
  const auto width = static_cast<std::size_t>(mat.cols);
  for (int i = 0; i < mat.rows; ++i) {
    const unsigned char* row = mat.template ptr<unsigned char>(i);
    if (mat.depth() == kBytes) {
      compat::detail::append_bytes(row, width, rows);
    } else {
      std::vector<float> values(width);
      std::memcpy(values.data(), row, width * sizeof(float));
      compat::detail::append_floats(values.data(), width, rows);
    }
  }
}

template <Matrix Mat>
Descriptors to_rows(const Mat& features) {
  Descriptors rows;
  append_rows(features, rows);
  return rows;
}

template <Matrix Mat>
Descriptors to_rows(const std::vector<Mat>& features) {
  Descriptors rows;
  for (const Mat& feature : features) append_rows(feature, rows);
  return rows;
}

class Vocabulary : public compat::BowVocabulary {
 public:
  using compat::BowVocabulary::BowVocabulary;
  using compat::BowVocabulary::transform;

  /// Trains on one matrix per image.
  template <Matrix Mat>
  void create(const std::vector<Mat>& training_features) {
    Descriptors rows;
    std::vector<std::size_t> per_image;
    for (const Mat& image : training_features) {
      append_rows(image, rows);
      per_image.push_back(static_cast<std::size_t>(image.rows));
    }
    compat::BowVocabulary::create(rows.view(), per_image);
  }
  template <Matrix Mat>
  void create(const std::vector<Mat>& training_features, int k, int L) {
    set_shape(k, L);
    create(training_features);
  }
  template <Matrix Mat>
  void create(const std::vector<Mat>& training_features, int k, int L, WeightingType weighting,
              ScoringType scoring) {
    setWeightingType(weighting);
    setScoringType(scoring);
    create(training_features, k, L);
  }

  template <typename Features>
  requires requires(const Features& features) { to_rows(features); }
  void transform(const Features& features, BowVector& v) const {
    const Descriptors rows = to_rows(features);
    transform(rows.view(), v);
  }
  template <typename Features>
  requires requires(const Features& features) { to_rows(features); }
  void transform(const Features& features, BowVector& v, FeatureVector& fv, int levelsup) const {
    const Descriptors rows = to_rows(features);
    transform(rows.view(), v, fv, levelsup);
  }
  template <Matrix Mat>
  WordId transform(const Mat& feature) const {
    const Descriptors row = to_rows(feature);
    return transform_one(row.view());
  }
};

class Database : public compat::BowDatabase {
 public:
  using compat::BowDatabase::add;
  using compat::BowDatabase::query;

  explicit Database(bool use_di = true, int di_levels = 0) : BowDatabase(use_di, di_levels) {}
  /// DBoW3 reads a database from a file here; see dbow2.hpp.
  explicit Database(const std::string& filename) = delete;
  template <class T>
  explicit Database(const T* filename, bool use_di = true, int di_levels = 0) = delete;
  explicit Database(const Vocabulary& voc, bool use_di = true, int di_levels = 0)
      : BowDatabase(use_di, di_levels) {
    setVocabulary(voc, use_di, di_levels);
  }

  void setVocabulary(const Vocabulary& voc) {
    setVocabulary(voc, usingDirectIndex(), getDirectIndexLevels());
  }
  void setVocabulary(const Vocabulary& voc, bool use_di, int di_levels = 0) {
    reset(voc, use_di, di_levels);
    voc_ = voc;
  }
  const Vocabulary* getVocabulary() const { return voc_.empty() ? nullptr : &voc_; }

  template <typename Features>
  requires requires(const Features& features) { to_rows(features); }
  EntryId add(const Features& features, BowVector* bowvec = nullptr,
              FeatureVector* fvec = nullptr) {
    BowVector own_bow;
    FeatureVector own_features;
    BowVector& v = bowvec != nullptr ? *bowvec : own_bow;
    FeatureVector& fv = fvec != nullptr ? *fvec : own_features;
    voc_.transform(features, v, fv, getDirectIndexLevels());
    return add(v, fv);
  }

  template <typename Features>
  requires requires(const Features& features) { to_rows(features); }
  void query(const Features& features, QueryResults& ret, int max_results = 1,
             int max_id = -1) const {
    BowVector v;
    voc_.transform(features, v);
    query(v, ret, max_results, max_id);
  }

 private:
  Vocabulary voc_;
};

}  // namespace looptree::dbow3

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <vector>

#include "looptree/compat/bow_features.hpp"
#include "looptree/compat/descriptor_classes.hpp"

/// DBoW3's interface over looptree, as dbow2.hpp is DBoW2's: an image's descriptors are the rows of
/// one matrix, or a vector of matrices of one row. Any class with cv::Mat's members will do, so
/// OpenCV is not needed here. docs/compat.md says what differs.
namespace looptree::dbow3 {

using namespace compat::names;  // NOLINT(google-build-using-namespace): they are ours here too

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

/// The descriptors of an image are the rows of a matrix, or of several.
struct MatrixRows {
  template <Matrix Mat>
  static std::size_t append(const Mat& features, Descriptors& rows) {
    append_rows(features, rows);
    return static_cast<std::size_t>(features.rows);
  }
  template <Matrix Mat>
  static std::size_t append(const std::vector<Mat>& features, Descriptors& rows) {
    std::size_t count = 0;
    for (const Mat& feature : features) count += append(feature, rows);
    return count;
  }
};

class Vocabulary : public compat::FeatureVocabulary<MatrixRows> {
  using compat::FeatureVocabulary<MatrixRows>::FeatureVocabulary;
};

class Database : public compat::FeatureDatabase<MatrixRows, Vocabulary> {
  using compat::FeatureDatabase<MatrixRows, Vocabulary>::FeatureDatabase;
};

}  // namespace looptree::dbow3

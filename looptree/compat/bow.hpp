// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <vector>

#include "looptree/common/weighting.hpp"
#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::compat {

/// The plain types of DBoW2 and DBoW3, by their names and with their members, so that code written
/// for them compiles. docs/compat.md lists what differs.

using WordId = unsigned int;
using WordValue = double;
using NodeId = unsigned int;
using EntryId = unsigned int;

enum LNorm { L1, L2 };
enum WeightingType { TF_IDF, TF, IDF, BINARY };
enum ScoringType { L1_NORM, L2_NORM, CHI_SQUARE, KL, BHATTACHARYYA, DOT_PRODUCT };

/// Words of an image with their weights.
class LOOPTREE_EXPORT BowVector : public std::map<WordId, WordValue> {
 public:
  /// Adds to the weight of a word, which starts at 0.
  void addWeight(WordId id, WordValue v) { (*this)[id] += v; }
  /// Sets the weight of a word that is not there yet.
  void addIfNotExist(WordId id, WordValue v) { emplace(id, v); }
  /// Divides by the sum of the absolute weights, or by their Euclidean length; a vector of length 0
  /// stays.
  void normalize(LNorm norm_type);
};

/// Features of an image by the node of the vocabulary they fall under.
class LOOPTREE_EXPORT FeatureVector : public std::map<NodeId, std::vector<unsigned int>> {
 public:
  void addFeature(NodeId id, unsigned int i_feature) { (*this)[id].push_back(i_feature); }
};

/// One match of a query. The members after Score are DBoW2's own bookkeeping for other scores than
/// L1; they are there and zero.
class Result {
 public:
  Result() = default;
  Result(EntryId id, double score) : Id(id), Score(score) {}

  EntryId Id = 0;
  double Score = 0;
  int nWords = 0;
  double bhatScore = 0, chiScore = 0;
  double sumCommonVi = 0, sumCommonWi = 0, expectedChiScore = 0;

  bool operator<(const Result& r) const { return Score < r.Score; }
  bool operator>(const Result& r) const { return Score > r.Score; }
  bool operator==(EntryId id) const { return Id == id; }
  bool operator<(double s) const { return Score < s; }
  bool operator>(double s) const { return Score > s; }
  static bool gt(const Result& a, const Result& b) { return a.Score > b.Score; }
  static bool geq(const Result& a, const Result& b) { return a.Score >= b.Score; }
  static bool geqv(const Result& a, double s) { return a.Score >= s; }
  static bool ltId(const Result& a, const Result& b) { return a.Id < b.Id; }
};

/// The matches of a query, best first.
class QueryResults : public std::vector<Result> {
 public:
  /// Multiplies all scores.
  void scaleScores(double factor) {
    for (Result& result : *this) result.Score *= factor;
  }
};

LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const BowVector& v);
LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const FeatureVector& v);
LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const Result& r);
LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const QueryResults& results);

/// To and from looptree's own histogram; weights and their order are kept. Throws
/// Error(invalid_argument) for a weight that is negative or not finite.
LOOPTREE_EXPORT Histogram to_histogram(const BowVector& v);
LOOPTREE_EXPORT BowVector to_bow_vector(const Histogram& histogram);

}  // namespace looptree::compat

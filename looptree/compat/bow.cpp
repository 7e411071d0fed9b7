// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/compat/bow.hpp"

#include <cmath>
#include <utility>

namespace looptree::compat {

void BowVector::normalize(LNorm norm_type) {
  double norm = 0;
  for (const auto& [word, weight] : *this) {
    norm += norm_type == L1 ? std::abs(weight) : weight * weight;
  }
  if (norm_type == L2) norm = std::sqrt(norm);
  if (!(norm > 0)) return;
  for (auto& [word, weight] : *this) weight /= norm;
}

std::ostream& operator<<(std::ostream& out, const BowVector& v) {
  const char* separator = "";
  for (const auto& [word, weight] : v) {
    out << separator << "<" << word << ", " << weight << ">";
    separator = ", ";
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const FeatureVector& v) {
  const char* separator = "";
  for (const auto& [node, features] : v) {
    out << separator << "<" << node << ": [";
    for (std::size_t i = 0; i < features.size(); ++i) out << (i > 0 ? ", " : "") << features[i];
    out << "]>";
    separator = ", ";
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Result& r) {
  return out << "<EntryId: " << r.Id << ", Score: " << r.Score << ">";
}

std::ostream& operator<<(std::ostream& out, const QueryResults& results) {
  out << results.size() << (results.size() == 1 ? " result:" : " results:") << "\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    out << results[i] << (i + 1 < results.size() ? "\n" : "");
  }
  return out;
}

Histogram to_histogram(const BowVector& v) {
  std::vector<looptree::WordId> words;
  std::vector<double> weights;
  words.reserve(v.size());
  weights.reserve(v.size());
  for (const auto& [word, weight] : v) {
    words.emplace_back(word);
    weights.push_back(weight);
  }
  return {std::move(words), std::move(weights)};
}

BowVector to_bow_vector(const Histogram& histogram) {
  BowVector v;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    v.emplace_hint(v.end(), histogram.words()[i].value, histogram.weights()[i]);
  }
  return v;
}

}  // namespace looptree::compat

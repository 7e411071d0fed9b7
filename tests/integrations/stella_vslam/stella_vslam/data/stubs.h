// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// As much of stella_vslam as the keyframe database touches, for the tests; all our own. With
// USE_DBOW2 vectors are doubles and score by L1, without they are floats and score by L2, as FBoW
// has it.
#ifndef LOOPTREE_TESTS_STELLA_VSLAM_STUBS_H
#define LOOPTREE_TESTS_STELLA_VSLAM_STUBS_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

namespace stella_vslam {
namespace data {

#ifdef USE_DBOW2
struct bow_vocabulary {
  unsigned int words;
  unsigned int size() const { return words; }
};
typedef std::map<unsigned int, double> bow_vector;
#else
struct bow_vocabulary {
  unsigned int words;
  std::size_t size() const { return (words + getK() - 1) / getK(); }  // blocks
  std::uint32_t getK() const { return 10; }
};
typedef std::map<std::uint32_t, float> bow_vector;
#endif

namespace bow_vocabulary_util {

inline float score(bow_vocabulary*, const bow_vector& a, const bow_vector& b) {
  double sum = 0;
  for (const auto& entry : a) {
    const auto other = b.find(entry.first);
    if (other == b.end()) continue;
#ifdef USE_DBOW2
    sum += entry.second < other->second ? entry.second : other->second;
#else
    sum += static_cast<double>(entry.second * other->second);
#endif
  }
#ifndef USE_DBOW2
  sum = sum >= 1 ? 1 : 1 - std::sqrt(1 - sum);
#endif
  return static_cast<float>(sum);
}

}  // namespace bow_vocabulary_util

class frame {
 public:
  bow_vector bow_vec_;
};

class keyframe {
 public:
  unsigned int id_ = 0;
  bow_vector bow_vec_;
};

}  // namespace data
}  // namespace stella_vslam

#endif

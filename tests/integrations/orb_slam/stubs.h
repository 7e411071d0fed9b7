// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// As much of ORB-SLAM as the keyframe database touches, for the tests; all our own.
#ifndef LOOPTREE_TESTS_ORB_SLAM_STUBS_H
#define LOOPTREE_TESTS_ORB_SLAM_STUBS_H

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#ifndef LOOPTREE_ORB_SLAM
#define LOOPTREE_ORB_SLAM 3
#endif
#if LOOPTREE_ORB_SLAM == 2
#define STUB_NAMESPACE ORB_SLAM2
#else
#define STUB_NAMESPACE ORB_SLAM3
#endif

namespace DBoW2 {
class BowVector : public std::map<unsigned int, double> {};
enum ScoringType { L1_NORM, L2_NORM, CHI_SQUARE, KL, BHATTACHARYYA, DOT_PRODUCT };
}  // namespace DBoW2

namespace STUB_NAMESPACE {

class ORBVocabulary {
 public:
  explicit ORBVocabulary(std::vector<double> weights, DBoW2::ScoringType scoring = DBoW2::L1_NORM)
      : weights_(std::move(weights)), scoring_(scoring) {}
  unsigned int size() const { return static_cast<unsigned int>(weights_.size()); }
  DBoW2::ScoringType getScoringType() const { return scoring_; }

 private:
  std::vector<double> weights_;
  DBoW2::ScoringType scoring_;
};

class Map {
 public:
  bool IsBad() { return bad; }
  bool bad = false;
};

class KeyFrame {
 public:
  std::set<KeyFrame*> GetConnectedKeyFrames() { return connected; }
  std::vector<KeyFrame*> GetBestCovisibilityKeyFrames(const int& n) {
    const std::size_t count = static_cast<std::size_t>(n);
    if (neighbours.size() <= count) return neighbours;
    return std::vector<KeyFrame*>(neighbours.begin(),
                                  neighbours.begin() + static_cast<std::ptrdiff_t>(count));
  }
  bool isBad() { return bad; }
  Map* GetMap() { return map; }

  // What ORB-SLAM's database keeps in a keyframe. ORB-SLAM sets the second to 0 when it makes one,
  // and the first never.
  float mRelocScore = 0;
  float mPlaceRecognitionScore = 0;
  long unsigned int mnId = 0;
  DBoW2::BowVector mBowVec;
  std::set<KeyFrame*> connected;
  std::vector<KeyFrame*> neighbours;
  Map* map = nullptr;
  bool bad = false;
};

class Frame {
 public:
  long unsigned int mnId = 0;
  DBoW2::BowVector mBowVec;
};

}  // namespace STUB_NAMESPACE

#endif

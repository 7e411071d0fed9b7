// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/cv_orb.hpp"

#include <cmath>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "looptree/features/balance.hpp"
#include "looptree/features/opencv/detail/adapters.hpp"

namespace looptree {
namespace {

using namespace detail;

constexpr int kOrbLevels = 8;
constexpr float kOrbScale = 1.2F;
constexpr int kOrbPatch = 31;

/// Spreads the keypoints of each octave by itself. Responses of different octaves do not compare,
/// and the finest would otherwise take the whole budget. `shares` says what part of the budget each
/// octave gets; what an octave leaves over goes to the next.
std::vector<std::size_t> balance_octaves(const std::vector<Keypoint>& points,
                                         const ImageView& image, std::size_t budget,
                                         const std::vector<double>& shares) {
  std::vector<std::size_t> kept;
  double due = 0;
  for (std::size_t octave = 0; octave < shares.size(); ++octave) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].octave == static_cast<int>(octave)) members.push_back(i);
    }
    due += shares[octave] * static_cast<double>(budget);
    const auto share = static_cast<std::size_t>(std::lround(due)) - kept.size();
    for (const std::size_t i :
         balanced_subset(pick(points, members), image.width, image.height, share)) {
      kept.push_back(members[i]);
    }
  }
  return kept;
}

class CvOrb final : public CvExtractor {
 public:
  explicit CvOrb(const OrbOptions& options)
      : CvExtractor(DescriptorType::binary, 32), options_(options) {
    // An octave's share of the budget falls with the side of its image, as in ORB itself.
    double share = 1;
    double sum = 0;
    for (int level = 0; level < kOrbLevels; ++level, share /= kOrbScale) {
      shares_.push_back(share);
      sum += share;
    }
    for (double& s : shares_) s /= sum;
  }

 protected:
  Features extract_from(const ImageView& image) const override {
    // Made for each call: OpenCV promises nothing about one object in several threads.
    const auto orb = cv::ORB::create(static_cast<int>(options_.max_features * kOversampling),
                                     kOrbScale, kOrbLevels, kOrbPatch, 0, 2, cv::ORB::HARRIS_SCORE,
                                     kOrbPatch, options_.fast_threshold);
    std::vector<cv::KeyPoint> points;
    const cv::Mat pixels = as_mat(image);
    orb->detect(pixels, points);
    points = pick(points, balance_octaves(from_cv(points), image, options_.max_features, shares_));
    cv::Mat rows;
    orb->compute(pixels, points, rows);
    return {from_cv(points), from_cv(rows, type_, width_)};
  }

 private:
  OrbOptions options_;
  std::vector<double> shares_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_cv_orb(const OrbOptions& options) {
  // The options of both are the same, and so are their ranges.
  const OrbExtractor checked(options);
  return std::make_unique<CvOrb>(options);
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/extractor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"
#include "looptree/features/balance.hpp"
#include "looptree/features/detail/brief.hpp"

namespace looptree {
namespace {

constexpr std::array<std::pair<FeatureKind, std::string_view>, 4> kNames{
    {{FeatureKind::orb, "orb"},
     {FeatureKind::brief, "brief"},
     {FeatureKind::akaze, "akaze"},
     {FeatureKind::sift, "sift"}}};

/// The detector is asked for this many times more than are kept, so that there is a choice in
/// every part of the image.
constexpr std::size_t kOversampling = 3;

/// OpenCV's pyramids fail on images smaller than a patch or two, in which nothing is to be found.
constexpr int kSmallestSide = 64;

constexpr int kOrbLevels = 8;
constexpr float kOrbScale = 1.2F;
constexpr int kOrbPatch = 31;

/// The same pixels, for OpenCV to read.
cv::Mat as_mat(const Image& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

std::vector<Keypoint> from_cv(const std::vector<cv::KeyPoint>& points) {
  std::vector<Keypoint> result;
  result.reserve(points.size());
  for (const cv::KeyPoint& p : points) {
    result.push_back({p.pt.x, p.pt.y, p.size, p.angle, p.response, p.octave});
  }
  return result;
}

/// Descriptor rows as ours. OpenCV's are contiguous when it made them itself.
Descriptors from_cv(const cv::Mat& rows, DescriptorType type, std::size_t width) {
  Descriptors result{type, width, {}, {}};
  const std::size_t elements = static_cast<std::size_t>(rows.rows) * width;
  const cv::Mat whole = rows.isContinuous() ? rows : rows.clone();
  if (type == DescriptorType::binary) {
    result.bytes.assign(whole.ptr<std::uint8_t>(), whole.ptr<std::uint8_t>() + elements);
  } else {
    result.floats.assign(whole.ptr<float>(), whole.ptr<float>() + elements);
  }
  return result;
}

template <typename Item>
std::vector<Item> pick(const std::vector<Item>& items, const std::vector<std::size_t>& indices) {
  std::vector<Item> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices) result.push_back(items[i]);
  return result;
}

/// Spreads the keypoints of each octave by itself. Responses of different octaves do not compare,
/// and the finest would otherwise take the whole budget. `shares` says what part of the budget each
/// octave gets; what an octave leaves over goes to the next.
std::vector<std::size_t> balance_octaves(const std::vector<Keypoint>& points, const Image& image,
                                         std::size_t budget, const std::vector<double>& shares) {
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

/// What every kind shares: options, the check of the image, the description of the rows.
class Base : public FeatureExtractor {
 public:
  Base(const ExtractorOptions& options, DescriptorType type, std::size_t width)
      : options_(options), type_(type), width_(width) {}

  DescriptorType descriptor_type() const override { return type_; }
  std::size_t descriptor_width() const override { return width_; }

  Features extract(const Image& image) const override {
    require(image.width > 0 && image.height > 0 &&
                image.pixels.size() == static_cast<std::size_t>(image.width) * image.height,
            ErrorKind::invalid_argument, "expected an image with pixels, found an empty one");
    Features features;
    features.descriptors = {type_, width_, {}, {}};
    if (std::min(image.width, image.height) >= kSmallestSide) features = extract_from(image);
    features.width = image.width;
    features.height = image.height;
    return features;
  }

 protected:
  virtual Features extract_from(const Image& image) const = 0;

  ExtractorOptions options_;
  DescriptorType type_;
  std::size_t width_;
};

class OrbExtractor final : public Base {
 public:
  explicit OrbExtractor(const ExtractorOptions& options)
      : Base(options, DescriptorType::binary, 32) {
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
  Features extract_from(const Image& image) const override {
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
  std::vector<double> shares_;
};

class BriefExtractor final : public Base {
 public:
  explicit BriefExtractor(const ExtractorOptions& options)
      : Base(options, DescriptorType::binary, detail::kBriefBytes) {}

 protected:
  Features extract_from(const Image& image) const override {
    const cv::Mat pixels = as_mat(image);
    std::vector<cv::KeyPoint> corners;
    cv::FAST(pixels, corners, options_.fast_threshold);
    cv::KeyPointsFilter::runByImageBorder(corners, pixels.size(), detail::kBriefRadius);
    std::vector<Keypoint> points = from_cv(corners);
    points =
        pick(points, balanced_subset(points, image.width, image.height, options_.max_features));
    Image smoothed(image.width, image.height);
    cv::Mat target = as_mat(smoothed);
    cv::GaussianBlur(pixels, target, {9, 9}, 2);
    Descriptors descriptors = detail::brief_descriptors(smoothed, points);
    return {std::move(points), std::move(descriptors)};
  }
};

/// A detector of OpenCV that has its own scale space: take what it finds, keep a balanced part.
class ScaleSpaceExtractor : public Base {
 public:
  using Base::Base;

 protected:
  virtual cv::Ptr<cv::Feature2D> make() const = 0;

  Features extract_from(const Image& image) const override {
    const auto detector = make();
    const cv::Mat pixels = as_mat(image);
    std::vector<cv::KeyPoint> points;
    detector->detect(pixels, points);
    points = pick(
        points, balanced_subset(from_cv(points), image.width, image.height, options_.max_features));
    cv::Mat rows;
    detector->compute(pixels, points, rows);
    return {from_cv(points), from_cv(rows, type_, width_)};
  }
};

class AkazeExtractor final : public ScaleSpaceExtractor {
 public:
  explicit AkazeExtractor(const ExtractorOptions& options)
      : ScaleSpaceExtractor(options, DescriptorType::binary, 61) {}

 protected:
  cv::Ptr<cv::Feature2D> make() const override {
    return cv::AKAZE::create(cv::AKAZE::DESCRIPTOR_MLDB, 0, 3, 0.0003F);
  }
};

class SiftExtractor final : public ScaleSpaceExtractor {
 public:
  explicit SiftExtractor(const ExtractorOptions& options)
      : ScaleSpaceExtractor(options, DescriptorType::real, 128) {}

 protected:
  cv::Ptr<cv::Feature2D> make() const override {
    return cv::SIFT::create(static_cast<int>(options_.max_features * kOversampling), 3, 0.02);
  }
};

}  // namespace

std::string_view to_string(FeatureKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "unknown";
}

FeatureKind parse_feature_kind(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  throw Error(ErrorKind::invalid_argument,
              "expected features orb, brief, akaze or sift, found '" + std::string(name) + "'");
}

std::unique_ptr<FeatureExtractor> make_extractor(const ExtractorOptions& options) {
  require(options.max_features >= 1 && options.max_features <= 1'000'000,
          ErrorKind::invalid_argument,
          "expected max_features from 1 to 1000000, found a number outside");
  require(options.fast_threshold >= 1 && options.fast_threshold <= 255, ErrorKind::invalid_argument,
          "expected a fast_threshold from 1 to 255, found a number outside");
  switch (options.kind) {
    case FeatureKind::orb:
      return std::make_unique<OrbExtractor>(options);
    case FeatureKind::brief:
      return std::make_unique<BriefExtractor>(options);
    case FeatureKind::akaze:
      return std::make_unique<AkazeExtractor>(options);
    case FeatureKind::sift:
      return std::make_unique<SiftExtractor>(options);
  }
  throw Error(ErrorKind::invalid_argument, "expected a known kind of features, found another");
}

}  // namespace looptree

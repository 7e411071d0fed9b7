// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/extractor.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"
#include "looptree/features/balance.hpp"
#include "looptree/features/learned.hpp"
#include "looptree/features/opencv/cv_orb.hpp"
#include "looptree/features/opencv/detail/adapters.hpp"
#include "looptree/features/opencv/detail/brief.hpp"
#include "looptree/features/opencv/onnx.hpp"
#include "looptree/features/orb.hpp"

namespace looptree {
namespace {

using namespace detail;

constexpr std::array<std::pair<FeatureKind, std::string_view>, 7> kNames{
    {{FeatureKind::orb, "orb"},
     {FeatureKind::cv_orb, "cv-orb"},
     {FeatureKind::brief, "brief"},
     {FeatureKind::akaze, "akaze"},
     {FeatureKind::sift, "sift"},
     {FeatureKind::learned, "learned"},
     {FeatureKind::onnx, "onnx"}}};

class BriefExtractor final : public CvExtractor {
 public:
  explicit BriefExtractor(const ExtractorOptions& options)
      : CvExtractor(DescriptorType::binary, kBriefBytes), options_(options) {}

 protected:
  Features extract_from(const ImageView& image) const override {
    const cv::Mat pixels = as_mat(image);
    std::vector<cv::KeyPoint> corners;
    cv::FAST(pixels, corners, options_.fast_threshold);
    cv::KeyPointsFilter::runByImageBorder(corners, pixels.size(), kBriefRadius);
    std::vector<Keypoint> points = from_cv(corners);
    points =
        pick(points, balanced_subset(points, image.width, image.height, options_.max_features));
    Image smoothed(image.width, image.height);
    cv::Mat target = as_mat(smoothed);
    cv::GaussianBlur(pixels, target, {9, 9}, 2);
    Descriptors descriptors = brief_descriptors(smoothed, points);
    return {std::move(points), std::move(descriptors)};
  }

 private:
  ExtractorOptions options_;
};

/// A detector of OpenCV that has its own scale space: take what it finds, keep a balanced part.
class ScaleSpaceExtractor : public CvExtractor {
 public:
  ScaleSpaceExtractor(const ExtractorOptions& options, DescriptorType type, std::size_t width)
      : CvExtractor(type, width), options_(options) {}

 protected:
  virtual cv::Ptr<cv::Feature2D> make() const = 0;

  Features extract_from(const ImageView& image) const override {
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

  ExtractorOptions options_;
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
              "expected features orb, cv-orb, brief, akaze, sift, learned or the file of a model, "
              "MODEL.onnx, found '" +
                  std::string(name) + "'");
}

void set_features(ExtractorOptions& options, std::string_view text) {
  if (text.ends_with(".onnx")) {
    options.kind = FeatureKind::onnx;
    options.network = text;
  } else {
    options.kind = parse_feature_kind(text);
  }
}

std::unique_ptr<FeatureExtractor> make_extractor(const ExtractorOptions& options) {
  require(options.max_features >= 1 && options.max_features <= 1'000'000,
          ErrorKind::invalid_argument,
          "expected max_features from 1 to 1000000, found a number outside");
  require(options.fast_threshold >= 1 && options.fast_threshold <= 255, ErrorKind::invalid_argument,
          "expected a fast_threshold from 1 to 255, found a number outside");
  require(options.network.empty() || options.kind == FeatureKind::learned ||
              options.kind == FeatureKind::onnx,
          ErrorKind::invalid_argument,
          "expected learned features where a network is named, found another kind");
  switch (options.kind) {
    case FeatureKind::orb:
      return std::make_unique<OrbExtractor>(
          OrbOptions{options.max_features, options.fast_threshold});
    case FeatureKind::cv_orb:
      return make_cv_orb({options.max_features, options.fast_threshold});
    case FeatureKind::brief:
      return std::make_unique<BriefExtractor>(options);
    case FeatureKind::akaze:
      return std::make_unique<AkazeExtractor>(options);
    case FeatureKind::sift:
      return std::make_unique<SiftExtractor>(options);
    case FeatureKind::learned:
      return std::make_unique<LearnedExtractor>(
          LearnedOptions{options.max_features, options.network});
    case FeatureKind::onnx:
      return make_onnx({.model = options.network, .max_features = options.max_features});
  }
  throw Error(ErrorKind::invalid_argument, "expected a known kind of features, found another");
}

}  // namespace looptree

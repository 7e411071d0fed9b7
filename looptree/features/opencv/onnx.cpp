// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/onnx.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/mapped_file.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/opencv/detail/adapters.hpp"
#include "looptree/features/opencv/detail/onnx_input.hpp"
#include "looptree/features/opencv/detail/onnx_outputs.hpp"

namespace looptree {
namespace {

using namespace detail;

/// A model that takes any size gets at most this many pixels, and sides of whole cells of the
/// coarsest map that networks of this kind have.
constexpr double kMostPixels = 640 * 768;
constexpr int kWholeCell = 32;
/// On what a model that takes any size is tried.
constexpr int kTrialWidth = 640;
constexpr int kTrialHeight = 480;

/// OpenCV tells on stderr what it throws anyway.
class QuietOpenCv {
 public:
  QuietOpenCv() : before_(cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT)) {}
  ~QuietOpenCv() { cv::utils::logging::setLogLevel(before_); }
  QuietOpenCv(const QuietOpenCv&) = delete;
  QuietOpenCv& operator=(const QuietOpenCv&) = delete;

 private:
  cv::utils::logging::LogLevel before_;
};

int whole_cells(int length) {
  return (length + kWholeCell - 1) / kWholeCell * kWholeCell;
}

class OnnxExtractor final : public CvExtractor {
 public:
  explicit OnnxExtractor(const OnnxOptions& options)
      : CvExtractor(DescriptorType::real, 0), options_(options) {
    try {
      {
        const MappedFile file(options.model);
        input_ = onnx_input(file.bytes());
        model_.assign(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
      }
      const bool any = input_.width == 0 || input_.height == 0;
      const Image trial(any ? kTrialWidth : input_.width, any ? kTrialHeight : input_.height);
      width_ = run(trial).first.width();
    } catch (const Error& error) {
      throw Error(error.kind(), options.model.string() + ": " + error.what());
    }
  }

 protected:
  Features extract_from(const ImageView& image) const override {
    const auto [outputs, input] = run(image);
    if (outputs.width() != width_) {
      throw Error(ErrorKind::unsupported, "expected descriptors of " + std::to_string(width_) +
                                              " numbers, as on the image before, found " +
                                              std::to_string(outputs.width()));
    }
    Features features = read_outputs(outputs, input, options_.threshold, options_.max_features);
    const float x_scale = static_cast<float>(image.width) / static_cast<float>(input.covered_width);
    const float y_scale =
        static_cast<float>(image.height) / static_cast<float>(input.covered_height);
    for (Keypoint& point : features.keypoints) {
      point.x = (point.x + 0.5F) * x_scale - 0.5F;
      point.y = (point.y + 0.5F) * y_scale - 0.5F;
      point.size *= x_scale;
    }
    return features;
  }

 private:
  /// Where the image comes to lie: as large as fits, from the top left corner on.
  CoveredInput place(const ImageView& image) const {
    const double width = image.width;
    const double height = image.height;
    CoveredInput input{input_.width, input_.height, 0, 0};
    double scale = 0;
    if (input.width == 0 && input.height == 0) {
      scale = std::min(1.0, std::sqrt(kMostPixels / (width * height)));
    } else if (input.width == 0 || input.height == 0) {
      scale = input.width == 0 ? input.height / height : input.width / width;
    } else {
      scale = std::min(input.width / width, input.height / height);
    }
    input.covered_width = std::max(1, static_cast<int>(std::lround(width * scale)));
    input.covered_height = std::max(1, static_cast<int>(std::lround(height * scale)));
    if (input.width == 0) input.width = whole_cells(input.covered_width);
    if (input.height == 0) input.height = whole_cells(input.covered_height);
    input.covered_width = std::min(input.covered_width, input.width);
    input.covered_height = std::min(input.covered_height, input.height);
    return input;
  }

  /// The image as the model takes it: 0 to 1, its last pixels repeated beside it.
  cv::Mat blob_of(const ImageView& image, const CoveredInput& input) const {
    cv::Mat fitted;
    const cv::Size size(input.covered_width, input.covered_height);
    const bool smaller = size.width < image.width;
    cv::resize(as_mat(image), fitted, size, 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
    cv::copyMakeBorder(fitted, fitted, 0, input.height - size.height, 0, input.width - size.width,
                       cv::BORDER_REPLICATE);
    if (input_.channels == 3) cv::cvtColor(fitted, fitted, cv::COLOR_GRAY2BGR);
    return cv::dnn::blobFromImage(fitted, 1.0 / 255);
  }

  std::pair<OnnxOutputs, CoveredInput> run(const ImageView& image) const {
    const CoveredInput input = place(image);
    cv::dnn::Net net = take();
    std::vector<cv::Mat> outputs;
    try {
      net.setInput(blob_of(image, input));
      net.forward(outputs, net.getUnconnectedOutLayersNames());
    } catch (const cv::Exception& error) {
      cannot_run(error);
    }
    // The model uses its memory again for the next image.
    for (cv::Mat& output : outputs) output = output.clone();
    give_back(net);
    return {sort_outputs(outputs, input), input};
  }

  [[noreturn]] static void cannot_run(const cv::Exception& error) {
    throw Error(ErrorKind::unsupported, "expected a model that OpenCV " CV_VERSION
                                        " can run, found that it cannot: " +
                                            error.err);
  }

  cv::dnn::Net take() const {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      const cv::dnn::Net net = free_.back();
      free_.pop_back();
      return net;
    }
    const QuietOpenCv quiet;
    try {
      cv::dnn::Net net = cv::dnn::readNetFromONNX(model_.data(), model_.size());
      net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
      return net;
    } catch (const cv::Exception& error) {
      cannot_run(error);
    }
  }
  void give_back(const cv::dnn::Net& net) const {
    const std::lock_guard lock(mutex_);
    free_.push_back(net);
  }

  OnnxOptions options_;
  OnnxInput input_;
  std::string model_;  ///< the file
  mutable std::mutex mutex_;
  mutable std::vector<cv::dnn::Net> free_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_onnx(const OnnxOptions& options) {
  require(options.max_features >= 1 && options.max_features <= 1'000'000,
          ErrorKind::invalid_argument,
          "expected max_features from 1 to 1000000, found a number outside");
  require(options.threshold >= 0 && options.threshold < 1, ErrorKind::invalid_argument,
          "expected a threshold from 0 to below 1, found a number outside");
  return std::make_unique<OnnxExtractor>(options);
}

}  // namespace looptree

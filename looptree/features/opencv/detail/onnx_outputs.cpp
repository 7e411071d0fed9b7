// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/detail/onnx_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"
#include "looptree/features/balance.hpp"
#include "looptree/features/opencv/detail/adapters.hpp"

namespace looptree::detail {
namespace {

constexpr int kCell = 8;
constexpr int kCellPixels = kCell * kCell;
/// Keypoints of maps keep this distance from the border.
constexpr int kBorder = 8;
/// Fewer numbers than this do not tell places apart.
constexpr int kFewestNumbers = 8;

std::string shapes(const std::vector<cv::Mat>& outputs) {
  std::string all;
  for (const cv::Mat& output : outputs) {
    all += all.empty() ? "" : ", ";
    for (int i = 0; i < output.dims; ++i) {
      all += (i == 0 ? "" : "x") + std::to_string(output.size[i]);
    }
  }
  return all;
}

[[noreturn]] void refuse(const std::vector<cv::Mat>& outputs) {
  throw Error(
      ErrorKind::unsupported,
      "expected a model that gives maps of descriptors and of 64 or 65 keypoint logits at an "
      "eighth of its input's size, or keypoints (n x 2) and descriptors (n x width), found "
      "outputs of " +
          shapes(outputs));
}

bool is_map(const cv::Mat& m, const CoveredInput& input) {
  return m.type() == CV_32F && m.dims == 4 && m.size[0] == 1 && m.size[2] == input.height / kCell &&
         m.size[3] == input.width / kCell;
}

/// Maps: the one of 65 channels are logits, or, where there is none, the last one of 64; that of
/// one channel is how reliable a place is.
OnnxOutputs sort_maps(const std::vector<cv::Mat>& outputs) {
  OnnxOutputs sorted;
  std::vector<cv::Mat> others;
  const bool has_none = std::any_of(outputs.begin(), outputs.end(),
                                    [](const cv::Mat& m) { return m.size[1] == kCellPixels + 1; });
  for (auto it = outputs.rbegin(); it != outputs.rend(); ++it) {
    const int channels = it->size[1];
    if (sorted.logits.empty() && channels == (has_none ? kCellPixels + 1 : kCellPixels)) {
      sorted.logits = *it;
    } else if (sorted.scores.empty() && channels == 1) {
      sorted.scores = *it;
    } else {
      others.push_back(*it);
    }
  }
  if (sorted.logits.empty() || others.size() != 1 || others[0].size[1] < kFewestNumbers) {
    refuse(outputs);
  }
  sorted.descriptors = others[0];
  return sorted;
}

/// n rows of what came as [n][c] or [1][n][c]; nothing of any other.
cv::Mat rows_of(const cv::Mat& m) {
  if (m.type() != CV_32F || m.empty()) return {};
  if (m.dims == 2) return m;
  if (m.dims == 3 && m.size[0] == 1) return m.reshape(1, m.size[1]);
  return {};
}

OnnxOutputs sort_keypoints(const std::vector<cv::Mat>& outputs) {
  OnnxOutputs sorted;
  int count = -1;
  for (const cv::Mat& output : outputs) {
    const cv::Mat rows = rows_of(output);
    if (rows.empty()) refuse(outputs);
    if (rows.cols == 2 && sorted.keypoints.empty() && rows.rows > 1) {
      sorted.keypoints = rows;
      count = rows.rows;
    }
  }
  for (const cv::Mat& output : outputs) {
    const cv::Mat rows = rows_of(output);
    if (rows.data == sorted.keypoints.data) continue;
    if (rows.rows == count && rows.cols >= kFewestNumbers && sorted.descriptors.empty()) {
      sorted.descriptors = rows;
    } else if (rows.total() == static_cast<std::size_t>(count) && sorted.scores.empty()) {
      sorted.scores = rows.reshape(1, count);
    } else {
      refuse(outputs);
    }
  }
  if (sorted.keypoints.empty() || sorted.descriptors.empty()) refuse(outputs);
  return sorted;
}

/// How likely each pixel is a keypoint: softmax over a cell where there is a logit for "none",
/// otherwise each by itself.
cv::Mat likelihoods(const cv::Mat& logits, const CoveredInput& input) {
  cv::Mat heat(input.height, input.width, CV_32F);
  const bool has_none = logits.size[1] > kCellPixels;
  const int rows = logits.size[2];
  const int columns = logits.size[3];
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const auto logit = [&](int c) { return logits.ptr<float>(0, c, y)[x]; };
      float most = has_none ? logit(kCellPixels) : 0;
      for (int c = 0; c < kCellPixels; ++c) most = std::max(most, logit(c));
      float sum = has_none ? std::exp(logit(kCellPixels) - most) : 0;
      for (int c = 0; c < kCellPixels; ++c) {
        const float value = has_none ? std::exp(logit(c) - most) : 1 / (1 + std::exp(-logit(c)));
        heat.at<float>(y * kCell + c / kCell, x * kCell + c % kCell) = value;
        sum += value;
      }
      if (has_none) heat(cv::Rect(x * kCell, y * kCell, kCell, kCell)) *= 1 / sum;
    }
  }
  return heat;
}

std::vector<Keypoint> peaks_of(const cv::Mat& heat, const cv::Mat& reliable,
                               const CoveredInput& input, float threshold) {
  cv::Mat largest;
  cv::dilate(heat, largest, cv::Mat::ones(5, 5, CV_8U));
  std::vector<Keypoint> points;
  for (int y = kBorder; y < input.covered_height - kBorder; ++y) {
    for (int x = kBorder; x < input.covered_width - kBorder; ++x) {
      const float value = heat.at<float>(y, x);
      if (!(value > threshold) || value != largest.at<float>(y, x)) continue;
      Keypoint point;
      point.x = static_cast<float>(x);
      point.y = static_cast<float>(y);
      point.size = 2 * kCell;
      point.response = reliable.empty() ? value : value * reliable.at<float>(y, x);
      points.push_back(point);
    }
  }
  return points;
}

/// Appends a row of length 1; of a row of zeros, or of what is no number, zeros.
void append_normal(const std::vector<float>& row, std::vector<float>& to) {
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value) * value;
  const double scale = std::isfinite(sum) && sum > 0 ? 1 / std::sqrt(sum) : 0;
  for (const float value : row) {
    to.push_back(scale > 0 ? static_cast<float>(value * scale) : 0.0F);
  }
}

/// The descriptor between the middles of the four cells around a keypoint.
std::vector<float> sampled(const cv::Mat& map, const Keypoint& point) {
  const int rows = map.size[2];
  const int columns = map.size[3];
  const float gx =
      std::clamp((point.x + 0.5F) / kCell - 0.5F, 0.0F, static_cast<float>(columns - 1));
  const float gy = std::clamp((point.y + 0.5F) / kCell - 0.5F, 0.0F, static_cast<float>(rows - 1));
  const int x = static_cast<int>(gx);
  const int y = static_cast<int>(gy);
  const int right = std::min(x + 1, columns - 1);
  const int below = std::min(y + 1, rows - 1);
  const float fx = gx - static_cast<float>(x);
  const float fy = gy - static_cast<float>(y);
  std::vector<float> row;
  for (int c = 0; c < map.size[1]; ++c) {
    const float* above = map.ptr<float>(0, c, y);
    const float* under = map.ptr<float>(0, c, below);
    row.push_back((above[x] * (1 - fx) + above[right] * fx) * (1 - fy) +
                  (under[x] * (1 - fx) + under[right] * fx) * fy);
  }
  return row;
}

Features read_maps(const OnnxOutputs& outputs, const CoveredInput& input, float threshold,
                   std::size_t count) {
  const cv::Mat heat = likelihoods(outputs.logits, input);
  cv::Mat reliable;
  if (!outputs.scores.empty()) {
    const cv::Mat coarse(input.height / kCell, input.width / kCell, CV_32F,
                         const_cast<float*>(outputs.scores.ptr<float>(0, 0)));
    cv::resize(coarse, reliable, heat.size(), 0, 0, cv::INTER_LINEAR);
  }
  const std::vector<Keypoint> peaks = peaks_of(heat, reliable, input, threshold);
  Features features;
  features.keypoints =
      pick(peaks, balanced_subset(peaks, input.covered_width, input.covered_height, count));
  features.descriptors = {DescriptorType::real, outputs.width(), {}, {}};
  for (const Keypoint& point : features.keypoints) {
    append_normal(sampled(outputs.descriptors, point), features.descriptors.floats);
  }
  return features;
}

/// Models that count from -1 to 1 or 0 to 1 would put every keypoint into one corner.
void check_pixels(const cv::Mat& keypoints) {
  double most = 0;
  cv::minMaxLoc(cv::abs(keypoints), nullptr, &most);
  if (most > 1) return;
  throw Error(ErrorKind::unsupported,
              "expected keypoints in pixels of the model's input, found all of them within 1 of 0");
}

Features read_keypoints(const OnnxOutputs& outputs, const CoveredInput& input, float threshold,
                        std::size_t count) {
  check_pixels(outputs.keypoints);
  std::vector<Keypoint> points;
  std::vector<int> rows;
  for (int i = 0; i < outputs.keypoints.rows; ++i) {
    Keypoint point;
    point.x = outputs.keypoints.at<float>(i, 0);
    point.y = outputs.keypoints.at<float>(i, 1);
    point.size = 2 * kCell;
    point.response = outputs.scores.empty() ? 1 : outputs.scores.at<float>(i, 0);
    const bool inside = point.x >= 0 && point.y >= 0 &&
                        point.x < static_cast<float>(input.covered_width) &&
                        point.y < static_cast<float>(input.covered_height);
    if (!inside || !(point.response > threshold)) continue;
    points.push_back(point);
    rows.push_back(i);
  }
  Features features;
  features.descriptors = {DescriptorType::real, outputs.width(), {}, {}};
  for (const std::size_t i :
       balanced_subset(points, input.covered_width, input.covered_height, count)) {
    features.keypoints.push_back(points[i]);
    const float* row = outputs.descriptors.ptr<float>(rows[i]);
    append_normal({row, row + outputs.descriptors.cols}, features.descriptors.floats);
  }
  return features;
}

}  // namespace

OnnxOutputs sort_outputs(const std::vector<cv::Mat>& outputs, const CoveredInput& input) {
  const bool maps =
      !outputs.empty() && std::all_of(outputs.begin(), outputs.end(),
                                      [&](const cv::Mat& m) { return is_map(m, input); });
  if (outputs.size() < 2) refuse(outputs);
  return maps ? sort_maps(outputs) : sort_keypoints(outputs);
}

Features read_outputs(const OnnxOutputs& outputs, const CoveredInput& input, float threshold,
                      std::size_t count) {
  return outputs.dense() ? read_maps(outputs, input, threshold, count)
                         : read_keypoints(outputs, input, threshold, count);
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <opencv2/core.hpp>

#include "looptree/common/error.hpp"
#include "looptree/features/image_view.hpp"

// For those who have OpenCV: nothing else of looptree's headers includes it.
namespace looptree {

/// A grey image of OpenCV as extractors take it, without a copy; it is valid as long as `image` and
/// its pixels are. Throws Error(invalid_argument) for what is not of CV_8UC1.
inline ImageView image_view(const cv::Mat& image) {
  if (image.type() != CV_8UC1) {
    throw Error(ErrorKind::invalid_argument,
                "expected a grey image of 8 bits (CV_8UC1), found " +
                    cv::typeToString(image.type()) +
                    ": cv::cvtColor(image, grey, cv::COLOR_BGR2GRAY) turns colours grey");
  }
  return {image.data, image.cols, image.rows, image.step};
}

}  // namespace looptree

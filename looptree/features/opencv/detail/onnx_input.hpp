// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "looptree/vision_export.hpp"

namespace looptree::detail {

/// The image that a model takes.
struct OnnxInput {
  std::string name;
  int channels = 0;  ///< 1 or 3
  int height = 0;    ///< 0: any
  int width = 0;     ///< 0: any
};

/// Reads from an ONNX file what goes into the model, which OpenCV does not tell. Throws
/// Error(corruption) for bytes that are no model and Error(unsupported) for one that does not take
/// one image of floats.
LOOPTREE_VISION_EXPORT OnnxInput onnx_input(std::span<const std::byte> file);

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cli/drawing/drawing.hpp"

namespace looptree::cli {

/// Writes a drawing as what the name of the file asks for: .svg or .pdf for papers, or an image of
/// two pixels a point (.png, .jpg and what else OpenCV writes). Throws Error(io).
void write_drawing(const Drawing& drawing, const std::filesystem::path& file);

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "looptree/common/pose.hpp"

namespace looptree::cli {

/// A trajectory in a picture of several.
struct PictureLine {
  std::string name;
  std::string colour;  ///< as SVG names it
  std::vector<Pose> poses;
};

/// Draws trajectories from above, on one scale, with their names, as SVG. The axis along which
/// they extend least is left out. Throws Error(io) if the file cannot be written.
void draw_trajectories(const std::vector<PictureLine>& lines, const std::filesystem::path& file);

}  // namespace looptree::cli

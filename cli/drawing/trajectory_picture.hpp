// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "looptree/common/pose.hpp"

#include "cli/drawing/drawing.hpp"

namespace looptree::cli {

/// A trajectory in a picture of several.
struct PictureLine {
  std::string name;
  Stroke stroke;
  std::vector<Pose> poses;
};

/// Trajectories from above, to scale, with axes, a scale bar, where the last one starts, and their
/// names. What write_drawing() writes. Throws Error(io) if the file cannot be written.
void draw_trajectories(const std::vector<PictureLine>& lines, const std::filesystem::path& file);

}  // namespace looptree::cli

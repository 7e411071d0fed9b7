// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "looptree/common/progress.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What the street scene is filmed in.
enum class DemoWeather {
  day,
  dusk,  ///< lamps in the street, some windows lit, a sensor that has to amplify
  rain,  ///< no sun, haze, puddles, streaks, and drops on the glass
};

struct DemoWorldOptions {
  /// Images along the route of about 560 m, 790 m with `home`; in [2, 100000].
  std::size_t frames = 600;
  int width = 640;   ///< pixels; in [64, 4096], as is the height
  int height = 360;  ///< pixels
  /// Another seed, another city; the route stays.
  std::uint32_t seed = 2016;
  /// Metres to a second camera on the right of the first; 0: there is none. In [0, 5].
  double baseline_m = 0;
  /// Whether frames come with exact depth images.
  bool depth = false;
  /// Whether the route, at its end, goes through known streets back into the block it began with,
  /// so that no part of it is left that loops do not hold.
  bool home = false;
  DemoWeather weather = DemoWeather::day;
};

/// A street scene rendered on the spot, with exact poses and calibration: the data that the demo,
/// the tests and the examples run on. The route goes around a block, comes back in the same
/// direction with a sideways offset and in another light, passes lookalikes, and ends in known
/// streets seen from the other side. The same pixels on every machine. An image is rendered when it
/// is read, some 10 ms each, from several threads if they ask. Throws Error(invalid_argument) for
/// options out of range.
LOOPTREE_VISION_EXPORT std::unique_ptr<Sequence> open_demo_world(
    const DemoWorldOptions& options = {});

/// Writes a sequence as a folder in KITTI odometry layout: image_0/NNNNNN.png, image_1/ of a second
/// camera, and times.txt, poses.txt and calib.txt as far as they are known. The folder is made;
/// files in it of the same names are replaced. Throws Error(io) if something cannot be written.
LOOPTREE_VISION_EXPORT void export_kitti(Sequence& sequence, const std::filesystem::path& folder,
                                         const ProgressCallback& progress = {});

}  // namespace looptree

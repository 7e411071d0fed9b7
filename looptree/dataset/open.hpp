// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "looptree/dataset/sequence.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// Which camera of a rig that stores them interleaved or side by side.
enum class CameraSide { left, right, both };

struct OpenOptions {
  /// A name of sequence_formats(), or empty: found by looking at the path.
  std::string format{};
  /// `both` is for Oxford's interleaved images; elsewhere it is an error.
  CameraSide camera = CameraSide::left;
  /// Of a bag, the topic with the images; empty: the only one there is.
  std::string topic{};
};

/// The readers, in the order in which they look at a path.
///   demo         the rendered street scene; the path is "demo", "demo:stereo" with a second
///                camera half a metre to the right, "demo:depth" with exact depth images, or
///                "demo:home" with a longer route, which ends where it began, "demo:dusk" and
///                "demo:rain" with the same route in another light
///   bag          a recording of ROS, which need not be installed: .bag (ROS 1, version 2.0),
///   .mcap, .db3
///                (ROS 2), or the folder of one with metadata.yaml; its topic of Image or
///                CompressedImage messages, with the stamps of their headers, and CameraInfo
///   tum          TUM RGB-D: rgb.txt, rgb/ or rgb.mp4, groundtruth.txt, and depth.txt with depth/
///                (associated within 20 ms; 16-bit PNG, 5000 per metre)
///   kitti        KITTI odometry: image_0/ and image_1/ (or _2, _3), times.txt, calib.txt, and
///                poses.txt here or ../../poses/NN.txt
///   oxford       FAB-MAP's City Centre and New College: images numbered from 1, left odd, right
///                even, here or in Images/; the truth as a text matrix *GroundTruth*.txt or
///                *TextFormat*.txt
///   ukbench      ukbenchNNNNN.jpg, four of each object
///   holidays     INRIA Holidays: 6 digits .jpg, the first four name the scene
///   video        a video file, or a folder with one, or with left.mp4 and right.mp4 (A_left.mp4
///                and A_right.mp4), a pair of cameras; beside it NAME, for a file A_B.mp4 also
///                A_NAME: poses.txt, times.txt, calib.txt
///   list         a .txt or .lst with the path of an image per line, from where the list lies
///   glob         a pattern of file names with * ? [: images in the order of the numbers in them
///   images       any folder of images, in the order of the numbers in their names; poses.txt,
///                times.txt, calib.txt in it; an image *_GT.* of as many rows and columns as there
///                are frames is the loop mask
/// Poses are KITTI's: a 3x4 matrix per row, world_from_camera. Calibration is KITTI's calib.txt
/// (P0: ...) or one line "fx fy cx cy". A left camera comes with the right one's images where they
/// are there and calib.txt has both (P0 and P1, or P2 and P3).
LOOPTREE_VISION_EXPORT std::span<const std::string_view> sequence_formats();

/// Opens a sequence without reading an image. Throws Error(not_found) if the path does not exist or
/// holds nothing a reader knows, Error(corruption) if its files contradict each other (say, another
/// number of poses than of images), Error(invalid_argument) for options that do not fit.
LOOPTREE_VISION_EXPORT std::unique_ptr<Sequence> open_sequence(const std::filesystem::path& path,
                                                               const OpenOptions& options = {});

}  // namespace looptree

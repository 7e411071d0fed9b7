// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "looptree/dataset/sequence.hpp"

namespace looptree::detail {

/// The rows of numbers of a text file, blanks or commas between them; empty lines and lines that
/// begin with # are left out. Throws Error(not_found) without the file and Error(corruption) for a
/// field that is no number.
std::vector<std::vector<double>> read_numbers(const std::filesystem::path& path);

/// Gives every frame the pose of its row, 12 numbers each. Throws Error(corruption) unless there is
/// one per frame.
void add_poses(SequenceInfo& info, const std::filesystem::path& path);
/// Gives every frame the time of its row. Throws as add_poses() does.
void add_times(SequenceInfo& info, const std::filesystem::path& path);
/// KITTI's calib.txt, of which the row that begins with `camera` (as P0), or "fx fy cx cy".
Calibration read_calibration(const std::filesystem::path& path, const std::string& camera = "P0");
/// Metres from the camera of one row of KITTI's calib.txt to that of another, to the right; nothing
/// if there is no such row or it does not lie to the right. Throws as read_calibration() does.
std::optional<double> read_baseline(const std::filesystem::path& path, const std::string& left,
                                    const std::string& right);

/// poses.txt, times.txt and calib.txt, those that exist, from `folder`, behind `prefix`.
void add_what_lies_beside(SequenceInfo& info, const std::filesystem::path& folder,
                          const std::string& prefix = "");

/// Whether the name is of a kind of image that is read, by its extension.
bool is_image_name(const std::filesystem::path& file);
/// What else lies in the folder and is no table beside the images; folders end in a slash.
std::vector<std::string> files_left_out(const std::filesystem::path& folder);
/// In the order of the numbers in their names.
void sort_by_numbers(std::vector<std::filesystem::path>& files);
/// The image files of a folder in the order of the numbers in their names (2.png before 10.png).
std::vector<std::filesystem::path> image_files(const std::filesystem::path& folder);
/// One frame per file, named after it.
std::vector<SequenceFrame> frames_of(const std::vector<std::filesystem::path>& files);
/// The last group of digits in a file's name, without its extension.
std::optional<unsigned long> number_in(const std::filesystem::path& file);

}  // namespace looptree::detail

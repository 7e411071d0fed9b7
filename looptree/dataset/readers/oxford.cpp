// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// FAB-MAP's sequences from Oxford: one rig, left images odd, right images even, truth as a matrix.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

namespace fs = std::filesystem;

fs::path image_folder(const fs::path& path) {
  for (const char* name : {"Images", "images"}) {
    if (fs::is_directory(path / name)) return path / name;
  }
  return path;
}

/// The matrix file, or nothing.
std::optional<fs::path> truth_file(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    const std::string name = entry.path().filename().string();
    const bool named = name.find("GroundTruth") != std::string::npos ||
                       name.find("TextFormat") != std::string::npos;
    if (named && name.ends_with(".txt")) found.push_back(entry.path());
  }
  if (found.empty()) return std::nullopt;
  return *std::min_element(found.begin(), found.end());
}

bool is_wanted(const fs::path& file, CameraSide side) {
  if (side == CameraSide::both) return true;
  const bool odd = number_in(file).value_or(0) % 2 == 1;
  return odd == (side == CameraSide::left);
}

/// The rows and columns of the chosen images out of the matrix over all of them.
LoopMask read_truth(const fs::path& path, std::size_t images,
                    const std::vector<std::size_t>& chosen) {
  const auto rows = read_numbers(path);
  LoopMask mask{chosen.size(), {}};
  const auto fits = [&](const auto& row) { return row.size() == images; };
  if (rows.size() != images || !std::all_of(rows.begin(), rows.end(), fits)) {
    throw Error(ErrorKind::corruption, "expected a matrix of " + std::to_string(images) + "x" +
                                           std::to_string(images) + ", one row per image, found " +
                                           std::to_string(rows.size()) + " rows in " +
                                           path.string());
  }
  for (const std::size_t i : chosen) {
    for (const std::size_t j : chosen) mask.same_place.push_back(rows[i][j] != 0 ? 1 : 0);
  }
  return mask;
}

}  // namespace

bool looks_like_oxford(const Path& path) {
  return fs::is_directory(path) && truth_file(path).has_value();
}

SequencePtr open_oxford(const Path& path, const OpenOptions& options) {
  const std::vector<fs::path> all = image_files(image_folder(path));
  std::vector<std::size_t> chosen;
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_wanted(all[i], options.camera)) continue;
    chosen.push_back(i);
    files.push_back(all[i]);
  }
  SequenceInfo info{.format = "oxford", .frames = frames_of(files)};
  if (const auto truth = truth_file(path)) info.loops = read_truth(*truth, all.size(), chosen);
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace looptree::detail

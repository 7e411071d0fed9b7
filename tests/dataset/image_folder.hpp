// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "looptree/dataset/sequence.hpp"

#include "tests/support.hpp"

namespace looptree::test {

/// A folder of one test that images and texts are written into.
class ImageFolder : public TemporaryFolder {
 public:
  void text(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((*this / name).parent_path());
    std::ofstream(*this / name) << content;
  }

  /// A small image of one grey, by which a test knows it again.
  void image(const std::string& name, int grey, int width = 16, int height = 8) const {
    std::filesystem::create_directories((*this / name).parent_path());
    Image image(width, height);
    for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(grey);
    write_image((*this / name).string(), image);
  }
};

/// `rows` KITTI poses, each one metre farther along z than the one before.
inline std::string straight_poses(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += "1 0 0 0 0 1 0 0 0 0 1 " + std::to_string(i) + "\n";
  return text;
}

}  // namespace looptree::test

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "looptree/dataset/sequence.hpp"

namespace looptree::test {

/// A folder of one test, gone when it ends.
class TempFolder {
 public:
  TempFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("looptree-") + test->test_suite_name() + "-" + test->name() +
                       "-" + std::to_string(getpid());
    for (char& c : name) c = c == '/' ? '-' : c;
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  void text(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
  }

  /// A small image of one grey, by which a test knows it again.
  void image(const std::string& name, int grey, int width = 16, int height = 8) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    Image image(width, height);
    for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(grey);
    write_image((path_ / name).string(), image);
  }

 private:
  std::filesystem::path path_;
};

/// `rows` KITTI poses, each one metre farther along z than the one before.
inline std::string straight_poses(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += "1 0 0 0 0 1 0 0 0 0 1 " + std::to_string(i) + "\n";
  return text;
}

}  // namespace looptree::test

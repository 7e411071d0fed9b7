// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/ids.hpp"

namespace looptree::test {

/// A file or folder of the committed golden data.
inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(LOOPTREE_GOLDEN_DIR) / name;
}

inline nlohmann::json golden_json(const std::string& name) {
  std::ifstream file(golden("expect/" + name));
  if (!file) throw std::runtime_error("golden file missing: " + name);
  return nlohmann::json::parse(file);
}

/// The folder of the real sequences: LOOPTREE_DATA, or the one beside the checkout.
inline std::filesystem::path data_dir() {
  const char* named = std::getenv("LOOPTREE_DATA");
  return named != nullptr ? named : LOOPTREE_DATA_DIR;
}

/// Skips the test, and says why, where the real data is absent.
#define LOOPTREE_SKIP_WITHOUT_DATA(path)                                            \
  if (!std::filesystem::exists(::looptree::test::data_dir() / (path))) {            \
    GTEST_SKIP() << "not run: " << (::looptree::test::data_dir() / (path)).string() \
                 << " is absent (set LOOPTREE_DATA to the folder of the datasets)"; \
  }

/// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() / ("looptree-test-" + std::to_string(random()));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("missing: " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<WordId> words(std::initializer_list<std::uint32_t> values) {
  std::vector<WordId> result;
  for (const std::uint32_t value : values) result.emplace_back(value);
  return result;
}

/// Expects `statement` to throw looptree::Error of `kind` with `fragment` in its message.
template <typename Statement>
void expect_error(ErrorKind kind, const std::string& fragment, Statement statement) {
  try {
    statement();
    ADD_FAILURE() << "expected an error of kind " << to_string(kind);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos)
        << "message: " << error.what() << "\nexpected in it: " << fragment;
  }
}

}  // namespace looptree::test

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "bench/vocabulary/rows.hpp"

namespace looptree::bench {

/// A tree of a million words: all nodes but the root, level by level, each near its parent, nearer
/// as levels go down.
std::vector<Row> full_tree();

/// The first of them that is a word.
std::size_t leaf_begin(const std::vector<Row>& nodes);

/// The tree as files, which go when it does.
struct MillionWords {
  std::filesystem::path folder;
  std::filesystem::path text;  ///< as ORB-SLAM has it
  std::filesystem::path own;   ///< looptree's format

  explicit MillionWords(const std::vector<Row>& nodes);
  ~MillionWords();
  MillionWords(const MillionWords&) = delete;
  MillionWords& operator=(const MillionWords&) = delete;
};

}  // namespace looptree::bench

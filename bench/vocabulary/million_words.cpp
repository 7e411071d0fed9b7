// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/vocabulary/million_words.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <unistd.h>

#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::bench {

namespace fs = std::filesystem;

std::vector<Row> full_tree() {
  RandomRows random(1);
  std::vector<Row> nodes;
  std::size_t width = 1;
  std::size_t parents = 0;
  for (std::size_t level = 1; level <= kDepth; ++level) {
    const std::size_t first = nodes.size();
    width *= kBranching;
    for (std::size_t i = 0; i < width; ++i) {
      nodes.push_back(level == 1 ? random.row()
                                 : random.near(nodes[parents + i / kBranching], level < 4 ? 2 : 3));
    }
    parents = first;
  }
  return nodes;
}

std::size_t leaf_begin(const std::vector<Row>& nodes) {
  return (nodes.size() + 1) / kBranching - 1;  // inner nodes, the root not counted
}

namespace {

void write_text(const std::vector<Row>& nodes, const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fprintf(file, "%zu %zu  0 0\n", kBranching, kDepth);
  RandomRows random(2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool leaf = i >= leaf_begin(nodes);
    std::fprintf(file, "%zu %d ", i / kBranching, leaf ? 1 : 0);
    std::array<std::uint8_t, kBytes> bytes;
    std::memcpy(bytes.data(), nodes[i].data(), kBytes);
    for (const std::uint8_t byte : bytes) std::fprintf(file, "%u ", byte);
    std::fprintf(file, " %g\n", leaf ? 4 + static_cast<double>(random.next() >> 44U) / 1e5 : 0.0);
  }
  std::fclose(file);
}

}  // namespace

MillionWords::MillionWords(const std::vector<Row>& nodes)
    : folder(fs::temp_directory_path() / ("looptree-bench-" + std::to_string(getpid()))),
      text(folder / "million.txt"),
      own(folder / "million.looptree") {
  fs::create_directories(folder);
  write_text(nodes, text);
  Vocabulary::load(text).save(own);
}

MillionWords::~MillionWords() {
  fs::remove_all(folder);
}

}  // namespace looptree::bench

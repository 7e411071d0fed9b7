// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "looptree/vocabulary/detail/image.hpp"

namespace looptree::detail {

/// Rows of bytes in pieces, so that growing copies nothing and each piece can be let go as soon as
/// it has been used.
class RowStore {
 public:
  void append(std::string_view row);
  std::size_t size() const { return count_; }

  /// Calls `use(index, bytes)` for every row in order, and empties the store on the way.
  template <typename Use>
  void drain(const Use& use) {
    std::size_t index = 0;
    for (std::string& piece : pieces_) {
      for (std::size_t at = 0; at < piece.size(); at += row_bytes_) {
        use(index++, std::string_view(piece).substr(at, row_bytes_));
      }
      piece = std::string();
    }
    pieces_.clear();
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t row_bytes_ = 0;
  std::size_t count_ = 0;
};

inline constexpr std::uint32_t kNoWord = 0xffffffff;

/// A tree as files tell it: nodes in any order, each naming its parent. Siblings keep the order
/// they have here, because it decides ties.
struct RawTree {
  VocabularyFormat format = VocabularyFormat::looptree;
  Shape shape;
  std::vector<std::uint32_t> ids;      ///< of the nodes; empty: 1, 2, 3, ... (the root is 0)
  std::vector<std::uint32_t> parents;  ///< ids
  std::vector<double> weights;
  std::vector<std::uint32_t> words;  ///< of the nodes, kNoWord for inner ones; or empty and:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> word_table;  ///< (word, node id)
  RowStore rows;

  /// Takes the header fields that most formats share. Throws Error(corruption) if out of range.
  void set_parameters(std::int64_t branching, std::int64_t depth, std::int64_t scoring,
                      std::int64_t weighting);
};

/// Checks that the nodes form one tree whose leaves, and only they, have words, and lays it out
/// level by level. Word ids that are not dense are renumbered in ascending order. Throws
/// Error(corruption).
std::shared_ptr<const VocabularyImage> assemble(RawTree tree);

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/image.hpp"

namespace looptree::detail {

[[noreturn]] inline void corrupt(const std::string& message) {
  throw Error(ErrorKind::corruption, message);
}

/// Pages of memory that go back to the system the moment they are let go, which the heap does not
/// promise.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&&) = delete;

  char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  char* data_;
  std::size_t size_;
};

/// Rows of bytes in pieces, so that growing copies nothing and each piece can be let go as soon as
/// it has been used.
class RowStore {
 public:
  /// All rows have the same, positive length.
  void append(std::string_view row);
  std::size_t size() const { return count_; }

  /// Calls `use(index, bytes)` for every row in order, and empties the store on the way.
  template <typename Use>
  void drain(const Use& use) {
    std::size_t index = 0;
    for (; !pieces_.empty(); pieces_.pop_front()) {
      const Pages& piece = pieces_.front();
      for (std::size_t at = 0; at + row_bytes_ <= piece.size() && index < count_;
           at += row_bytes_) {
        use(index++, std::string_view(piece.data() + at, row_bytes_));
      }
    }
  }

 private:
  std::deque<Pages> pieces_;
  std::size_t used_ = 0;  ///< bytes of the last piece
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

  /// Makes room for about so many nodes, so that arrays need not be moved as they grow. For a
  /// number that the size of the file vouches for, not one a header claims.
  void reserve(std::size_t nodes);

  /// Takes the header fields that most formats share. Throws Error(corruption) if out of range.
  void set_parameters(std::int64_t branching, std::int64_t depth, std::int64_t scoring,
                      std::int64_t weighting);
};

/// Checks that the nodes form one tree whose leaves, and only they, have words, and lays it out
/// level by level. Word ids that are not dense are renumbered in ascending order. Throws
/// Error(corruption).
std::shared_ptr<const VocabularyImage> assemble(RawTree tree);

}  // namespace looptree::detail

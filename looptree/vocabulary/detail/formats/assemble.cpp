// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/formats/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <sys/mman.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
constexpr std::uint32_t kUnset = 0xffffffff;

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// For every node id its place in the file, counted from 1; 0 for the root.
std::vector<std::uint32_t> places_of_ids(const std::vector<std::uint32_t>& ids) {
  std::vector<std::uint32_t> place(ids.size() + 1, kUnset);
  place[0] = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t id = ids[i];
    if (id == 0 || id > ids.size() || place[id] != kUnset) {
      corrupt("expected node ids 1 to " + number(ids.size()) + ", once each; found " + number(id) +
              (id != 0 && id <= ids.size() ? " twice" : ""));
    }
    place[id] = static_cast<std::uint32_t>(i + 1);
  }
  return place;
}

/// Replaces ids by places in the file, so that the rest need not know the difference.
void resolve_ids(RawTree& tree) {
  const std::size_t count = tree.parents.size();
  const std::vector<std::uint32_t> place =
      tree.ids.empty() ? std::vector<std::uint32_t>() : places_of_ids(tree.ids);
  const auto resolve = [&](std::uint32_t id, const char* whose) {
    if (id > count) {
      corrupt(std::string("expected ") + whose + " to be one of " + number(count) +
              " nodes, found node " + number(id));
    }
    return place.empty() ? id : place[id];
  };
  for (std::uint32_t& parent : tree.parents) parent = resolve(parent, "a parent");
  if (!tree.words.empty()) return;
  tree.words.assign(count, kNoWord);
  for (const auto& [word, id] : tree.word_table) {
    const std::uint32_t node = resolve(id, "the node of a word");
    if (node == 0 || word == kNoWord || tree.words[node - 1] != kNoWord) {
      corrupt("expected every word to have a leaf of its own, found word " + number(word) +
              " at node " + number(id));
    }
    tree.words[node - 1] = word;
  }
}

/// The tree level by level: `position` of every node, and the nodes there without their words.
struct Layout {
  std::vector<std::uint32_t> position;  ///< by place in the file
  std::vector<Node> nodes;              ///< by position
};

Layout lay_out(const std::vector<std::uint32_t>& parents) {
  const std::size_t count = parents.size() + 1;
  // The children of each node, in the order of the file: a counting sort by parent.
  std::vector<std::uint32_t> begin(count + 1, 0);
  for (const std::uint32_t parent : parents) ++begin[parent + 1];
  for (std::size_t i = 1; i <= count; ++i) begin[i] += begin[i - 1];
  std::vector<std::uint32_t> children(parents.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    children[next[parents[i]]++] = static_cast<std::uint32_t>(i + 1);
  }
  Layout layout;
  layout.position = std::move(next);  // done with; every entry is set below
  layout.nodes.reserve(count);
  std::vector<std::uint32_t> order = {0};
  order.reserve(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t node = order[i];
    layout.position[node] = static_cast<std::uint32_t>(i);
    layout.nodes.push_back(
        {static_cast<std::uint32_t>(order.size()), begin[node + 1] - begin[node]});
    order.insert(order.end(), children.begin() + begin[node], children.begin() + begin[node + 1]);
  }
  if (order.size() != count) {
    corrupt("expected every node to descend from the root, found " + number(count - order.size()) +
            " that do not");
  }
  return layout;
}

void check_words(const RawTree& tree, const Layout& layout) {
  for (std::size_t i = 0; i < tree.words.size(); ++i) {
    const bool leaf = layout.nodes[layout.position[i + 1]].count == 0;
    if (leaf == (tree.words[i] != kNoWord)) continue;
    corrupt("expected leaves and only leaves to be words, found " +
            std::string(leaf ? "no word at a leaf" : "a word at an inner node") + ", node " +
            number(tree.ids.empty() ? i + 1 : tree.ids[i]));
  }
}

/// The ids that occur, ascending; empty if they are 0, 1, 2, ... already.
std::vector<std::uint32_t> sparse_ids(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> ids;
  ids.reserve(words.size());
  std::copy_if(words.begin(), words.end(), std::back_inserter(ids),
               [](std::uint32_t word) { return word != kNoWord; });
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.back() + std::size_t{1} == ids.size()) ids.clear();
  return ids;
}

void set_word_weight(std::span<double> weights, std::vector<bool>& known, std::uint32_t word,
                     double weight) {
  if (known[word] && weights[word] != weight) {
    corrupt("expected one weight for all leaves of word " + number(word) + ", found " +
            std::to_string(weights[word]) + " and " + std::to_string(weight));
  }
  weights[word] = weight;
  known[word] = true;
}

/// Whether the file tells weights of inner nodes too. Checks all weights on the way.
bool inner_weights_known(const RawTree& tree) {
  for (const double weight : tree.weights) {
    if (std::isfinite(weight) && weight >= 0) continue;
    corrupt("expected finite weights >= 0, found " + std::to_string(weight));
  }
  for (std::size_t i = 0; i < tree.words.size(); ++i) {
    if (tree.words[i] == kNoWord && tree.weights[i] != 0) return true;
  }
  return false;
}

template <typename T>
void let_go(std::vector<T>& vector) {
  std::vector<T>().swap(vector);
}

}  // namespace

Pages::Pages(std::size_t bytes) : size_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(memory);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages::~Pages() {
  if (size_ != 0) munmap(data_, size_);
}

void RowStore::append(std::string_view row) {
  if (pieces_.empty() || used_ + row.size() > pieces_.back().size()) {
    pieces_.emplace_back(std::max(kPieceBytes, row.size()));
    used_ = 0;
    row_bytes_ = row.size();
  }
  std::memcpy(pieces_.back().data() + used_, row.data(), row.size());
  used_ += row.size();
  ++count_;
}

void RawTree::reserve(std::size_t nodes) {
  parents.reserve(nodes);
  weights.reserve(nodes);
  words.reserve(nodes);
}

void RawTree::set_parameters(std::int64_t branching, std::int64_t depth, std::int64_t scoring,
                             std::int64_t weighting) {
  const auto check = [](const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return static_cast<std::size_t>(value);
    corrupt(std::string("expected ") + what + " from " + std::to_string(low) + " to " +
            std::to_string(high) + ", found " + std::to_string(value));
  };
  shape.branching = check("a branching (k)", branching, 1, kMaxBranching);
  shape.depth = check("a depth (L)", depth, 1, kMaxDepth);
  shape.scoring = static_cast<Score>(check("a scoring type", scoring, 0, 5));
  shape.weighting = static_cast<Weighting>(check("a weighting type", weighting, 0, 3));
}

std::shared_ptr<const VocabularyImage> assemble(RawTree tree) {
  const std::size_t count = tree.parents.size();
  if (count == 0) corrupt("expected a vocabulary, found one without words");
  if (tree.rows.size() != count || tree.weights.size() != count) {
    corrupt("expected a descriptor and a weight for each of " + number(count) + " nodes, found " +
            number(tree.rows.size()) + " and " + number(tree.weights.size()));
  }
  resolve_ids(tree);
  Layout layout = lay_out(tree.parents);
  check_words(tree, layout);
  let_go(tree.parents);
  let_go(tree.ids);

  VocabularyOrigin origin{tree.format, sparse_ids(tree.words)};
  std::size_t words = origin.word_ids.size();
  if (words == 0) {
    for (const std::uint32_t word : tree.words) {
      if (word != kNoWord) words = std::max<std::size_t>(words, word + std::size_t{1});
    }
  }
  ImageBuilder builder(tree.shape, count + 1, words, inner_weights_known(tree));
  std::vector<bool> known(words);
  std::copy(layout.nodes.begin(), layout.nodes.end(), builder.nodes().begin());
  let_go(layout.nodes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t position = layout.position[i + 1];
    if (!builder.node_weights().empty()) {
      builder.node_weights()[position] = static_cast<float>(tree.weights[i]);
    }
    std::uint32_t word = tree.words[i];
    if (word == kNoWord) continue;
    if (!origin.word_ids.empty()) {
      const auto found = std::lower_bound(origin.word_ids.begin(), origin.word_ids.end(), word);
      word = static_cast<std::uint32_t>(found - origin.word_ids.begin());
    }
    builder.nodes()[position].first = word;
    set_word_weight(builder.word_weights(), known, word, tree.weights[i]);
  }
  let_go(tree.words);
  let_go(tree.weights);
  tree.rows.drain([&](std::size_t i, std::string_view row) {
    std::memcpy(builder.row(layout.position[i + 1]), row.data(), row.size());
  });
  return builder.finish(std::move(origin));
}

}  // namespace looptree::detail

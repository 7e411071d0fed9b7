// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstring>
#include <string>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"

// FBoW's file: u64 magic, 120 bytes of parameters, then blocks of one size. A block holds the
// children of one node: u16 count, u16, u32 parent, their descriptors from `features` on, and from
// `children` on a u32 link and an f32 weight each. A link with the top bit is a word, one without
// it another block; block 0 holds the children of the root.
namespace looptree::detail {
namespace {

struct Parameters {
  std::uint32_t blocks;
  std::uint64_t padded_bytes;
  std::uint64_t block_bytes;
  std::uint64_t features;
  std::uint64_t children;
  std::uint64_t total_bytes;
  std::int32_t type;
  std::int32_t descriptor_bytes;
  std::uint32_t branching;
};

constexpr std::uint32_t kWordFlag = 0x80000000;
constexpr std::uint64_t kMaxBlock = std::uint64_t{1} << 24U;

template <typename T>
T at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Parameters read_parameters(Reader& reader) {
  const std::string_view bytes = reader.take(120);
  return {
      at<std::uint32_t>(bytes, 56), at<std::uint64_t>(bytes, 64), at<std::uint64_t>(bytes, 72),
      at<std::uint64_t>(bytes, 80), at<std::uint64_t>(bytes, 88), at<std::uint64_t>(bytes, 96),
      at<std::int32_t>(bytes, 104), at<std::int32_t>(bytes, 108), at<std::uint32_t>(bytes, 112)};
}

void check(const Parameters& p) {
  if (p.type != 0 && p.type != 5) {
    corrupt("expected descriptors of bytes (type 0) or floats (type 5), found type " +
            std::to_string(p.type));
  }
  const std::int32_t unit = p.type == 5 ? 4 : 1;
  const bool fits = p.descriptor_bytes >= unit && p.descriptor_bytes % unit == 0 &&
                    static_cast<std::size_t>(p.descriptor_bytes / unit) <= kMaxWidth &&
                    p.padded_bytes >= static_cast<std::uint64_t>(p.descriptor_bytes) &&
                    p.padded_bytes <= 2 * kMaxWidth * 4 && p.branching >= 1 &&
                    p.branching <= kMaxBranching && p.block_bytes <= kMaxBlock && p.features >= 8 &&
                    p.features <= p.block_bytes && p.children <= p.block_bytes &&
                    p.features + p.branching * p.padded_bytes <= p.children &&
                    p.children + p.branching * std::uint64_t{8} <= p.block_bytes && p.blocks >= 1 &&
                    p.total_bytes == p.blocks * p.block_bytes;
  if (!fits) corrupt("expected FBoW blocks that hold k descriptors, found sizes that disagree");
}

/// The blocks as a tree of nodes, from the root down. Every block may be reached once.
class BlockWalk {
 public:
  BlockWalk(const Parameters& parameters, std::string_view blocks, RawTree& tree)
      : parameters_(parameters), blocks_(blocks), tree_(tree), reached_(parameters.blocks) {}

  void run() {
    std::vector<Pending> pending = {{0, 0}};
    for (std::size_t i = 0, level_end = 1, depth = 1; i < pending.size(); ++i) {
      if (i == level_end) {
        level_end = pending.size();
        ++depth;
      }
      if (depth > kMaxDepth) corrupt("expected a tree, found one too deep");
      tree_.shape.depth = depth;
      visit(pending[i], pending);
    }
  }

 private:
  struct Pending {
    std::uint32_t block;
    std::uint32_t parent;
  };

  void visit(Pending from, std::vector<Pending>& pending) {
    if (from.block >= parameters_.blocks || reached_[from.block]) {
      corrupt("expected links to " + std::to_string(parameters_.blocks) +
              " blocks, once each; found one to block " + std::to_string(from.block));
    }
    reached_[from.block] = true;
    const std::string_view block =
        blocks_.substr(from.block * parameters_.block_bytes, parameters_.block_bytes);
    const auto count = at<std::uint16_t>(block, 0);
    if (count == 0 || count > parameters_.branching) {
      corrupt("expected 1 to " + std::to_string(parameters_.branching) +
              " children in a block, found " + std::to_string(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto link = at<std::uint32_t>(block, parameters_.children + i * 8);
      const auto weight = at<float>(block, parameters_.children + i * 8 + 4);
      const bool leaf = (link & kWordFlag) != 0;
      tree_.parents.push_back(from.parent);
      tree_.rows.append(block.substr(parameters_.features + i * parameters_.padded_bytes,
                                     static_cast<std::size_t>(parameters_.descriptor_bytes)));
      tree_.weights.push_back(leaf ? static_cast<double>(weight) : 0);
      tree_.words.push_back(leaf ? link & ~kWordFlag : kNoWord);
      if (!leaf) pending.push_back({link, static_cast<std::uint32_t>(tree_.parents.size())});
    }
  }

  const Parameters& parameters_;
  std::string_view blocks_;
  RawTree& tree_;
  std::vector<bool> reached_;
};

}  // namespace

RawTree read_fbow(Reader& reader) {
  RawTree tree;
  tree.format = VocabularyFormat::fbow;
  reader.take_value<std::uint64_t>();
  const Parameters parameters = read_parameters(reader);
  check(parameters);
  reader.expect_remaining(parameters.total_bytes, "blocks");
  // FBoW compares by the Euclidean formula and has no inverse document frequencies of its own.
  tree.set_parameters(parameters.branching, 1, static_cast<int>(Score::l2),
                      static_cast<int>(Weighting::tf_idf));
  tree.shape.type = parameters.type == 0 ? DescriptorType::binary : DescriptorType::real;
  tree.shape.width =
      static_cast<std::size_t>(parameters.descriptor_bytes) / (parameters.type == 0 ? 1 : 4);
  std::string blocks;
  for (std::uint32_t i = 0; i < parameters.blocks; ++i) {
    blocks.append(reader.take(parameters.block_bytes));
  }
  BlockWalk(parameters, blocks, tree).run();
  return tree;
}

}  // namespace looptree::detail

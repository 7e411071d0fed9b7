// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"

// The binary files without a magic number: plain records behind six integers.
namespace looptree::detail {
namespace {

std::uint32_t checked_id(std::int32_t value, const char* what) {
  if (value < 0) corrupt(std::string("expected ") + what + " >= 0, found " + std::to_string(value));
  return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t kRecordOverhead = 9;  // of an OpenVSLAM node: parent, weight, leaf flag

}  // namespace

// OpenVSLAM's .dbow2: u32 nodes (with the root), u32 bytes per record, i32 k, L, scoring,
// weighting; then u32 parent, the descriptor, f32 weight, u8 leaf for node 1, 2, ... Words are
// numbered as leaves appear.
RawTree read_openvslam_binary(Reader& reader) {
  RawTree tree;
  tree.format = VocabularyFormat::openvslam_binary;
  const auto nodes = reader.take_value<std::uint32_t>();
  const auto record = reader.take_value<std::uint32_t>();
  const auto branching = reader.take_value<std::int32_t>();
  const auto depth = reader.take_value<std::int32_t>();
  const auto scoring = reader.take_value<std::int32_t>();
  const auto weighting = reader.take_value<std::int32_t>();
  tree.set_parameters(branching, depth, scoring, weighting);
  if (nodes < 2 || record <= kRecordOverhead || record - kRecordOverhead > kMaxWidth) {
    corrupt("expected at least 2 nodes with a descriptor each, found " + std::to_string(nodes) +
            " in records of " + std::to_string(record) + " bytes");
  }
  tree.shape.width = record - kRecordOverhead;
  reader.expect_remaining(std::uint64_t{nodes - 1} * record, "nodes");
  std::uint32_t words = 0;
  for (std::uint32_t i = 1; i < nodes; ++i) {
    tree.parents.push_back(reader.take_value<std::uint32_t>());
    tree.rows.append(reader.take(tree.shape.width));
    tree.weights.push_back(static_cast<double>(reader.take_value<float>()));
    const auto leaf = reader.take_value<std::uint8_t>();
    if (leaf > 1) corrupt("expected a leaf flag, 0 or 1, found " + std::to_string(leaf));
    tree.words.push_back(leaf == 1 ? words++ : kNoWord);
  }
  return tree;
}

void write_openvslam_binary(const VocabularyImage& image, Writer& writer) {
  require_binary(image, VocabularyFormat::openvslam_binary);
  const std::vector<std::uint32_t> order = order_by_word(image, VocabularyFormat::openvslam_binary);
  const std::vector<std::uint32_t> parents = parents_of(image);
  std::vector<std::uint32_t> id_of(image.nodes.size(), 0);
  writer.value(static_cast<std::uint32_t>(image.nodes.size()));
  writer.value(static_cast<std::uint32_t>(image.shape.width + kRecordOverhead));
  writer.value(static_cast<std::int32_t>(image.shape.branching));
  writer.value(static_cast<std::int32_t>(image.shape.depth));
  writer.value(static_cast<std::int32_t>(image.shape.scoring));
  writer.value(static_cast<std::int32_t>(image.shape.weighting));
  std::uint32_t id = 0;
  for (const std::uint32_t node : order) {
    id_of[node] = ++id;
    writer.value(id_of[parents[node]]);
    writer.bytes({image.row(node), image.shape.width});
    writer.value(static_cast<float>(weight_of(image, node)));
    writer.value(static_cast<std::uint8_t>(image.nodes[node].count == 0));
    writer.step();
  }
}

// VINS's brief_k10L6.bin: i32 k, L, scoring, weighting, nodes (without the root), words; then
// i32 id, i32 parent, f64 weight, 256 bits per node; then i32 node, i32 word per word.
RawTree read_vins_binary(Reader& reader) {
  constexpr std::uint64_t kNodeBytes = 48;
  constexpr std::uint64_t kWordBytes = 8;
  RawTree tree;
  tree.format = VocabularyFormat::vins_binary;
  const auto branching = reader.take_value<std::int32_t>();
  const auto depth = reader.take_value<std::int32_t>();
  const auto scoring = reader.take_value<std::int32_t>();
  const auto weighting = reader.take_value<std::int32_t>();
  tree.set_parameters(branching, depth, scoring, weighting);
  const std::uint32_t nodes = checked_id(reader.take_value<std::int32_t>(), "a number of nodes");
  const std::uint32_t words = checked_id(reader.take_value<std::int32_t>(), "a number of words");
  reader.expect_remaining(nodes * kNodeBytes + words * kWordBytes, "nodes and words");
  tree.shape.width = 32;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    tree.ids.push_back(checked_id(reader.take_value<std::int32_t>(), "a node id"));
    tree.parents.push_back(checked_id(reader.take_value<std::int32_t>(), "a parent"));
    tree.weights.push_back(reader.take_value<double>());
    tree.rows.append(reader.take(tree.shape.width));
  }
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint32_t node = checked_id(reader.take_value<std::int32_t>(), "a node id");
    const std::uint32_t word = checked_id(reader.take_value<std::int32_t>(), "a word id");
    tree.word_table.emplace_back(word, node);
  }
  return tree;
}

}  // namespace looptree::detail

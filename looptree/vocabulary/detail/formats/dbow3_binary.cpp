// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"

// DBoW3's binary file: u64 magic, u8 compressed, u32 nodes (with the root), i32 k, L, scoring,
// weighting; then u32 id, u32 parent, f64 weight and a matrix (i32 columns, rows, OpenCV type, the
// elements) per node; then u32 words and u32 word, u32 node for each.
namespace looptree::detail {
namespace {

constexpr std::int32_t kBytesType = 0;   // OpenCV's CV_8U
constexpr std::int32_t kFloatsType = 5;  // OpenCV's CV_32F

void read_descriptor(Reader& reader, RawTree& tree) {
  const auto columns = reader.take_value<std::int32_t>();
  const auto rows = reader.take_value<std::int32_t>();
  const auto type = reader.take_value<std::int32_t>();
  if (columns < 1 || columns > static_cast<std::int32_t>(kMaxWidth) || rows != 1 ||
      (type != kBytesType && type != kFloatsType)) {
    throw Error(ErrorKind::corruption,
                "expected descriptors of one row of bytes (type 0) or floats (type 5), found " +
                    std::to_string(rows) + " x " + std::to_string(columns) + " of type " +
                    std::to_string(type));
  }
  const DescriptorType found = type == kBytesType ? DescriptorType::binary : DescriptorType::real;
  const auto width = static_cast<std::size_t>(columns);
  if (tree.shape.width == 0) {
    tree.shape.width = width;
    tree.shape.type = found;
  } else if (width != tree.shape.width || found != tree.shape.type) {
    throw Error(ErrorKind::corruption, "expected all descriptors to be alike, found one of " +
                                           std::to_string(width) + " columns of type " +
                                           std::to_string(type));
  }
  tree.rows.append(reader.take(tree.shape.row_bytes()));
}

}  // namespace

RawTree read_dbow3_binary(Reader& reader) {
  constexpr std::uint64_t kLeastNodeBytes = 4 + 4 + 8 + 12 + 1;
  constexpr std::uint64_t kWordBytes = 8;
  RawTree tree;
  tree.format = VocabularyFormat::dbow3_binary;
  reader.take_value<std::uint64_t>();
  const auto compressed = reader.take_value<std::uint8_t>();
  if (compressed != 0) {
    throw Error(ErrorKind::unsupported,
                "expected an uncompressed DBoW3 vocabulary, found one compressed with QuickLZ. "
                "Convert it with DBoW3: load it and save it again with voc.save(\"name.bin\", "
                "false), or as voc.save(\"name.yml\")");
  }
  const auto nodes = reader.take_value<std::uint32_t>();
  if (nodes < 2) throw Error(ErrorKind::corruption, "expected a vocabulary, found an empty one");
  const auto branching = reader.take_value<std::int32_t>();
  const auto depth = reader.take_value<std::int32_t>();
  const auto scoring = reader.take_value<std::int32_t>();
  const auto weighting = reader.take_value<std::int32_t>();
  tree.set_parameters(branching, depth, scoring, weighting);
  reader.expect_remaining((nodes - 1) * kLeastNodeBytes, "nodes");
  for (std::uint32_t i = 1; i < nodes; ++i) {
    tree.ids.push_back(reader.take_value<std::uint32_t>());
    tree.parents.push_back(reader.take_value<std::uint32_t>());
    tree.weights.push_back(reader.take_value<double>());
    read_descriptor(reader, tree);
  }
  const auto words = reader.take_value<std::uint32_t>();
  reader.expect_remaining(words * kWordBytes, "words");
  for (std::uint32_t i = 0; i < words; ++i) {
    const auto word = reader.take_value<std::uint32_t>();
    tree.word_table.emplace_back(word, reader.take_value<std::uint32_t>());
  }
  return tree;
}

void write_dbow3_binary(const VocabularyImage& image, Writer& writer) {
  require_unshared_words(image, VocabularyFormat::dbow3_binary);
  const std::vector<std::uint32_t> parents = parents_of(image);
  const bool binary = image.shape.type == DescriptorType::binary;
  writer.value(kDbow3Magic);
  writer.value(std::uint8_t{0});
  writer.value(static_cast<std::uint32_t>(image.nodes.size()));
  writer.value(static_cast<std::int32_t>(image.shape.branching));
  writer.value(static_cast<std::int32_t>(image.shape.depth));
  writer.value(static_cast<std::int32_t>(image.shape.scoring));
  writer.value(static_cast<std::int32_t>(image.shape.weighting));
  std::vector<std::uint32_t> node_of_word(image.words);
  for (std::uint32_t node = 1; node < image.nodes.size(); ++node) {
    if (image.nodes[node].count == 0) node_of_word[image.nodes[node].first] = node;
    writer.value(node);
    writer.value(parents[node]);
    writer.value(weight_of(image, node));
    writer.value(static_cast<std::int32_t>(image.shape.width));
    writer.value(std::int32_t{1});
    writer.value(binary ? kBytesType : kFloatsType);
    writer.bytes({image.row(node), image.shape.row_bytes()});
    writer.step();
  }
  writer.value(image.words);
  for (std::uint32_t word = 0; word < image.words; ++word) {
    writer.value(word);
    writer.value(node_of_word[word]);
  }
}

}  // namespace looptree::detail

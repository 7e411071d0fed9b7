// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/weighting.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

// A vocabulary in memory is the image of its file, byte for byte: docs/formats/vocabulary.md draws
// it. So a mapped file needs no parsing, and saving is one write.
namespace looptree::detail {

/// A node of the tree. Nodes are numbered level by level and siblings are neighbours, so the
/// descriptors a step compares with lie side by side.
struct Node {
  std::uint32_t first;  ///< the first child; of a leaf, its word
  std::uint32_t count;  ///< the number of children; 0 for a leaf
};

struct Section {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};

enum SectionIndex { kNodes, kRows, kWordWeights, kNodeWeights, kSections };

/// The first 256 bytes of the file.
struct Header {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t file_bytes;
  std::uint32_t type;
  std::uint32_t width;   ///< bytes or floats of a descriptor
  std::uint32_t stride;  ///< bytes from one descriptor to the next
  std::uint32_t branching;
  std::uint32_t depth;
  std::uint32_t weighting;
  std::uint32_t scoring;
  std::uint32_t nodes;
  std::uint32_t words;
  std::uint32_t reserved;
  std::array<Section, kSections> sections;
  std::uint64_t content_hash;
  std::array<unsigned char, 80> zero;
  std::uint64_t checksum;  ///< of everything before it
};
static_assert(sizeof(Header) == 256);

inline constexpr std::array<unsigned char, 8> kMagic = {0x89, 'L',  'T',  'V',
                                                        '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t kVersion = 1;

/// Limits no real vocabulary comes near; they keep a damaged header from asking for the absurd.
inline constexpr std::size_t kMaxWidth = 1U << 16U;
inline constexpr std::size_t kMaxBranching = 1U << 16U;
inline constexpr std::size_t kMaxDepth = 255;

/// What is known of a vocabulary before its nodes.
struct Shape {
  DescriptorType type = DescriptorType::binary;
  std::size_t width = 0;
  std::size_t branching = 0;
  std::size_t depth = 0;
  Weighting weighting = Weighting::tf_idf;
  Score scoring = Score::l1;

  std::size_t row_bytes() const { return type == DescriptorType::binary ? width : width * 4; }
};

/// Bytes from one row to the next: whole vectors, so that inner loops have no remainder.
std::size_t stride_of(const Shape& shape);

struct VocabularyImage {
  Shape shape;
  std::size_t stride = 0;
  std::uint32_t words = 0;
  std::uint64_t content_hash = 0;
  std::span<const Node> nodes;
  std::span<const std::byte> rows;  ///< row n - 1 belongs to node n; the root has none
  std::span<const double> word_weights;
  std::span<const float> node_weights;     ///< one per node, or none
  std::vector<std::uint32_t> level_begin;  ///< first node of each level, then their number
  std::span<const std::byte> bytes;        ///< the whole image
  std::shared_ptr<const void> owner;
  VocabularyOrigin origin;

  const std::byte* row(std::size_t node) const { return rows.data() + (node - 1) * stride; }
};

/// Checks the image and points into it; `owner` keeps the bytes alive. With `verify` the checksums
/// too, without it only what memory safety rests on. Throws Error(corruption) or
/// Error(unsupported).
VocabularyImage open_image(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           bool verify);

/// An image under construction: zero everywhere, to be filled in and finished.
class ImageBuilder {
 public:
  ImageBuilder(const Shape& shape, std::size_t nodes, std::size_t words, bool with_node_weights);

  std::span<Node> nodes() const { return nodes_; }
  std::byte* row(std::size_t node) const { return rows_ + (node - 1) * stride_; }
  std::span<double> word_weights() const { return word_weights_; }
  std::span<float> node_weights() const { return node_weights_; }

  /// Checksums and checks it. The builder is spent afterwards.
  std::shared_ptr<const VocabularyImage> finish(VocabularyOrigin origin);

 private:
  template <typename T>
  std::span<T> section(SectionIndex index, std::size_t count);

  Header header_ = {};
  std::size_t stride_;
  std::size_t used_ = sizeof(Header);
  std::shared_ptr<std::byte> block_;
  std::span<Node> nodes_;
  std::byte* rows_ = nullptr;
  std::span<double> word_weights_;
  std::span<float> node_weights_;
};

}  // namespace looptree::detail

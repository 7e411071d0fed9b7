// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/image.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "looptree/common/checksum.hpp"
#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and used in place");

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21U;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

[[noreturn]] void corrupt(const std::string& message) {
  throw Error(ErrorKind::corruption, "looptree vocabulary: " + message);
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// Zeroed memory on a cache line. Untouched pages cost nothing until they are written.
std::shared_ptr<std::byte> zeroed_block(std::size_t bytes) {
  std::size_t space = bytes + kAlignment;
  void* const raw = std::calloc(space, 1);
  if (raw == nullptr) throw std::bad_alloc();
  void* start = raw;
  std::align(kAlignment, bytes, start, space);
  // A walk down a big tree lands on another page at every step: large pages spare it the misses.
  void* huge = start;
  std::size_t huge_space = bytes;
  if (std::align(kHugePage, kHugePage, huge, huge_space) != nullptr) {
    madvise(huge, huge_space / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  return {static_cast<std::byte*>(start), [raw](std::byte*) { std::free(raw); }};
}

void check_header(const Header& header, std::size_t file_bytes) {
  if (header.version != kVersion) {
    throw Error(ErrorKind::unsupported,
                "expected a looptree vocabulary of version " + number(kVersion) +
                    ", found version " + number(header.version) +
                    "; read it with the looptree that wrote it and save it in another format");
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(&header);
  if (checksum({bytes, offsetof(Header, checksum)}) != header.checksum) {
    corrupt("expected a header that matches its checksum, found a damaged one");
  }
  if (header.header_bytes != sizeof(Header)) {
    corrupt("expected a header of 256 bytes, found " + number(header.header_bytes));
  }
  if (header.file_bytes != file_bytes) {
    corrupt("expected " + number(header.file_bytes) + " bytes, found " + number(file_bytes));
  }
  const bool sane = header.type <= 1 && header.width >= 1 && header.width <= kMaxWidth &&
                    header.branching >= 1 && header.branching <= kMaxBranching &&
                    header.depth >= 1 && header.depth <= kMaxDepth && header.weighting <= 3 &&
                    header.scoring <= 5 && header.nodes >= 2 && header.words >= 1 &&
                    header.words < header.nodes;
  if (!sane) corrupt("found a header with a value out of range");
}

Shape shape_of(const Header& header) {
  return {static_cast<DescriptorType>(header.type),
          header.width,
          header.branching,
          header.depth,
          static_cast<Weighting>(header.weighting),
          static_cast<Score>(header.scoring)};
}

template <typename T>
std::span<const T> checked_section(std::span<const std::byte> file, const Header& header,
                                   SectionIndex index, std::size_t count, bool verify) {
  const Section& section = header.sections[index];
  const std::size_t bytes = count * sizeof(T);
  if (section.bytes != bytes || section.offset % kAlignment != 0 || section.offset > file.size() ||
      bytes > file.size() - section.offset) {
    corrupt("expected section " + number(index) + " to hold " + number(bytes) +
            " bytes inside the file, found " + number(section.bytes) + " at " +
            number(section.offset));
  }
  const auto data = file.subspan(section.offset, bytes);
  if (verify && checksum(data) != section.checksum) {
    corrupt("expected section " + number(index) + " to match its checksum, found it damaged");
  }
  return {reinterpret_cast<const T*>(data.data()), count};
}

/// Walks the nodes in order. That children follow each other without gap or overlap, and come
/// after their parent, makes the nodes a tree and every walk end.
std::vector<std::uint32_t> checked_levels(std::span<const Node> nodes, std::uint32_t words,
                                          std::size_t depth) {
  std::vector<std::uint32_t> level_begin = {0, 1};
  std::uint64_t next = 1;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (n == level_begin.back()) level_begin.push_back(static_cast<std::uint32_t>(next));
    const Node node = nodes[n];
    if (node.count == 0) {
      if (n == 0 || node.first >= words || n >= next) {
        corrupt("expected node " + number(n) + " to be a leaf with a word below " + number(words) +
                ", found word " + number(node.first));
      }
      continue;
    }
    if (node.first != next || n >= next || node.count > nodes.size() - next) {
      corrupt("expected the children of node " + number(n) + " to start at node " + number(next) +
              ", found " + number(node.count) + " from " + number(node.first));
    }
    next += node.count;
  }
  if (next != nodes.size()) {
    corrupt("expected " + number(nodes.size()) + " nodes in the tree, found " + number(next));
  }
  if (level_begin.size() > depth + 2) {
    corrupt("expected at most " + number(depth) + " levels below the root, found " +
            number(level_begin.size() - 2));
  }
  return level_begin;  // the last entry is the number of nodes: below the deepest level is nothing
}

void check_weights(std::span<const double> weights) {
  for (std::size_t word = 0; word < weights.size(); ++word) {
    if (std::isfinite(weights[word]) && weights[word] >= 0) continue;
    corrupt("expected a finite weight >= 0 for word " + number(word) + ", found " +
            std::to_string(weights[word]));
  }
}

std::uint64_t hash_of_content(const Header& header) {
  const std::array<std::uint64_t, 10> parts = {header.type,
                                               header.width,
                                               header.depth,
                                               header.weighting,
                                               header.scoring,
                                               header.nodes,
                                               header.words,
                                               header.sections[kNodes].checksum,
                                               header.sections[kRows].checksum,
                                               header.sections[kWordWeights].checksum};
  return checksum(std::as_bytes(std::span(parts)));
}

}  // namespace

std::size_t stride_of(const Shape& shape) {
  const std::size_t unit = shape.type == DescriptorType::binary ? 16 : 64;
  return (shape.row_bytes() + unit - 1) / unit * unit;
}

VocabularyImage open_image(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           bool verify) {
  if (bytes.size() < sizeof(Header)) {
    corrupt("expected a header of 256 bytes, found a file of " + number(bytes.size()));
  }
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  check_header(header, bytes.size());

  VocabularyImage image;
  image.shape = shape_of(header);
  image.stride = stride_of(image.shape);
  if (header.stride != image.stride) {
    corrupt("expected descriptors every " + number(image.stride) + " bytes, found every " +
            number(header.stride));
  }
  image.words = header.words;
  image.content_hash = header.content_hash;
  image.nodes = checked_section<Node>(bytes, header, kNodes, header.nodes, verify);
  image.rows = checked_section<std::byte>(bytes, header, kRows,
                                          (header.nodes - std::size_t{1}) * image.stride, verify);
  image.word_weights = checked_section<double>(bytes, header, kWordWeights, header.words, verify);
  const bool with_node_weights = header.sections[kNodeWeights].bytes != 0;
  image.node_weights = checked_section<float>(bytes, header, kNodeWeights,
                                              with_node_weights ? header.nodes : 0, verify);
  image.level_begin = checked_levels(image.nodes, image.words, image.shape.depth);
  check_weights(image.word_weights);
  image.bytes = bytes;
  image.owner = std::move(owner);
  image.origin.format = VocabularyFormat::looptree;
  return image;
}

ImageBuilder::ImageBuilder(const Shape& shape, std::size_t nodes, std::size_t words,
                           bool with_node_weights)
    : stride_(stride_of(shape)) {
  const auto narrow = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  header_.magic = kMagic;
  header_.version = kVersion;
  header_.header_bytes = sizeof(Header);
  header_.type = static_cast<std::uint32_t>(shape.type);
  header_.width = narrow(shape.width);
  header_.stride = narrow(stride_);
  header_.branching = narrow(shape.branching);
  header_.depth = narrow(shape.depth);
  header_.weighting = static_cast<std::uint32_t>(shape.weighting);
  header_.scoring = static_cast<std::uint32_t>(shape.scoring);
  header_.nodes = narrow(nodes);
  header_.words = narrow(words);
  const std::size_t row_bytes = (nodes - 1) * stride_;
  header_.file_bytes = sizeof(Header) + aligned(nodes * sizeof(Node)) + aligned(row_bytes) +
                       aligned(words * sizeof(double)) +
                       aligned(with_node_weights ? nodes * sizeof(float) : 0);
  block_ = zeroed_block(header_.file_bytes);
  nodes_ = section<Node>(kNodes, nodes);
  rows_ = section<std::byte>(kRows, row_bytes).data();
  word_weights_ = section<double>(kWordWeights, words);
  node_weights_ = section<float>(kNodeWeights, with_node_weights ? nodes : 0);
}

template <typename T>
std::span<T> ImageBuilder::section(SectionIndex index, std::size_t count) {
  header_.sections[index] = {used_, count * sizeof(T), 0};
  const std::span<T> result(reinterpret_cast<T*>(block_.get() + used_), count);
  used_ += aligned(count * sizeof(T));
  return result;
}

std::shared_ptr<const VocabularyImage> ImageBuilder::finish(VocabularyOrigin origin) {
  for (Section& section : header_.sections) {
    section.checksum = checksum({block_.get() + section.offset, section.bytes});
  }
  header_.content_hash = hash_of_content(header_);
  const auto header_bytes = std::as_bytes(std::span(&header_, 1));
  header_.checksum = checksum(header_bytes.first(offsetof(Header, checksum)));
  std::memcpy(block_.get(), &header_, sizeof(Header));
  const std::span<const std::byte> bytes(block_.get(), header_.file_bytes);
  auto image = std::make_shared<VocabularyImage>(open_image(bytes, block_, false));
  image->origin = std::move(origin);
  return image;
}

}  // namespace looptree::detail

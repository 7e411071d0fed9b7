// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {
namespace detail {
namespace {

[[noreturn]] void unsupported(VocabularyFormat format, const std::string& why) {
  throw Error(ErrorKind::unsupported, std::string(to_string(format)) +
                                          " cannot hold this vocabulary: " + why +
                                          "; save it as looptree instead");
}

/// Emits nodes so that leaves come in the order of their words.
class WordOrder {
 public:
  WordOrder(const VocabularyImage& image, VocabularyFormat format)
      : image_(image), format_(format), parents_(parents_of(image)), emitted_(image.nodes.size()) {
    order_.reserve(image.nodes.size() - 1);
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> node_of_word(image_.words);
    for (std::uint32_t node = 1; node < image_.nodes.size(); ++node) {
      if (image_.nodes[node].count == 0) node_of_word[image_.nodes[node].first] = node;
    }
    for (const std::uint32_t leaf : node_of_word) emit_with_ancestors(leaf);
    return std::move(order_);
  }

 private:
  bool is_emitted(std::uint32_t node) const {
    const std::uint32_t parent = parents_[node];
    return node - image_.nodes[parent].first < emitted_[parent];
  }

  void emit_with_ancestors(std::uint32_t leaf) {
    std::vector<std::uint32_t>& path = path_;
    path.clear();
    for (std::uint32_t node = leaf; node != 0 && !is_emitted(node); node = parents_[node]) {
      path.push_back(node);
    }
    for (; !path.empty(); path.pop_back()) emit_up_to(path.back());
  }

  /// The node and the siblings before it, which must not be leaves: their words come later.
  void emit_up_to(std::uint32_t node) {
    const std::uint32_t parent = parents_[node];
    const std::uint32_t first = image_.nodes[parent].first;
    for (std::uint32_t each = first + emitted_[parent]; each <= node; ++each) {
      if (each != node && image_.nodes[each].count == 0) {
        unsupported(format_, "it numbers words in the order of the leaves, and here word " +
                                 std::to_string(image_.nodes[each].first) + " comes before word " +
                                 std::to_string(image_.nodes[node].first));
      }
      order_.push_back(each);
    }
    emitted_[parent] = node - first + 1;
  }

  const VocabularyImage& image_;
  VocabularyFormat format_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> emitted_;  ///< how many children of each node
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> parents_of(const VocabularyImage& image) {
  std::vector<std::uint32_t> parents(image.nodes.size());
  for (std::uint32_t n = 0; n < image.nodes.size(); ++n) {
    const Node node = image.nodes[n];
    for (std::uint32_t i = 0; i < node.count; ++i) parents[node.first + i] = n;
  }
  return parents;
}

double weight_of(const VocabularyImage& image, std::uint32_t node) {
  if (image.nodes[node].count == 0) return image.word_weights[image.nodes[node].first];
  return image.node_weights.empty() ? 0 : static_cast<double>(image.node_weights[node]);
}

void require_unshared_words(const VocabularyImage& image, VocabularyFormat format) {
  std::size_t leaves = 0;
  for (const Node& node : image.nodes) leaves += node.count == 0 ? 1 : 0;
  if (leaves == image.words) return;
  unsupported(format, "it gives every leaf a word of its own, and here " + std::to_string(leaves) +
                          " leaves share " + std::to_string(image.words) + " words");
}

void require_binary(const VocabularyImage& image, VocabularyFormat format) {
  if (image.shape.type == DescriptorType::binary) return;
  unsupported(format, "it holds binary descriptors, and these are real");
}

std::vector<std::uint32_t> order_by_word(const VocabularyImage& image, VocabularyFormat format) {
  require_unshared_words(image, format);
  return WordOrder(image, format).run();
}

}  // namespace detail

void Vocabulary::save(const std::filesystem::path& path, VocabularyFormat format,
                      const ProgressCallback& progress) const {
  const bool text =
      format == VocabularyFormat::orbslam_text || format == VocabularyFormat::dbow2_yaml ||
      format == VocabularyFormat::dbow2_brief_yaml || format == VocabularyFormat::dbow3_yaml;
  detail::Writer writer(path, text && path.extension() == ".gz", progress, node_count());
  switch (format) {
    case VocabularyFormat::looptree:
      writer.bytes(image_->bytes);
      break;
    case VocabularyFormat::orbslam_text:
      detail::write_orbslam_text(*image_, writer);
      break;
    case VocabularyFormat::dbow2_yaml:
    case VocabularyFormat::dbow2_brief_yaml:
    case VocabularyFormat::dbow3_yaml:
      detail::write_yaml(*image_, format, writer);
      break;
    case VocabularyFormat::dbow3_binary:
      detail::write_dbow3_binary(*image_, writer);
      break;
    case VocabularyFormat::openvslam_binary:
      detail::write_openvslam_binary(*image_, writer);
      break;
    case VocabularyFormat::vins_binary:
    case VocabularyFormat::fbow:
      throw Error(ErrorKind::unsupported, "expected a format that can be written, found " +
                                              std::string(to_string(format)) +
                                              ", which can only be read");
  }
  writer.commit();
}

}  // namespace looptree

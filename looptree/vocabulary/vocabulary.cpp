// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/image.hpp"
#include "looptree/vocabulary/detail/kernels.hpp"

namespace looptree {
namespace {

using detail::ImageBuilder;
using detail::Node;
using detail::VocabularyImage;

struct FormatName {
  VocabularyFormat format;
  std::string_view name;
};

constexpr std::array<FormatName, 9> kFormatNames = {{
    {VocabularyFormat::looptree, "looptree"},
    {VocabularyFormat::orbslam_text, "orbslam-text"},
    {VocabularyFormat::dbow2_yaml, "dbow2-yaml"},
    {VocabularyFormat::dbow2_brief_yaml, "dbow2-brief-yaml"},
    {VocabularyFormat::dbow3_yaml, "dbow3-yaml"},
    {VocabularyFormat::dbow3_binary, "dbow3-binary"},
    {VocabularyFormat::openvslam_binary, "openvslam-binary"},
    {VocabularyFormat::vins_binary, "vins-binary"},
    {VocabularyFormat::fbow, "fbow"},
}};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

std::string kind_of(DescriptorType type, std::size_t width) {
  return std::to_string(width) + (type == DescriptorType::binary ? " bytes" : " floats");
}

void check_rows(const VocabularyImage& image, DescriptorView descriptors) {
  const detail::Shape& shape = image.shape;
  if (descriptors.type() != shape.type || descriptors.width() != shape.width) {
    refuse("expected descriptors of " + kind_of(shape.type, shape.width) +
           ", as the vocabulary has; found " + kind_of(descriptors.type(), descriptors.width()));
  }
  if (shape.type == DescriptorType::binary) return;
  for (std::size_t row = 0; row < descriptors.size(); ++row) {
    for (const float value : descriptors.floats(row)) {
      if (!std::isfinite(value)) {
        refuse("expected finite descriptors, found " + std::to_string(value) + " in row " +
               std::to_string(row));
      }
    }
  }
}

bool tells_frequency(Weighting weighting) {
  return weighting == Weighting::tf_idf || weighting == Weighting::idf;
}

/// The weight of every node, as if words occurred in images independently of each other. A word of
/// weight w occurs in the share exp(-w) of all images. Stopped words do not count.
std::vector<double> estimated_weights(const VocabularyImage& image) {
  const std::size_t count = image.nodes.size();
  std::vector<double> absent(count, 1.0);  // the share of images without the node
  for (std::size_t n = count; n-- > 0;) {
    const Node node = image.nodes[n];
    if (node.count == 0) {
      const double weight = image.word_weights[node.first];
      if (weight > 0) absent[n] = -std::expm1(-weight);
      continue;
    }
    for (std::uint32_t child = node.first; child < node.first + node.count; ++child) {
      absent[n] *= absent[child];
    }
  }
  for (double& share : absent) share = share == 1.0 ? 0.0 : -std::log1p(-share);
  return absent;
}

double node_weight(const VocabularyImage& image, std::span<const double> estimated,
                   std::size_t node) {
  if (!tells_frequency(image.shape.weighting)) return 1;
  return image.node_weights.empty() ? estimated[node]
                                    : static_cast<double>(image.node_weights[node]);
}

}  // namespace

std::string_view to_string(VocabularyFormat format) {
  for (const FormatName& each : kFormatNames) {
    if (each.format == format) return each.name;
  }
  return "unknown";
}

std::optional<VocabularyFormat> vocabulary_format(std::string_view name) {
  for (const FormatName& each : kFormatNames) {
    if (each.name == name) return each.format;
  }
  return std::nullopt;
}

Vocabulary::Vocabulary(std::shared_ptr<const VocabularyImage> image) : image_(std::move(image)) {}

std::uint32_t Vocabulary::size() const noexcept {
  return image_->words;
}
std::size_t Vocabulary::branching() const noexcept {
  return image_->shape.branching;
}
std::size_t Vocabulary::depth() const noexcept {
  return image_->shape.depth;
}
DescriptorType Vocabulary::descriptor_type() const noexcept {
  return image_->shape.type;
}
std::size_t Vocabulary::descriptor_width() const noexcept {
  return image_->shape.width;
}
Weighting Vocabulary::weighting() const noexcept {
  return image_->shape.weighting;
}
Score Vocabulary::scoring() const noexcept {
  return image_->shape.scoring;
}
std::span<const double> Vocabulary::word_weights() const& noexcept {
  return image_->word_weights;
}
std::uint64_t Vocabulary::content_hash() const noexcept {
  return image_->content_hash;
}
std::size_t Vocabulary::node_count() const noexcept {
  return image_->nodes.size();
}
std::size_t Vocabulary::memory_bytes() const noexcept {
  return image_->bytes.size();
}
const VocabularyOrigin& Vocabulary::origin() const noexcept {
  return image_->origin;
}

std::vector<WordId> Vocabulary::words(DescriptorView descriptors) const {
  check_rows(*image_, descriptors);
  static_assert(sizeof(WordId) == sizeof(std::uint32_t));
  std::vector<WordId> result(descriptors.size());
  auto* plain = reinterpret_cast<std::uint32_t*>(result.data());
  detail::walk(*image_, descriptors, {{plain, result.size()}, {}, 0});
  return result;
}

Quantized Vocabulary::quantize(DescriptorView descriptors, std::size_t levels_up) const {
  check_rows(*image_, descriptors);
  Quantized result;
  result.words.resize(descriptors.size());
  result.weights.resize(descriptors.size());
  result.nodes.resize(descriptors.size());
  auto* plain = reinterpret_cast<std::uint32_t*>(result.words.data());
  detail::walk(
      *image_, descriptors,
      {{plain, result.words.size()}, result.nodes, levels_up < depth() ? depth() - levels_up : 0});
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    result.weights[i] = image_->word_weights[result.words[i].value];
  }
  return result;
}

std::vector<std::size_t> Vocabulary::leaves_by_level() const {
  const std::vector<std::uint32_t>& begin = image_->level_begin;
  std::vector<std::size_t> leaves(begin.size() - 1);
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    const auto nodes = image_->nodes.subspan(begin[level], begin[level + 1] - begin[level]);
    leaves[level] = static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [](const Node& node) { return node.count == 0; }));
  }
  return leaves;
}

Vocabulary Vocabulary::cut(std::size_t level) const {
  if (level == 0) refuse("expected to cut at level 1 or below, found level 0, the root");
  const VocabularyImage& whole = *image_;
  if (level + 2 >= whole.level_begin.size()) return *this;  // nothing lies below

  // Nodes above the cut keep their numbers. Those at it become leaves, each a word of its own; a
  // leaf above it keeps sharing its word with whom it did.
  const std::uint32_t kept = whole.level_begin[level + 1];
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> renumbered(whole.words, kNone);
  std::vector<Node> nodes(whole.nodes.begin(), whole.nodes.begin() + kept);
  std::vector<double> weights;
  const std::vector<double> estimated =
      whole.node_weights.empty() ? estimated_weights(whole) : std::vector<double>();
  for (std::uint32_t n = 0; n < kept; ++n) {
    if (n < whole.level_begin[level] && nodes[n].count != 0) continue;
    const bool was_leaf = nodes[n].count == 0;
    const std::uint32_t old_word = nodes[n].first;
    const auto fresh = static_cast<std::uint32_t>(weights.size());
    if (was_leaf && renumbered[old_word] != kNone) {
      nodes[n].first = renumbered[old_word];
      continue;
    }
    weights.push_back(was_leaf ? whole.word_weights[old_word] : node_weight(whole, estimated, n));
    if (was_leaf) renumbered[old_word] = fresh;
    nodes[n] = {fresh, 0};
  }

  detail::Shape shape = whole.shape;
  shape.depth = level;
  ImageBuilder builder(shape, kept, weights.size(), !whole.node_weights.empty());
  std::copy(nodes.begin(), nodes.end(), builder.nodes().begin());
  std::memcpy(builder.row(1), whole.row(1), (kept - 1) * whole.stride);
  std::copy(weights.begin(), weights.end(), builder.word_weights().begin());
  std::copy_n(whole.node_weights.begin(), builder.node_weights().size(),
              builder.node_weights().begin());
  return Vocabulary(builder.finish({}));
}

Vocabulary Vocabulary::stopped(const StopWords& stop) const {
  if (!(stop.below_weight >= 0) || !(stop.most_frequent >= 0 && stop.most_frequent <= 1)) {
    refuse("expected a weight >= 0 and a share of the words in [0, 1], found " +
           std::to_string(stop.below_weight) + " and " + std::to_string(stop.most_frequent));
  }
  if (stop.most_frequent > 0 && !tells_frequency(weighting())) {
    refuse("expected a vocabulary whose weights tell how frequent words are (tf-idf, idf), found " +
           std::string(to_string(weighting())));
  }
  const VocabularyImage& whole = *image_;
  std::vector<double> weights(whole.word_weights.begin(), whole.word_weights.end());
  std::vector<std::uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return weights[a] < weights[b]; });
  const auto frequent =
      static_cast<std::size_t>(stop.most_frequent * static_cast<double>(weights.size()));
  for (std::size_t i = 0; i < frequent; ++i) weights[order[i]] = 0;
  for (double& weight : weights) weight = weight < stop.below_weight ? 0 : weight;

  ImageBuilder builder(whole.shape, whole.nodes.size(), weights.size(),
                       !whole.node_weights.empty());
  std::copy(whole.nodes.begin(), whole.nodes.end(), builder.nodes().begin());
  std::memcpy(builder.row(1), whole.rows.data(), whole.rows.size());
  std::copy(weights.begin(), weights.end(), builder.word_weights().begin());
  std::copy(whole.node_weights.begin(), whole.node_weights.end(), builder.node_weights().begin());
  return Vocabulary(builder.finish({}));
}

std::vector<double> occurrence_weights(const Vocabulary& vocabulary) {
  const bool weighted =
      vocabulary.weighting() == Weighting::tf_idf || vocabulary.weighting() == Weighting::idf;
  if (!weighted) return {};
  return {vocabulary.word_weights().begin(), vocabulary.word_weights().end()};
}

}  // namespace looptree

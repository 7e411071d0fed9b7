// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/vocabulary/vocab.hpp"
#include "cli/vocabulary/vocab_files.hpp"

namespace looptree::cli {
namespace {

void print_bar(const std::string& label, std::size_t count, std::size_t most) {
  constexpr std::size_t kWidth = 40;
  const std::size_t filled = most == 0 ? 0 : (count * kWidth + most - 1) / most;
  fmt::print("  {:>12} {:>9} {}\n", label, count, std::string(filled, '#'));
}

void print_leaves(const Vocabulary& vocabulary) {
  const std::vector<std::size_t> leaves = vocabulary.leaves_by_level();
  const std::size_t most = *std::max_element(leaves.begin(), leaves.end());
  fmt::print("leaves by level\n");
  for (std::size_t level = 1; level < leaves.size(); ++level) {
    print_bar(std::to_string(level), leaves[level], most);
  }
}

void print_weights(const Vocabulary& vocabulary) {
  constexpr std::size_t kBins = 10;
  const std::span<const double> weights = vocabulary.word_weights();
  const double highest = *std::max_element(weights.begin(), weights.end());
  std::array<std::size_t, kBins> bins = {};
  std::size_t stopped = 0;
  for (const double weight : weights) {
    if (weight == 0) {
      ++stopped;
      continue;
    }
    ++bins[std::min(kBins - 1, static_cast<std::size_t>(weight / highest * kBins))];
  }
  const std::size_t most = std::max(stopped, *std::max_element(bins.begin(), bins.end()));
  fmt::print("words by weight\n");
  print_bar("0 (stopped)", stopped, most);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double step = highest / kBins;
    print_bar(fmt::format("{:.2f}-{:.2f}", step * static_cast<double>(bin),
                          step * static_cast<double>(bin + 1)),
              bins[bin], most);
  }
}

void info(const std::string& path) {
  const Vocabulary vocabulary = load_vocabulary(path);
  const VocabularyOrigin& origin = vocabulary.origin();
  const bool binary = vocabulary.descriptor_type() == DescriptorType::binary;
  fmt::print("format       {}\n", origin.format ? to_string(*origin.format) : "unknown");
  fmt::print("words        {}{}\n", vocabulary.size(),
             origin.word_ids.empty() ? "" : " (renumbered: the file's ids leave gaps)");
  fmt::print("nodes        {}\n", vocabulary.node_count());
  fmt::print("branching    {}\n", vocabulary.branching());
  fmt::print("depth        {}\n", vocabulary.depth());
  fmt::print("descriptors  {}\n", binary ? fmt::format("{} bits", vocabulary.descriptor_width() * 8)
                                         : fmt::format("{} floats", vocabulary.descriptor_width()));
  fmt::print("weighting    {}\n", to_string(vocabulary.weighting()));
  fmt::print("scoring      {}\n", to_string(vocabulary.scoring()));
  fmt::print("memory       {}\n", readable_size(vocabulary.memory_bytes()));
  fmt::print("hash         {:016x}\n", vocabulary.content_hash());
  print_leaves(vocabulary);
  print_weights(vocabulary);
}

}  // namespace

void add_vocab_info(CLI::App& vocab) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = vocab.add_subcommand("info", "Tell what a vocabulary file holds");
  command->add_option("file", *path, "A vocabulary of any format")->required();
  command->callback([path] { info(*path); });
}

}  // namespace looptree::cli

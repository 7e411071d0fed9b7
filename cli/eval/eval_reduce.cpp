// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/evaluate/methods/agglomerate.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval.hpp"

namespace looptree::cli {
namespace {

struct ReduceOptions {
  std::string sequence;
  std::string training;
  std::size_t words = 2500;
  std::size_t place = 50;
  std::string output;
};

void reduce(const ReduceOptions& options) {
  const WordSequence sequence = read_words(options.sequence);
  WordSequence training = read_words(options.training);
  if (training.vocabulary_size != sequence.vocabulary_size) {
    throw Error(
        ErrorKind::invalid_argument,
        fmt::format("expected sequences of one vocabulary, found {} words in {} and {} in {}",
                    sequence.vocabulary_size, options.sequence, training.vocabulary_size,
                    options.training));
  }
  // A word counts as often as it occurs, whatever it weighs.
  WordSequence occurrences = training;
  occurrences.word_weights.assign(training.vocabulary_size, 1.0F);
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < training.frames.size(); ++i) {
    places.push_back(static_cast<std::uint32_t>(i / options.place));
  }
  const std::vector<WordId> reduced = evaluate::reduce_vocabulary(
      make_histograms(occurrences), places, training.vocabulary_size, options.words);
  training.word_weights.clear();
  std::vector<float> weights =
      inverse_document_frequency(evaluate::reduce_words(training, reduced));
  const std::size_t size = weights.size();
  write_words(options.output, evaluate::reduce_words(sequence, reduced, std::move(weights)));
  fmt::print("{}: {} frames, {} words instead of {}\n", options.output, sequence.frames.size(),
             size, sequence.vocabulary_size);
}

}  // namespace

void add_reduce(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "reduce", "A sequence in fewer words, merged by the information bottleneck");
  auto options = std::make_shared<ReduceOptions>();  // lives in the callback
  app->add_option("sequence", options->sequence, "A word file")->required();
  app->add_option("--train", options->training,
                  "A word file of elsewhere: words that tell least of where in it an image was "
                  "taken become one")
      ->required();
  app->add_option("--words", options->words, "How many are left")->capture_default_str();
  app->add_option("--place", options->place, "Consecutive frames of a place, when training")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("-o,--output", options->output, "The new word file")->required();
  app->callback([options] { reduce(*options); });
}

}  // namespace looptree::cli

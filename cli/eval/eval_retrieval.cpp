// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/eval.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/precomputed.hpp"
#include "looptree/evaluate/protocols/retrieval.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval_input.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

using namespace looptree::evaluate;  // NOLINT: this file is its command line

using Names = std::vector<std::string>;

struct RetrievalCommand {
  std::string words;
  std::string ukbench;
  std::string holidays;
  std::string vocabulary;
  std::string score;
  RetrievalOptions protocol;
  OutputOptions output;
};

WordSequence load_images(const RetrievalCommand& command) {
  ProgressBar bar("quantising");
  if (!command.ukbench.empty()) return read_ukbench_words(command.ukbench);
  if (!command.holidays.empty()) {
    return read_holidays_features(command.holidays, command.vocabulary, bar.callback());
  }
  return read_words(command.words);
}

/// Images without words can be neither asked nor found; they leave, with their labels.
void drop_empty(std::vector<Histogram>& images, std::vector<std::uint32_t>& labels) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].empty()) continue;
    std::swap(images[kept], images[i]);
    labels[kept++] = labels[i];
  }
  images.resize(kept);
  labels.resize(kept);
}

void add_retrieval(CLI::App& eval) {
  CLI::App* app =
      eval.add_subcommand("retrieval", "Image retrieval with three layers: ukbench and Holidays");
  auto command = std::make_shared<RetrievalCommand>();  // lives in the callback
  CLI::Option_group* source = app->add_option_group("images", "What to retrieve, one of");
  source->add_option("words", command->words, "a word file with labels");
  source->add_option("--ukbench", command->ukbench, "ukbench's file of visual words");
  CLI::Option* holidays =
      source->add_option("--holidays", command->holidays, "folder of Holidays' .siftgeo files");
  source->require_option(1);
  holidays->needs(
      app->add_option("--vocabulary", command->vocabulary, "Holidays' vocabulary, a .fvecs file"));
  app->add_option("--score", command->score,
                  "ukbench: right ones in the top 4; holidays: mean average precision. Without "
                  "it, that of the images' source")
      ->check(CLI::IsMember({"ukbench", "holidays"}));
  app->add_option("--group", command->protocol.group_size, "Objects per group")
      ->capture_default_str();
  app->add_option("--beam", command->protocol.beam, "Nodes searched below in a layer")
      ->capture_default_str();
  app->add_option("--passes", command->protocol.passes, "How often every query is timed")
      ->capture_default_str();
  command->output.add_to(*app);
  app->callback([command, app] {
    WordSequence words = load_images(*command);
    if (words.word_weights.empty()) words.word_weights = inverse_document_frequency(words);
    if (words.labels.empty()) {
      throw Error(ErrorKind::not_found, "expected labels in " + command->words + ", found none");
    }
    std::vector<Histogram> images = make_histograms(words);
    std::vector<std::uint32_t> labels = words.labels;
    drop_empty(images, labels);
    const bool by_map =
        command->score == "holidays" || (command->score.empty() && !command->holidays.empty());
    command->protocol.score = by_map ? RetrievalScore::holidays : RetrievalScore::ukbench;
    command->protocol.seed = command->output.seed;
    ProgressBar bar("retrieval");
    command->protocol.progress = bar.callback();
    const EvaluationResult result =
        retrieval(images, labels, WordSpace(words.word_weights), command->protocol);
    const std::string name = command->words + command->ukbench + command->holidays;
    command->output.write(result, std::filesystem::path(name).stem().string(), *app);
  });
}

}  // namespace

void add_retrieval_protocol(CLI::App& eval) {
  add_retrieval(eval);
}

}  // namespace looptree::cli

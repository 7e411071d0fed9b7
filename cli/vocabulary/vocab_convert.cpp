// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include <fmt/core.h>

#include "cli/vocabulary/vocab.hpp"
#include "cli/vocabulary/vocab_files.hpp"

namespace looptree::cli {
namespace {

struct ConvertArguments {
  std::string input;
  VocabularyOutput output;
  std::size_t level = 0;
  StopWords stop;
};

void convert(const ConvertArguments& arguments) {
  check_output(arguments.output);
  Vocabulary vocabulary = load_vocabulary(arguments.input);
  if (!vocabulary.origin().word_ids.empty()) {
    fmt::print("words were renumbered: the {} word ids of {} leave gaps\n", vocabulary.size(),
               arguments.input);
  }
  if (arguments.level != 0) vocabulary = vocabulary.cut(arguments.level);
  if (arguments.stop.below_weight != 0 || arguments.stop.most_frequent != 0) {
    vocabulary = vocabulary.stopped(arguments.stop);
  }
  save_vocabulary(vocabulary, arguments.output);
}

}  // namespace

void add_vocab_convert(CLI::App& vocab) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = vocab.add_subcommand("convert", "Write a vocabulary in another format");
  command->add_option("from", arguments->input, "A vocabulary of any format")->required();
  command->add_option("to", arguments->output.path, "The file to write")->required();
  add_format_option(*command, arguments->output);
  command->add_option("--cut", arguments->level, "Make the nodes of this level the words")
      ->check(CLI::PositiveNumber);
  command->add_option("--stop-below", arguments->stop.below_weight,
                      "Stop words of less weight than this");
  command->add_option("--stop-frequent", arguments->stop.most_frequent,
                      "Stop this share of the words, the most frequent ones; 0 to 1");
  command->footer(
      "Reads looptree, ORB-SLAM text (also .gz, .tar.gz), DBoW2 YAML, DBoW3 YAML and binary, "
      "FBoW,\n"
      "OpenVSLAM .dbow2 and VINS .bin, whatever the file is called. Writes by the name:\n\n"
      "  .looptree, .voc   looptree's own, used in place without loading\n"
      "  .txt, .txt.gz     ORB-SLAM text\n"
      "  .yml, .yml.gz     DBoW2 YAML (DBoW3 YAML for floats)\n"
      "  .bin              DBoW3 binary\n"
      "  .dbow2            OpenVSLAM binary\n\n"
      "Example: looptree vocab convert ORBvoc.txt.tar.gz orb.looptree");
  command->callback([arguments] { convert(*arguments); });
}

}  // namespace looptree::cli

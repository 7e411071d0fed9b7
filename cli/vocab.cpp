// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/descriptor_file.hpp"
#include "looptree/vocabulary/training.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/command.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritable =
    "looptree, orbslam-text, dbow2-yaml, dbow2-brief-yaml, dbow3-yaml, dbow3-binary, "
    "openvslam-binary";

struct Output {
  std::string path;
  std::string format;  ///< empty: told by the name of the file
};

std::string readable_size(std::size_t bytes) {
  const double value = static_cast<double>(bytes);
  return bytes < 1000000 ? fmt::format("{:.1f} kB", value / 1e3)
                         : fmt::format("{:.1f} MB", value / 1e6);
}

VocabularyFormat format_by_name(const fs::path& path, DescriptorType type) {
  const std::string extension =
      (path.extension() == ".gz" ? path.stem() : path).extension().string();
  if (extension == ".looptree" || extension == ".voc") return VocabularyFormat::looptree;
  if (extension == ".txt") return VocabularyFormat::orbslam_text;
  if (extension == ".yml" || extension == ".yaml") {
    return type == DescriptorType::binary ? VocabularyFormat::dbow2_yaml
                                          : VocabularyFormat::dbow3_yaml;
  }
  if (extension == ".bin") return VocabularyFormat::dbow3_binary;
  if (extension == ".dbow2") return VocabularyFormat::openvslam_binary;
  throw CLI::ValidationError(
      path.string(),
      "expected a name that ends in .looptree, .voc, .txt, .yml, .bin or .dbow2, or "
      "--format with one of " +
          std::string(kWritable));
}

VocabularyFormat format_of(const Output& output, DescriptorType type) {
  if (output.format.empty()) return format_by_name(output.path, type);
  const auto format = vocabulary_format(output.format);
  if (!format || *format == VocabularyFormat::fbow || *format == VocabularyFormat::vins_binary) {
    throw CLI::ValidationError(
        "--format", "expected one of " + std::string(kWritable) + "; found " + output.format);
  }
  return *format;
}

/// Refuses a bad name before hours of work, not after.
void check_output(const Output& output) {
  format_of(output, DescriptorType::binary);
  const fs::path folder = fs::absolute(output.path).parent_path();
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::not_found,
                "expected the folder " + folder.string() + " to exist; make it first");
  }
}

void add_format_option(CLI::App& command, Output& output) {
  command.add_option("--format", output.format,
                     std::string("What to write; without, the name decides. One of ") + kWritable);
}

void save(const Vocabulary& vocabulary, const Output& output) {
  const VocabularyFormat format = format_of(output, vocabulary.descriptor_type());
  ProgressBar bar("writing");
  vocabulary.save(output.path, format, bar.callback());
  fmt::print("wrote {}: {} words, {}, {}\n", output.path, vocabulary.size(), to_string(format),
             readable_size(fs::file_size(output.path)));
}

Vocabulary load(const std::string& path) {
  ProgressBar bar("reading");
  LoadOptions options;
  options.progress = bar.callback();
  return Vocabulary::load(path, options);
}

// looptree vocab train
// -----------------------------------------------------------------------------

struct TrainArguments {
  std::vector<std::string> inputs;
  Output output;
  TrainOptions options;
};

void append(ImageDescriptors& all, ImageDescriptors more, const std::string& from) {
  if (all.rows_per_image.empty()) {
    all = std::move(more);
    return;
  }
  Descriptors& to = all.descriptors;
  if (to.type != more.descriptors.type || to.width != more.descriptors.width) {
    throw Error(ErrorKind::invalid_argument,
                "expected descriptors of one kind, found another in " + from);
  }
  to.bytes.insert(to.bytes.end(), more.descriptors.bytes.begin(), more.descriptors.bytes.end());
  to.floats.insert(to.floats.end(), more.descriptors.floats.begin(), more.descriptors.floats.end());
  all.rows_per_image.insert(all.rows_per_image.end(), more.rows_per_image.begin(),
                            more.rows_per_image.end());
}

/// The descriptors of all inputs, in order.
ImageDescriptors collect(const std::vector<std::string>& inputs) {
  ImageDescriptors all;
  for (const std::string& input : inputs) {
    const std::string extension = fs::path(input).extension().string();
    if (extension != ".u8" && extension != ".f32") {
      throw Error(
          ErrorKind::unsupported,
          "expected files of descriptors (.u8 or .f32, each with a .txt beside it), found " +
              input + "; \"looptree vocab train --help\" describes them");
    }
    append(all, read_descriptor_file(input), input);
  }
  return all;
}

void train(TrainArguments& arguments) {
  check_output(arguments.output);
  const ImageDescriptors images = collect(arguments.inputs);
  fmt::print("training on {} descriptors of {} images\n", images.descriptors.size(),
             images.rows_per_image.size());
  std::unique_ptr<ProgressBar> bar = std::make_unique<ProgressBar>("training");
  arguments.options.progress = bar->callback();
  const Vocabulary vocabulary =
      train_vocabulary(images.descriptors.view(), images.rows_per_image, arguments.options);
  bar.reset();
  save(vocabulary, arguments.output);
}

void add_train(CLI::App& vocab) {
  const auto arguments = std::make_shared<TrainArguments>();
  TrainOptions& options = arguments->options;
  CLI::App* command = vocab.add_subcommand("train", "Make a vocabulary from descriptors of images");
  command->add_option("descriptors", arguments->inputs, "Files of descriptors, .u8 or .f32")
      ->required();
  command->add_option("-o,--output", arguments->output.path, "The vocabulary to write")->required();
  add_format_option(*command, arguments->output);
  command->add_option("-k,--branching", options.branching, "Children of a node")
      ->capture_default_str();
  command->add_option("-L,--depth", options.depth, "Levels; up to k^L words")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--weighting",
          [&options](const std::string& name) {
            for (const Weighting each :
                 {Weighting::tf_idf, Weighting::tf, Weighting::idf, Weighting::binary}) {
              if (to_string(each) == name) options.weighting = each;
            }
          },
          "tf-idf (default), tf, idf or binary")
      ->check(CLI::IsMember({"tf-idf", "tf", "idf", "binary"}));
  command->add_option("--seed", options.seed, "Another seed gives another vocabulary")
      ->capture_default_str();
  command->add_option("--iterations", options.max_iterations, "At most, per node")
      ->capture_default_str();
  command->add_option("--threads", options.threads, "0: all; the result is the same for any")
      ->capture_default_str();
  command->add_option("--stop-below", options.stop_words.below_weight,
                      "Stop words of less weight than this");
  command->add_option("--stop-frequent", options.stop_words.most_frequent,
                      "Stop this share of the words, the most frequent ones; 0 to 1");
  command->footer(
      "A file of descriptors NAME.u8 (bytes) or NAME.f32 (floats) holds rows and nothing else.\n"
      "NAME.txt beside it says what they are, for example:\n\n"
      "  type u8\n  bytes 32\n  images 50\n  per_image 60\n\n"
      "For f32 write \"dim 128\" instead of bytes; where images differ, write \"rows\" and then "
      "the\n"
      "number of rows of every image instead of per_image.\n\n"
      "Example: looptree vocab train orb.u8 -o orb.looptree -k 10 -L 5");
  command->callback([arguments] { train(*arguments); });
}

// looptree vocab info
// ------------------------------------------------------------------------------

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
  const Vocabulary vocabulary = load(path);
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

void add_info(CLI::App& vocab) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = vocab.add_subcommand("info", "Tell what a vocabulary file holds");
  command->add_option("file", *path, "A vocabulary of any format")->required();
  command->callback([path] { info(*path); });
}

// looptree vocab convert
// ---------------------------------------------------------------------------

struct ConvertArguments {
  std::string input;
  Output output;
  std::size_t level = 0;
  StopWords stop;
};

void convert(const ConvertArguments& arguments) {
  check_output(arguments.output);
  Vocabulary vocabulary = load(arguments.input);
  if (!vocabulary.origin().word_ids.empty()) {
    fmt::print("words were renumbered: the {} word ids of {} leave gaps\n", vocabulary.size(),
               arguments.input);
  }
  if (arguments.level != 0) vocabulary = vocabulary.cut(arguments.level);
  if (arguments.stop.below_weight != 0 || arguments.stop.most_frequent != 0) {
    vocabulary = vocabulary.stopped(arguments.stop);
  }
  save(vocabulary, arguments.output);
}

void add_convert(CLI::App& vocab) {
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

}  // namespace

void add_vocab(CLI::App& app) {
  CLI::App* vocab = app.add_subcommand("vocab", "Train, inspect and convert vocabularies");
  vocab->require_subcommand(1);
  add_train(*vocab);
  add_info(*vocab);
  add_convert(*vocab);
}

}  // namespace looptree::cli

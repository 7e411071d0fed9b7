// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/descriptor_file.hpp"
#include "looptree/vocabulary/training.hpp"

#include "cli/progress_bar.hpp"
#include "cli/vocabulary/vocab.hpp"
#include "cli/vocabulary/vocab_files.hpp"
#ifdef LOOPTREE_WITH_VISION
#include "cli/sequence_options.hpp"
#endif

namespace looptree::cli {
namespace {

#ifdef LOOPTREE_WITH_VISION
constexpr const char* kTrainInputs =
    "Sequences (a folder of images, a video, a dataset), or files of descriptors, .u8 or .f32";
#else
constexpr const char* kTrainInputs = "Files of descriptors, .u8 or .f32";
#endif

struct TrainArguments {
  std::vector<std::string> inputs;
  VocabularyOutput output;
  TrainOptions options;
#ifdef LOOPTREE_WITH_VISION
  SequenceOptions sequence;       ///< how to read an input that is a sequence of images
  std::size_t max_images = 1000;  ///< of each
#endif
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

bool is_descriptor_file(const std::string& input) {
  const std::string extension = std::filesystem::path(input).extension().string();
  return extension == ".u8" || extension == ".f32";
}

ImageDescriptors read_input(const std::string& input, const TrainArguments& arguments) {
  if (is_descriptor_file(input)) return read_descriptor_file(input);
#ifdef LOOPTREE_WITH_VISION
  const auto sequence = open_sequence(input, arguments.sequence.open);
  const auto extractor = make_extractor(arguments.sequence.extractor);
  return extract_descriptors(*sequence, *extractor, arguments.max_images);
#else
  static_cast<void>(arguments);
  throw Error(ErrorKind::unsupported,
              "expected files of descriptors (.u8 or .f32, each with a .txt beside it), found " +
                  input + "; \"looptree vocab train --help\" describes them");
#endif
}

/// The descriptors of all inputs, in order.
ImageDescriptors collect(const TrainArguments& arguments) {
  ImageDescriptors all;
  for (const std::string& input : arguments.inputs) {
    append(all, read_input(input, arguments), input);
  }
  return all;
}

void train(TrainArguments& arguments) {
  check_output(arguments.output);
  const ImageDescriptors images = collect(arguments);
  fmt::print("training on {} descriptors of {} images\n", images.descriptors.size(),
             images.rows_per_image.size());
  std::unique_ptr<ProgressBar> bar = std::make_unique<ProgressBar>("training");
  arguments.options.progress = bar->callback();
  const Vocabulary vocabulary =
      train_vocabulary(images.descriptors.view(), images.rows_per_image, arguments.options);
  bar.reset();
  save_vocabulary(vocabulary, arguments.output);
}

}  // namespace

void add_vocab_train(CLI::App& vocab) {
  const auto arguments = std::make_shared<TrainArguments>();
  TrainOptions& options = arguments->options;
  CLI::App* command = vocab.add_subcommand("train", "Make a vocabulary from descriptors of images");
  command->add_option("descriptors", arguments->inputs, kTrainInputs)->required();
  command->add_option("-o,--output", arguments->output.path, "The vocabulary to write")->required();
  add_format_option(*command, arguments->output);
#ifdef LOOPTREE_WITH_VISION
  add_sequence_options(*command, arguments->sequence);
  command->add_option("--max-images", arguments->max_images, "Of each sequence, evenly drawn")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
#endif
  command->add_option("-k,--branching", options.branching, "Children of a node")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1000}))
      ->capture_default_str();
  command->add_option("-L,--depth", options.depth, "Levels; up to k^L words")
      ->check(CLI::Range(std::size_t{1}, std::size_t{12}))
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

}  // namespace looptree::cli

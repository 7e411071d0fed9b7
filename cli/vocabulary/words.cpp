// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/vocabulary/training.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/command.hpp"
#include "cli/progress_bar.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {
namespace {

struct WordsOptions {
  SequenceOptions sequence;
  std::string vocabulary;
  std::vector<std::string> train;
  TrainOptions training{.depth = 4};
  bool only_posed = false;
  std::string output;
};

constexpr std::size_t kTrainingImages = 400;  // of each sequence

/// A vocabulary of the training sequences, written to where it was not found.
Vocabulary train(const WordsOptions& options, const FeatureExtractor& extractor) {
  ImageDescriptors all;
  all.descriptors = {extractor.descriptor_type(), extractor.descriptor_width(), {}, {}};
  for (const std::string& path : options.train) {
    const ImageDescriptors one =
        extract_descriptors(*open_sequence(path), extractor, kTrainingImages);
    Descriptors& to = all.descriptors;
    to.bytes.insert(to.bytes.end(), one.descriptors.bytes.begin(), one.descriptors.bytes.end());
    to.floats.insert(to.floats.end(), one.descriptors.floats.begin(), one.descriptors.floats.end());
    all.rows_per_image.insert(all.rows_per_image.end(), one.rows_per_image.begin(),
                              one.rows_per_image.end());
  }
  ProgressBar bar("training");
  TrainOptions training = options.training;
  training.progress = bar.callback();
  Vocabulary vocabulary = train_vocabulary(all.descriptors.view(), all.rows_per_image, training);
  vocabulary.save(options.vocabulary);
  fmt::print("{}: {} words, trained on {} images\n", options.vocabulary, vocabulary.size(),
             all.rows_per_image.size());
  return vocabulary;
}

/// The words of every image, an unreadable one having none, so that frames keep their numbers.
std::size_t add_frames(Sequence& sequence, const FeatureExtractor& extractor,
                       const Vocabulary& vocabulary, WordSequence& words) {
  FeatureStream stream(sequence, extractor, 0, 1);
  ProgressBar bar("images to words");
  std::size_t unreadable = 0;
  while (const auto frame = stream.next()) {
    if (!bar.update(frame->number, sequence.size())) {
      throw Error(ErrorKind::cancelled, "stopped on request");
    }
    words.frames.resize(frame->number + 1);
    if (frame->error) ++unreadable;
    if (!frame->features.empty()) {
      words.frames.back() = vocabulary.words(frame->features.descriptors.view());
    }
  }
  words.frames.resize(sequence.size());
  return unreadable;
}

std::vector<std::vector<std::uint32_t>> loops_of(const LoopMask& mask) {
  std::vector<std::vector<std::uint32_t>> loops(mask.frames);
  for (std::size_t i = 0; i < mask.frames; ++i) {
    for (std::size_t j = 0; j < mask.frames; ++j) {
      // Some tables fill one half only; a place is the same seen from either side.
      if (mask(i, j) || mask(j, i)) loops[i].push_back(static_cast<std::uint32_t>(j));
    }
  }
  return loops;
}

/// Leaves out frames without a pose: motion capture begins late, ends early, and has gaps.
void drop_unposed(SequenceInfo& info, WordSequence& words) {
  require(!info.loops, ErrorKind::unsupported,
          "expected a sequence without a table of loops to leave frames out, found one with it");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    if (!info.frames[i].pose) continue;
    std::swap(info.frames[kept], info.frames[i]);
    std::swap(words.frames[kept++], words.frames[i]);
  }
  info.frames.resize(kept);
  words.frames.resize(kept);
}

/// Poses and labels, where every frame has one, and loops.
void add_truth(const SequenceInfo& info, WordSequence& words) {
  for (const SequenceFrame& frame : info.frames) {
    if (frame.pose) words.poses.push_back(*frame.pose);
    if (frame.label) words.labels.push_back(*frame.label);
  }
  if (words.poses.size() != info.frames.size()) words.poses.clear();
  if (words.labels.size() != info.frames.size()) words.labels.clear();
  if (info.loops) words.loops = loops_of(*info.loops);
}

void convert(const WordsOptions& options) {
  const auto extractor = make_extractor(options.sequence.extractor);
  const bool is_there = std::filesystem::exists(options.vocabulary) || options.train.empty();
  const Vocabulary vocabulary =
      is_there ? Vocabulary::load(options.vocabulary) : train(options, *extractor);
  const auto sequence = open_sequence(options.sequence.path, options.sequence.open);
  WordSequence words;
  words.vocabulary_size = vocabulary.size();
  words.word_weights.assign(vocabulary.word_weights().begin(), vocabulary.word_weights().end());
  const std::size_t unreadable = add_frames(*sequence, *extractor, vocabulary, words);
  SequenceInfo info = sequence->info();
  if (options.only_posed) drop_unposed(info, words);
  add_truth(info, words);
  write_words(options.output, words);
  fmt::print("{}: {} frames, {} words{}{}{}\n", options.output, words.frames.size(),
             words.vocabulary_size, words.poses.empty() ? "" : ", poses",
             words.labels.empty() ? "" : ", labels", words.loops.empty() ? "" : ", loops");
  if (unreadable > 0) fmt::print(stderr, "{} images could not be read\n", unreadable);
}

}  // namespace

void add_words(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "words", "Turn images into a word file, which the experiments of eval take");
  auto options = std::make_shared<WordsOptions>();
  command->add_option("sequence", options->sequence.path, "Images: a folder, a video, a dataset")
      ->required();
  command->add_option("--vocabulary", options->vocabulary, "Vocabulary, of any format")->required();
  command->add_option("--train", options->train,
                      "Where that file is missing, train it on these sequences and write it");
  command->add_option("--depth", options->training.depth, "Levels of a trained one: 10^n words")
      ->capture_default_str();
  command->add_flag("--only-posed", options->only_posed,
                    "Leave out frames without a pose; else one of them leaves all without");
  command->add_option("-o,--output", options->output, "The word file")->required();
  add_sequence_options(*command, options->sequence);
  command->callback([options] { convert(*options); });
}

}  // namespace looptree::cli

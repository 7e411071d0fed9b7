// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/train_on_sequence.hpp"

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/training.hpp"

#include "cli/progress_bar.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {
namespace {

constexpr std::size_t kTrainingImages = 400;
constexpr std::size_t kTrainingDepth = 5;  // levels of ten

}  // namespace

Vocabulary train_on_sequence(Sequence& sequence, const FeatureExtractor& extractor) {
  const ImageDescriptors images = extract_descriptors(sequence, extractor, kTrainingImages);
  if (images.rows_per_image.empty()) {
    throw Error(ErrorKind::invalid_argument,
                "expected images with features to train a vocabulary on, found none");
  }
  fmt::print("training a vocabulary on {} descriptors of {} images of the sequence itself\n",
             images.descriptors.size(), images.rows_per_image.size());
  ProgressBar bar("training");
  TrainOptions options;
  options.depth = kTrainingDepth;
  options.progress = bar.callback();
  return train_vocabulary(images.descriptors.view(), images.rows_per_image, options);
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/vocabulary/choose_vocabulary.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/box.hpp"
#include "looptree/vocabulary/training.hpp"

#include "cli/fit_features.hpp"
#include "cli/progress_bar.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {
namespace {

constexpr std::size_t kTrainingImages = 400;
constexpr std::size_t kTrainingDepth = 5;  // levels of ten

/// The name in the box of what an extractor of these options makes.
std::string_view box_name(const ExtractorOptions& features) {
  return to_string(described_as(features.kind));
}

/// Whether there is one there; of another network's features there is none.
bool is_in_the_box(const ExtractorOptions& features) {
  const auto kinds = box_vocabularies();
  return features.network.empty() &&
         std::find(kinds.begin(), kinds.end(), box_name(features)) != kinds.end();
}

}  // namespace

std::optional<Vocabulary> choose_vocabulary(const std::string& name, ExtractorChoice& features) {
  if (!name.empty() && name != "box" && name != "train") {
    Vocabulary own = Vocabulary::load(name);
    fit_features(features, own.content_hash());
    return own;
  }
  if (name == "train") {  // one's own, of what one's own vocabularies are of
    if (!features.is_given) features.kind = FeatureKind::orb;
    return std::nullopt;
  }
  fit_features(features, std::nullopt);
  if (name == "box" || (name.empty() && is_in_the_box(features))) {
    return box_vocabulary(box_name(features));
  }
  return std::nullopt;
}

Vocabulary train_on_sequence(Sequence& sequence, const FeatureExtractor& extractor) {
  const ImageDescriptors images = extract_descriptors(sequence, extractor, kTrainingImages);
  if (images.rows_per_image.empty()) {
    throw Error(ErrorKind::invalid_argument,
                "expected images with features to train a vocabulary on, found none");
  }
  fmt::print(stderr,
             "training a vocabulary on {} descriptors of {} images of the sequence itself\n",
             images.descriptors.size(), images.rows_per_image.size());
  ProgressBar bar("training");
  TrainOptions options;
  options.depth = kTrainingDepth;
  options.progress = bar.callback();
  return train_vocabulary(images.descriptors.view(), images.rows_per_image, options);
}

}  // namespace looptree::cli

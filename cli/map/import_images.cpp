// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/map/import_images.hpp"

#include <utility>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/histogram/histogram.hpp"

#include "cli/fit_features.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {

ImportedImages import_images(Map& map, const Vocabulary& vocabulary, Sequence& sequence,
                             const std::string& name) {
  ExtractorChoice features;
  fit_features(features, vocabulary.content_hash());
  const auto extractor = make_extractor(features);
  FeatureStream stream(sequence, *extractor, 0, 1, DepthFrom::nothing, kThumbnailWidth);
  ProgressBar bar("importing " + name);
  ImportedImages imported;
  while (const auto frame = stream.next()) {
    if (frame->error) {
      fmt::print(stderr, "warning: frame {} skipped: {}\n", frame->number, frame->error->what());
      continue;
    }
    const Histogram histogram =
        make_histogram(vocabulary.quantize(frame->features.descriptors.view(), 0).words,
                       vocabulary.word_weights(), {.weighting = vocabulary.weighting()});
    if (!histogram.empty()) {
      if (!imported.session) imported.session = map.start_session(name);
      FrameInfo info = frame_info(*frame);
      info.session = *imported.session;
      map.insert(histogram, info, frame->features);
      ++imported.frames;
    }
    if (!bar.update(frame->number + 1, sequence.size())) {
      throw Error(ErrorKind::cancelled, "stopped on request");
    }
  }
  return imported;
}

}  // namespace looptree::cli

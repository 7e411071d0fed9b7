// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/map/import_images.hpp"

#include <utility>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/histogram/histogram.hpp"

#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

constexpr int kThumbnailWidth = 160;  // as `looptree detect --map` makes them

}  // namespace

std::size_t import_images(Map& map, const Vocabulary& vocabulary, const std::string& path,
                          SessionId session) {
  const auto sequence = open_sequence(path);
  const auto extractor = make_extractor();
  FeatureStream stream(*sequence, *extractor, 0, 1, DepthFrom::nothing, kThumbnailWidth);
  ProgressBar bar("importing " + path);
  std::size_t added = 0;
  while (const auto frame = stream.next()) {
    if (frame->error) {
      fmt::print(stderr, "warning: frame {} skipped: {}\n", frame->number, frame->error->what());
      continue;
    }
    const Histogram histogram =
        make_histogram(vocabulary.quantize(frame->features.descriptors.view(), 0).words,
                       vocabulary.word_weights(), {.weighting = vocabulary.weighting()});
    const auto& known = sequence->info().frames[frame->number];
    if (!histogram.empty()) {
      map.insert(histogram,
                 {.session = session,
                  .time_s = known.time_s,
                  .pose = known.pose,
                  .name = known.name,
                  .thumbnail = frame->thumbnail},
                 frame->features);
      ++added;
    }
    if (!bar.update(frame->number + 1, sequence->size())) {
      throw Error(ErrorKind::cancelled, "stopped on request");
    }
  }
  return added;
}

}  // namespace looptree::cli

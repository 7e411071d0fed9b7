// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Detect loops in a folder of images, a video or a dataset; without an argument, in the demo world.
// Link looptree::vision.
#include <cstdio>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/detect/loop_detector.hpp"
#include "looptree/vocabulary/training.hpp"

namespace {

/// A vocabulary from every tenth frame. One trained once, on other images, does as well: load it
/// with Vocabulary::load().
looptree::Vocabulary train(looptree::Sequence& sequence, const looptree::FeatureExtractor& orb) {
  looptree::FeatureStream frames(sequence, orb, 0, 10);
  looptree::Descriptors all;
  std::vector<std::size_t> rows_per_image;
  while (const auto frame = frames.next()) {
    const auto& bytes = frame->features.descriptors.bytes;
    all.bytes.insert(all.bytes.end(), bytes.begin(), bytes.end());
    rows_per_image.push_back(frame->features.size());
  }
  return looptree::train_vocabulary(all.view(), rows_per_image, {.depth = 4});
}

}  // namespace

int main(int argc, char** argv) {
  using namespace looptree;
  try {
    const auto sequence = open_sequence(argc > 1 ? argv[1] : "demo");
    const auto orb = make_extractor();
    LoopDetector detector(train(*sequence, *orb),
                          {.exclude_recent = 100, .calibration = sequence->info().calibration});
    std::size_t closures = 0;
    FeatureStream frames(*sequence, *orb);
    while (const auto frame = frames.next()) {
      if (frame->error) continue;
      const Detection detection = detector.process_frame(frame->features, frame_info(*frame));
      if (!detection.is_closure()) continue;
      ++closures;
      std::printf("%s: %s\n", to_string(detection.frame).c_str(), detection.explain().c_str());
    }
    std::printf("%zu closures\n", closures);
    return closures > 0 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

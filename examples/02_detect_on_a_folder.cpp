// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Detect loops in a folder of images, a video or a dataset; without an argument, in the demo world.
// Link looptree::vision.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/detect/loop_detector.hpp"

int main(int argc, char** argv) {
  using namespace looptree;
  try {
    const auto sequence = open_sequence(argc > 1 ? argv[1] : "demo");
    const auto orb = make_extractor();
    // The vocabulary in the box serves. One of your own: LoopDetector(Vocabulary::load(...), ...).
    // What the camera has just left is no loop; a short walk may come back soon.
    const auto recent =
        static_cast<std::uint32_t>(std::min<std::size_t>(100, sequence->size() / 4));
    LoopDetector detector(
        LoopDetectorOptions{.exclude_recent = recent, .calibration = sequence->info().calibration});
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

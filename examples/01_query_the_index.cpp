// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Query the index: histograms of words go in, the most similar frames come out. No images, no
// OpenCV: link looptree::looptree.
#include <cstdio>

#include "looptree/common/error.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/index_options.hpp"

int main() {
  using namespace looptree;
  try {
    // Words of a made-up drive, in place of those a vocabulary gives for real images.
    const WordStream drive;
    PooledIndex index(index_options(drive.word_weights()));
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const Histogram histogram = make_histogram(drive.frame(i), drive.word_weights());
      if (i % 100 == 99) {
        // The three best of the frames that are at least 50 older.
        const QueryResult result =
            index.query(histogram, {.top_k = 3, .filter = {.exclude_recent = 50}});
        std::printf("frame %3u looks most like", i);
        for (const Match& match : result.matches) {
          std::printf("  %3u (%.3f)", match.frame.value, match.score);
        }
        std::printf("\n");
      }
      index.insert(histogram);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

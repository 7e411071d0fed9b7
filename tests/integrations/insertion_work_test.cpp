// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// No add of a keyframe does the work of many, under a lock for which tracking and loop closing
// wait. Counted in bytes that it allocates, not in time: every frame that is arranged anew takes
// memory. Where the 512 frames before the first rows were arranged at once, it was 330 times as
// much as for any other.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/histogram/histogram.hpp"

#include "KeyFrameDatabase.h"
#include "tests/allocations.hpp"

namespace LOOPTREE_ORB_SLAM_NAMESPACE {
namespace {

// Bytes that this thread has allocated.
thread_local std::size_t allocated = 0;

TEST(OrbSlamDatabase, NoAddDoesTheWorkOfMany) {
  looptree::WordStreamOptions options;  // 10,000 words, as many of them a frame as KITTI has
  const looptree::WordStream stream(options);
  const ORBVocabulary vocabulary(std::vector<double>(options.vocabulary_size, 1.0));
  KeyFrameDatabase database(vocabulary);
  std::deque<KeyFrame> keyframes;
  std::vector<std::size_t> bytes;
  looptree::test::on_allocation = [](std::size_t size) { allocated += size; };
  for (unsigned long id = 0; id < 1200; ++id) {
    KeyFrame& keyframe = keyframes.emplace_back();
    keyframe.mnId = id + 1;
    const auto histogram = looptree::make_histogram(stream.frame(id), stream.word_weights());
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      keyframe.mBowVec[histogram.words()[i].value] = histogram.weights()[i];
    }
    const std::size_t before = allocated;
    database.add(&keyframe);
    bytes.push_back(allocated - before);
  }
  const auto longest = std::max_element(bytes.begin(), bytes.end());
  const auto which = longest - bytes.begin();
  const std::size_t most = *longest;
  std::nth_element(bytes.begin(), bytes.begin() + 600, bytes.end());
  EXPECT_LT(most, 30 * bytes[600]) << "keyframe " << which;
}

}  // namespace
}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

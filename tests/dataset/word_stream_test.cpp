// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/word_stream.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/histogram/histogram.hpp"
#include "looptree/histogram/scores.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;

Histogram at(const WordStream& stream, std::uint64_t frame) {
  return make_histogram(stream.frame(frame), stream.word_weights());
}

TEST(WordStream, FramesDependOnNothingButTheirNumber) {
  const WordStream one;
  const WordStream two;
  const std::vector<WordId> late = one.frame(999'999);
  EXPECT_EQ(two.frame(999'999), late) << "whatever was asked before";
  EXPECT_TRUE(std::is_sorted(late.begin(), late.end()));
  EXPECT_LT(late.back().value, one.options().vocabulary_size);
  EXPECT_NE(WordStream({.seed = 2}).frame(5), one.frame(5));
}

TEST(WordStream, NeighboursLookAlikeAndStrangersDoNot) {
  const WordStream stream;
  double near = 0;
  double far = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    near += intersection(at(stream, i * 40), at(stream, i * 40 + 1)) / 20;
    far += intersection(at(stream, i * 40), at(stream, i * 40 + 400)) / 20;
  }
  EXPECT_GT(near, 1.5 * far);
}

TEST(WordStream, RevisitsSayWhichFrameSawThePlaceFirst) {
  const WordStream stream({.new_frames = 100, .revisit_frames = 20});
  EXPECT_FALSE(stream.revisits(99).has_value());
  for (std::uint64_t frame = 100; frame < 120; ++frame) {
    const auto first = stream.revisits(frame);
    ASSERT_TRUE(first.has_value());
    EXPECT_LT(*first, 100u);
    EXPECT_NEAR(stream.position(frame), stream.position(*first), 1);
  }
}

TEST(WordStream, RecognisesNothingWhereItIsToldSo) {
  const WordStream never({.recognition = 0, .new_frames = 200, .revisit_frames = 50});
  const WordStream always({.recognition = 1, .new_frames = 200, .revisit_frames = 50});
  double without = 0;
  double with = 0;
  for (std::uint64_t frame = 200; frame < 250; ++frame) {
    without += intersection(at(never, frame), at(never, *never.revisits(frame)));
    with += intersection(at(always, frame), at(always, *always.revisits(frame)));
  }
  EXPECT_GT(with, 1.3 * without);
}

TEST(WordStream, RefusesOptionsOutOfRange) {
  const auto refused = [](const char* fragment, const WordStreamOptions& options) {
    expect_error(ErrorKind::invalid_argument, fragment, [&] { const WordStream stream(options); });
  };
  refused("two words", {.vocabulary_size = 1});
  refused("Zipf", {.zipf = 1});
  refused("recognition", {.recognition = 1.5});
  refused("scenery", {.scenery = -0.1});
  refused("kind of scene", {.scene_kinds = 0});
  refused("revisits", {.new_frames = 10, .revisit_frames = 11});
}

}  // namespace
}  // namespace looptree

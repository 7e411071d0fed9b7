// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/vocabulary.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"
#include "looptree/vocabulary/training.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::golden;
using test::words;

Descriptors random_rows(DescriptorType type, std::size_t width, std::size_t count,
                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Descriptors rows;
  rows.type = type;
  rows.width = width;
  for (std::size_t i = 0; i < width * count; ++i) {
    if (type == DescriptorType::binary) {
      rows.bytes.push_back(static_cast<std::uint8_t>(random()));
    } else {
      rows.floats.push_back(static_cast<float>(random() % 10000) / 100);
    }
  }
  return rows;
}

/// Every width takes its own path through the vectors; all levels must agree on each.
TEST(Quantising, EveryWidthGivesTheSameWordsOnEverySimdLevel) {
  for (const DescriptorType type : {DescriptorType::binary, DescriptorType::real}) {
    for (const std::size_t width : {1, 3, 8, 16, 17, 31, 32, 33, 61, 64, 128, 130}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(type)) + " of " + std::to_string(width));
      const Descriptors rows = random_rows(type, width, 500, width);
      const std::vector<std::size_t> images(5, 100);
      TrainOptions options;
      options.branching = 7;
      options.depth = 2;
      force_simd_level(simd_levels().back());
      const Vocabulary plain = train_vocabulary(rows.view(), images, options);
      const std::vector<WordId> expected = plain.words(rows.view());
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        EXPECT_EQ(plain.words(rows.view()), expected) << level;
        EXPECT_EQ(train_vocabulary(rows.view(), images, options).content_hash(),
                  plain.content_hash())
            << level;
      }
      force_simd_level("");
    }
  }
}

TEST(Quantising, BatchesOfAnySizeAgreeWithSingleRows) {
  const Vocabulary vocabulary = Vocabulary::load(golden("voc/dbow2_irregular.yml"));
  const test::Images images = test::golden_images(DescriptorType::binary);
  const DescriptorView all = images.descriptors.view();
  std::vector<WordId> single;
  for (std::size_t i = 0; i < all.size(); ++i)
    single.push_back(vocabulary.words(all.rows(i, 1))[0]);
  for (const std::size_t batch : {0, 1, 2, 15, 16, 17, 33, 720}) {
    const std::vector<WordId> found = vocabulary.words(all.rows(0, batch));
    EXPECT_EQ(found, std::vector<WordId>(single.begin(), single.begin() + batch));
  }
}

TEST(Quantising, RefusesOtherDescriptors) {
  const Vocabulary binary = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  const Descriptors narrow = random_rows(DescriptorType::binary, 16, 2, 1);
  expect_error(ErrorKind::invalid_argument, "32 bytes, as the vocabulary has; found 16 bytes",
               [&] { binary.words(narrow.view()); });
  const Vocabulary real = Vocabulary::load(golden("voc/dbow3_float.bin"));
  expect_error(ErrorKind::invalid_argument, "128 floats, as the vocabulary has; found 16 bytes",
               [&] { real.quantize(narrow.view()); });
  Descriptors infinite = random_rows(DescriptorType::real, 128, 2, 1);
  infinite.floats[200] = std::numeric_limits<float>::infinity();
  expect_error(ErrorKind::invalid_argument, "finite descriptors, found inf in row 1",
               [&] { real.words(infinite.view()); });
}

TEST(Quantising, NodesUpTheTree) {
  const Vocabulary vocabulary = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  const test::Images images = test::golden_images(DescriptorType::binary);
  for (const std::size_t up : {3, 4, 100}) {
    for (const std::uint32_t node : vocabulary.quantize(images.view(0), up).nodes) {
      EXPECT_EQ(node, 0U);
    }
  }
  for (const std::uint32_t node : vocabulary.quantize(images.view(0), 2).nodes) {
    EXPECT_GE(node, 1U);
    EXPECT_LE(node, 6U);
  }
}

TEST(Quantising, ManyThreadsAtOnce) {
  const Vocabulary vocabulary = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  const test::Images images = test::golden_images(DescriptorType::binary);
  const std::vector<WordId> expected = vocabulary.words(images.descriptors.view());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Vocabulary copy = vocabulary;
      for (int i = 0; i < 20; ++i) EXPECT_EQ(copy.words(images.descriptors.view()), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Cut, WordsAreTheNodesOfThatLevel) {
  const Vocabulary whole = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  const test::Images images = test::golden_images(DescriptorType::binary);
  const DescriptorView rows = images.descriptors.view();
  for (const std::size_t level : {1, 2}) {
    const Vocabulary cut = whole.cut(level);
    EXPECT_EQ(cut.depth(), level);
    EXPECT_EQ(cut.size(), level == 1 ? 6U : 36U);
    const Quantized fine = whole.quantize(rows, 3 - level);
    const std::uint32_t first = level == 1 ? 1 : 7;
    const std::vector<WordId> coarse = cut.words(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(coarse[i].value, fine.nodes[i] - first);
  }
  EXPECT_EQ(whole.cut(3).content_hash(), whole.content_hash());
  EXPECT_EQ(whole.cut(9).content_hash(), whole.content_hash());
  expect_error(ErrorKind::invalid_argument, "found level 0", [&] { whole.cut(0); });
}

TEST(Cut, EstimatesWeightsAsIfWordsWereIndependent) {
  // Two words in half of the images each: together they miss a quarter.
  const std::string text =
      "2 2 0 0\n0 0 0 0\n0 1 255 0.25\n1 1 0 0.6931471805599453\n1 1 1 0.6931471805599453";
  const Vocabulary whole = Vocabulary::from_bytes(test::as_bytes(text));
  const Vocabulary cut = whole.cut(1);
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_NEAR(cut.word_weights()[0], -std::log(0.75), 1e-12);
  EXPECT_EQ(cut.word_weights()[1], 0.25);
}

TEST(Cut, LeavesAboveKeepSharingWords) {
  const Vocabulary shared = Vocabulary::load(golden("voc/fbow_irregular.fbow"));
  const Vocabulary cut = shared.cut(2);
  EXPECT_LE(cut.size(), 36U);
  EXPECT_EQ(cut.leaves_by_level().size(), 3U);
}

TEST(Stopped, FollowsDbow2AndFrequency) {
  const Vocabulary whole = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  const Vocabulary theirs = Vocabulary::load(golden("voc/dbow2_orb_stopped.yml.gz"));
  EXPECT_EQ(whole.stopped({1.7, 0}).content_hash(), theirs.content_hash());
  std::size_t zeros = 0;
  for (const double weight : whole.stopped({0, 0.5}).word_weights()) zeros += weight == 0 ? 1 : 0;
  EXPECT_EQ(zeros, 108U);
  expect_error(ErrorKind::invalid_argument, "share of the words in [0, 1]", [&] {
    whole.stopped({0, 1.5});
  });
  const Vocabulary tf = Vocabulary::load(golden("voc/dbow2_orb_TF.yml.gz"));
  expect_error(ErrorKind::invalid_argument, "found tf", [&] { tf.stopped({0, 0.1}); });
}

TEST(VocabularyFormatNames, AreReadBack) {
  EXPECT_EQ(vocabulary_format(to_string(VocabularyFormat::orbslam_text)),
            VocabularyFormat::orbslam_text);
  EXPECT_EQ(vocabulary_format("dbow4"), std::nullopt);
}

}  // namespace
}  // namespace looptree

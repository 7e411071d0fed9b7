// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/training.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::Images;

Vocabulary train(const Images& images, const TrainOptions& options) {
  return train_vocabulary(images.descriptors.view(), images.rows_per_image(), options);
}

std::string file_of(const Vocabulary& vocabulary) {
  const test::TemporaryFolder folder;
  vocabulary.save(folder / "vocabulary");
  return test::read_text(folder / "vocabulary");
}

class Training : public testing::TestWithParam<DescriptorType> {
 protected:
  Images images = test::golden_training(GetParam());
  TrainOptions options = [] {
    TrainOptions small;
    small.branching = 6;
    small.depth = 3;
    return small;
  }();
};

TEST_P(Training, GivesTheSameFileForAnyNumberOfThreadsAndSimdLevel) {
  options.threads = 1;
  const std::string one = file_of(train(images, options));
  for (const std::size_t threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(one, file_of(train(images, options))) << threads << " threads";
  }
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    EXPECT_EQ(one, file_of(train(images, options))) << level;
  }
  force_simd_level("");
  options.seed = 7;
  EXPECT_NE(one, file_of(train(images, options)));
}

TEST_P(Training, FillsTheTreeAndReportsItsShape) {
  const Vocabulary vocabulary = train(images, options);
  EXPECT_GT(vocabulary.size(), 180U);
  EXPECT_LE(vocabulary.size(), 216U);
  EXPECT_EQ(vocabulary.branching(), 6U);
  EXPECT_EQ(vocabulary.depth(), 3U);
  EXPECT_EQ(vocabulary.descriptor_type(), GetParam());
  EXPECT_FALSE(vocabulary.origin().format.has_value());
}

/// The weight of every word from its definition, by quantising the training images.
TEST_P(Training, WeighsWordsByTheImagesTheyOccurIn) {
  const Vocabulary vocabulary = train(images, options);
  std::vector<std::size_t> found(vocabulary.size());
  for (std::size_t image = 0; image < images.count(); ++image) {
    std::set<WordId> distinct;
    for (const WordId word : vocabulary.words(images.view(image))) distinct.insert(word);
    for (const WordId word : distinct) ++found[word.value];
  }
  for (std::size_t word = 0; word < vocabulary.size(); ++word) {
    ASSERT_GT(found[word], 0U) << "no training descriptor reaches word " << word;
    const double idf =
        std::log(static_cast<double>(images.count()) / static_cast<double>(found[word]));
    EXPECT_EQ(vocabulary.word_weights()[word], static_cast<double>(static_cast<float>(idf)));
  }
  options.weighting = Weighting::tf;
  const Vocabulary unweighted = train(images, options);
  for (const double weight : unweighted.word_weights()) EXPECT_EQ(weight, 1);
}

TEST_P(Training, CutWordsKeepExactWeights) {
  const Vocabulary coarse = train(images, options).cut(1);
  options.depth = 1;
  EXPECT_EQ(coarse.content_hash(), train(images, options).content_hash());
}

TEST_P(Training, StopsWords) {
  const Vocabulary whole = train(images, options);
  options.stop_words.below_weight = 2;
  options.stop_words.most_frequent = 0.25;
  const Vocabulary stopped = train(images, options);
  std::size_t count = 0;
  for (std::size_t word = 0; word < whole.size(); ++word) {
    const double weight = stopped.word_weights()[word];
    EXPECT_TRUE(weight == 0 || weight == whole.word_weights()[word]);
    EXPECT_TRUE(weight == 0 || weight >= 2);
    count += weight == 0 ? 1 : 0;
  }
  EXPECT_GE(count, whole.size() / 4);
  EXPECT_LT(count, whole.size());
}

TEST_P(Training, ReportsProgressAndStopsOnRequest) {
  std::size_t last = 0;
  std::size_t calls = 0;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
    ++calls;
    return true;
  };
  train(images, options);
  EXPECT_EQ(last, images.descriptors.size() * 4);
  for (std::size_t stop_at = 0; stop_at < calls; stop_at += 7) {
    std::size_t call = 0;
    options.progress = [&](std::size_t, std::size_t) { return call++ < stop_at; };
    expect_error(ErrorKind::cancelled, "stopped", [&] { train(images, options); });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Training,
                         testing::Values(DescriptorType::binary, DescriptorType::real),
                         [](const auto& each) {
                           return each.param == DescriptorType::binary ? "binary" : "real";
                         });

TEST(TrainingInput, RefusesWhatIsOutOfContract) {
  Images images = test::golden_training(DescriptorType::binary);
  const auto refused = [&](const std::string& why, const TrainOptions& options) {
    expect_error(ErrorKind::invalid_argument, why, [&] { train(images, options); });
  };
  refused("a branching from 2 to 65536, found 1", {.branching = 1});
  refused("a depth from 1 to 255, found 0", {.depth = 0});
  refused("iterations from 1", {.max_iterations = 0});
  images.per_image = 70;
  refused("to add up to 3000, the number of descriptors; found 2940", {});
  images.per_image = 60;
  std::fill(images.descriptors.bytes.begin(), images.descriptors.bytes.end(), std::uint8_t{5});
  refused("descriptors that differ", {});
  Images real = test::golden_training(DescriptorType::real);
  real.descriptors.floats[300] = std::numeric_limits<float>::quiet_NaN();
  expect_error(ErrorKind::invalid_argument, "finite descriptors, found nan in row 2",
               [&] { train(real, {}); });
}

TEST(TrainingInput, FewDescriptorsBecomeWordsThemselves) {
  Images images;
  images.descriptors.width = 5;  // not a whole vector
  images.descriptors.bytes = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 9, 9, 9, 9, 9, 7, 7, 7, 7, 7};
  images.per_image = 2;
  const Vocabulary vocabulary = train(images, {});
  EXPECT_EQ(vocabulary.size(), 3U);
  const std::vector<WordId> words = vocabulary.words(images.descriptors.view());
  EXPECT_EQ(words[0], words[1]);
  EXPECT_EQ(std::set<WordId>(words.begin(), words.end()).size(), 3U);
}

/// More rows than a node is clustered on at once, so the root takes a sample.
TEST(TrainingInput, BigNodesAreSampledTheSameWayOnAnyNumberOfThreads) {
  Images images;
  images.descriptors.width = 8;
  std::mt19937_64 random(3);
  images.descriptors.bytes.resize(std::size_t{8} * 200000);
  for (std::uint8_t& byte : images.descriptors.bytes) byte = static_cast<std::uint8_t>(random());
  images.per_image = 1000;
  TrainOptions options;
  options.branching = 4;
  options.depth = 2;
  options.max_iterations = 3;
  options.threads = 1;
  const Vocabulary one = train(images, options);
  options.threads = 3;
  EXPECT_EQ(one.content_hash(), train(images, options).content_hash());
  EXPECT_EQ(one.size(), 16U);
}

}  // namespace
}  // namespace looptree

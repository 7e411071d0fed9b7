// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/word_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/dataset/precomputed.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::words;

class Files : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  template <typename Value>
  static std::string raw(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  test::TemporaryFolder folder_;
};

using WordFile = Files;
using Precomputed = Files;

TEST_F(WordFile, ReadsWhatThePageDescribes) {
  const WordSequence sequence = read_words(write("w", R"(looptree-words 1
# a comment
vocabulary 10
frame 3 7x2 1
pose 1 0 0 4 0 1 0 5 0 0 1 6
label 2

frame
pose 1 0 0 0 0 1 0 0 0 0 1 0
label 3
)"));
  EXPECT_EQ(sequence.vocabulary_size, 10u);
  ASSERT_EQ(sequence.frames.size(), 2u);
  EXPECT_EQ(sequence.frames[0], words({3, 7, 7, 1}));
  EXPECT_TRUE(sequence.frames[1].empty());
  EXPECT_EQ(sequence.poses[0].translation, (std::array<double, 3>{4, 5, 6}));
  EXPECT_EQ(sequence.labels, (std::vector<std::uint32_t>{2, 3}));
}

TEST_F(WordFile, ComesBackAsItWasWritten) {
  Random random(1);
  WordSequence sequence;
  sequence.vocabulary_size = 50;
  for (int word = 0; word < 50; ++word)
    sequence.word_weights.push_back(static_cast<float>(random.uniform()));
  for (std::uint32_t i = 0; i < 30; ++i) {
    std::vector<WordId>& frame = sequence.frames.emplace_back();
    for (std::uint64_t n = random.below(20); n > 0; --n) {
      frame.emplace_back(static_cast<std::uint32_t>(random.below(50)));
    }
    Pose pose;
    pose.translation = {random.uniform() / 3, -random.uniform() * 1e9, 1e-300};
    sequence.poses.push_back(pose);
    sequence.labels.push_back(i / 4);
  }
  write_words(folder_ / "w", sequence);
  EXPECT_EQ(read_words(folder_ / "w"), sequence);
  expect_error(ErrorKind::io, "write", [&] { write_words(folder_ / "no" / "w", sequence); });
}

TEST_F(WordFile, SaysWhatIsWrongAndWhere) {
  const auto refused = [&](ErrorKind kind, const std::string& why, const std::string& text) {
    const fs::path path = write("w", text);
    expect_error(kind, why, [&] { read_words(path); });
  };
  const std::string head = "looptree-words 1\nvocabulary 5\n";
  refused(ErrorKind::corruption, "found nothing", "");
  refused(ErrorKind::corruption, "begins with", "PNG\n");
  refused(ErrorKind::unsupported, "found version 2", "looptree-words 2\n");
  refused(ErrorKind::corruption, "words below 5 in line 3", head + "frame 5\n");
  refused(ErrorKind::corruption, "a word number in line 3", head + "frame x\n");
  refused(ErrorKind::corruption, "a count from 1", head + "frame 1x0\n");
  refused(ErrorKind::corruption, "12 numbers", head + "frame 1\npose 1 2 3\n");
  refused(ErrorKind::corruption, "found \"9\"", head + "frame 1\nlabel 1 9\n");
  refused(ErrorKind::corruption, "found 1 for 2", head + "frame 1\nlabel 1\nframe 2\n");
  refused(ErrorKind::corruption, "every frame up to here", head + "frame 1\nframe 2\nlabel 1\n");
  refused(ErrorKind::corruption, "found \"image\"", head + "image 1\n");
  refused(ErrorKind::corruption, "a word's weight", head + "idf 1 2 3\n");
  expect_error(ErrorKind::not_found, "no_such", [&] { read_words(folder_ / "no_such"); });
}

TEST_F(WordFile, KeepsTablesOfLoops) {
  WordSequence sequence;
  sequence.vocabulary_size = 4;
  sequence.frames = {words({0}), words({1}), words({0})};
  sequence.loops = {{2}, {}, {0}};
  write_words(folder_ / "loops", sequence);
  EXPECT_EQ(read_words(folder_ / "loops"), sequence);
  const std::string head = "looptree-words 1\nvocabulary 4\nframe 1\n";
  const auto refused = [&](const std::string& fragment, const std::string& text) {
    expect_error(ErrorKind::corruption, fragment, [&] { read_words(write("bad", head + text)); });
  };
  refused("frames below 1", "loops 1\n");
  refused("a frame number", "loops x\n");
  refused("one line of loops for every frame", "loops\nloops\n");
  refused("for all frames or for none", "loops\nframe 2\n");
}

TEST_F(WordFile, WeighsWordsByHowFewFramesHaveThem) {
  WordSequence sequence;
  sequence.vocabulary_size = 3;
  sequence.frames = {words({0, 0, 1}), words({0})};
  const std::vector<float> idf = inverse_document_frequency(sequence);
  EXPECT_FLOAT_EQ(idf[0], 0);
  EXPECT_FLOAT_EQ(idf[1], std::log(2.0F));
  EXPECT_FLOAT_EQ(idf[2], std::log(2.0F));
  const std::vector<Histogram> histograms = make_histograms(sequence);
  EXPECT_EQ(histograms[0], Histogram(words({1}), {1}));
  EXPECT_TRUE(histograms[1].empty()) << "a word that every frame has is stopped";
}

TEST_F(Precomputed, UkbenchWords) {
  const fs::path path = write("words.txt", "0 3:1 2 3\n1 2: 7 7\n2 0:\n3 1: 4\n4 1: 9\n");
  const WordSequence sequence = read_ukbench_words(path);
  ASSERT_EQ(sequence.frames.size(), 5u);
  EXPECT_EQ(sequence.frames[1], words({7, 7}));
  EXPECT_TRUE(sequence.frames[2].empty());
  EXPECT_EQ(sequence.labels, (std::vector<std::uint32_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(sequence.vocabulary_size, 10u);
  expect_error(ErrorKind::corruption, "colon",
               [&] { read_ukbench_words(write("bad", "1 2 3\n")); });
  expect_error(ErrorKind::corruption, "\"x\"", [&] { read_ukbench_words(write("bad", "1: x\n")); });
}

TEST_F(Precomputed, HolidaysFeatures) {
  const auto keypoint = [](std::uint8_t first, std::uint8_t second) {
    std::string record(9 * sizeof(float), '\0');
    record += raw(std::int32_t{2}) + raw(first) + raw(second);
    return record;
  };
  const auto centre = [](float first, float second) {
    return raw(std::int32_t{2}) + raw(first) + raw(second);
  };
  write("100000.siftgeo", keypoint(0, 0) + keypoint(200, 10));
  write("100001.siftgeo", keypoint(255, 0));
  write("100100.siftgeo", "");
  const fs::path vocabulary = write("k3.fvecs", centre(250, 0) + centre(0, 250) + centre(10, 10));
  const WordSequence sequence = read_holidays_features(folder_.path(), vocabulary);
  EXPECT_EQ(sequence.vocabulary_size, 3u);
  EXPECT_EQ(sequence.frames[0], words({2, 0}));
  EXPECT_EQ(sequence.frames[1], words({0}));
  EXPECT_TRUE(sequence.frames[2].empty());
  EXPECT_EQ(sequence.labels, (std::vector<std::uint32_t>{1000, 1000, 1001}));
}

TEST_F(Precomputed, RefusesFilesCutShort) {
  const std::string record = std::string(36, '\0') + raw(std::int32_t{4}) + "abcd";
  EXPECT_EQ(read_siftgeo(write("whole", record + record)).size(), 2u);
  for (std::size_t length = 1; length < record.size(); ++length) {
    const fs::path path = write("cut", record + record.substr(0, length));
    expect_error(ErrorKind::corruption, "more bytes", [&] { read_siftgeo(path); });
  }
  const std::string vector = raw(std::int32_t{1}) + raw(1.0F);
  const std::string wider = raw(std::int32_t{2}) + raw(1.0F) + raw(1.0F);
  expect_error(ErrorKind::corruption, "one dimension, 1",
               [&] { read_fvecs(write("mixed", vector + wider)); });
  expect_error(ErrorKind::corruption, "found 0",
               [&] { read_fvecs(write("zero", raw(std::int32_t{0}))); });
  expect_error(ErrorKind::not_found, "no_such", [&] { read_fvecs(folder_ / "no_such"); });
  expect_error(ErrorKind::not_found, "found none",
               [&] { read_holidays_features(folder_ / "empty", folder_ / "k"); });
}

}  // namespace
}  // namespace looptree

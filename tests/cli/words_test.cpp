// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Images to word files, in the layouts of the datasets.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "looptree/dataset/word_file.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/run_command.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect;

test::Outcome looptree(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " " + arguments);
}

/// 40 rendered images in KITTI layout under `folder`/world.
std::string world(const test::ImageFolder& folder) {
  const std::string path = (folder / "world").string();
  expect(looptree("world " + path + " --frames 40 --width 240 --height 160"), 0, "wrote 40 images");
  return path;
}

TEST(WordsCommand, TrainsOnceAndKeepsPoses) {
  const test::ImageFolder folder;
  const std::string images = world(folder);
  const std::string vocabulary = (folder / "v.looptree").string();
  const std::string out = (folder / "w.words").string();
  const std::string command =
      "words " + images + " --vocabulary " + vocabulary + " --output " + out;
  expect(looptree(command), 1, "v.looptree");
  expect(looptree(command + " --train " + images + " --depth 2"), 0, "trained on 40 images");
  const WordSequence words = read_words(out);
  EXPECT_EQ(words.frames.size(), 40u);
  EXPECT_EQ(words.poses.size(), 40u);
  EXPECT_EQ(words.word_weights.size(), words.vocabulary_size);
  EXPECT_FALSE(words.frames[0].empty());
  const test::Outcome again = looptree(command + " --train " + images);
  expect(again, 0, "40 frames");
  EXPECT_EQ(again.output.find("trained"), std::string::npos) << "the vocabulary was there";
}

TEST(WordsCommand, KeepsTheTableOfLoopsOfOxford) {
  const test::ImageFolder folder;
  const std::string images = world(folder);
  std::filesystem::create_directories(folder / "city" / "Images");
  std::string table;
  for (int i = 0; i < 8; ++i) {
    char from[16];
    char to[16];
    std::snprintf(from, sizeof from, "%06d.png", i);
    std::snprintf(to, sizeof to, "%04d.png", i + 1);
    std::filesystem::copy_file(folder / "world" / "image_0" / from,
                               folder / "city" / "Images" / to);
    for (int j = 0; j < 8; ++j) table += (i == 6 && j == 1) ? "1 " : "0 ";
    table += "\n";
  }
  folder.text("city/CityCentreTextFormat.txt", table);
  const std::string out = (folder / "city.words").string();
  expect(looptree("words " + (folder / "city").string() + " --camera both --vocabulary " +
                  (folder / "v").string() + " --train " + images + " --depth 2 --output " + out),
         0, "loops");
  const WordSequence words = read_words(out);
  ASSERT_EQ(words.loops.size(), 8u);
  EXPECT_EQ(words.loops[6], (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(words.loops[1], (std::vector<std::uint32_t>{6})) << "the same seen from the other side";
  expect(looptree("eval synthetic " + out + " --threshold 0.1 --stages 1 --passes 1 --output " +
                  (folder / "run").string()),
         0, "recall");
}

TEST(WordsCommand, LeavesOutFramesWithoutAPose) {
  const test::ImageFolder folder;
  const std::string images = world(folder);
  std::string list;
  for (int i = 0; i < 3; ++i) {
    folder.image("tum/rgb/" + std::to_string(i) + ".png", 50 * i);
    list += std::to_string(i) + ".0 rgb/" + std::to_string(i) + ".png\n";
  }
  folder.text("tum/rgb.txt", list);
  folder.text("tum/groundtruth.txt", "1.0 5 0 0 0 0 0 1\n2.0 6 0 0 0 0 0 1\n");
  const std::string command = "words " + (folder / "tum").string() + " --vocabulary " +
                              (folder / "v").string() + " --train " + images +
                              " --depth 2 --output ";
  expect(looptree(command + (folder / "all").string()), 0, "3 frames");
  EXPECT_TRUE(read_words(folder / "all").poses.empty());
  expect(looptree(command + (folder / "posed").string() + " --only-posed"), 0, "2 frames");
  EXPECT_EQ(read_words(folder / "posed").poses[0].translation[0], 5);
}

}  // namespace
}  // namespace looptree

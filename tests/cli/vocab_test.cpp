// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "looptree/vocabulary/vocabulary.hpp"

#include "tests/run_command.hpp"
#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

using test::expect;
using test::golden;
using test::read_text;
using test::TemporaryFolder;

/// Runs `looptree vocab ARGUMENTS`.
test::Outcome vocab(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " vocab " + arguments);
}

TEST(VocabCommand, TrainsTheSameFileOnOneAndTwoThreads) {
  const TemporaryFolder folder;
  for (const std::string input : {"train_bin.u8", "train_float.f32"}) {
    const std::string train = "train " + golden("desc/" + input).string() + " -k 6 -L 3 -o ";
    expect(vocab(train + (folder / "one.looptree").string() + " --threads 1"), 0, "wrote");
    expect(vocab(train + (folder / "two.looptree").string() + " --threads 2"), 0, "words");
    EXPECT_EQ(read_text(folder / "one.looptree"), read_text(folder / "two.looptree"));
  }
}

TEST(VocabCommand, TrainsOnSeveralFilesAndUnequalImages) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(golden("desc/train_bin.u8"), folder / "a.u8");
  std::ofstream(folder / "a.txt") << "type u8\nbytes 32\nimages 3\nrows 1000\n500 1500\n";
  const std::string both = (folder / "a.u8").string() + " " + golden("desc/train_bin.u8").string();
  expect(vocab("train " + both + " -k 4 -L 2 -o " + (folder / "b.txt").string()), 0,
         "6000 descriptors of 53 images");
  EXPECT_EQ(Vocabulary::load(folder / "b.txt").origin().format, VocabularyFormat::orbslam_text);
}

TEST(VocabCommand, TellsWhatAFileHolds) {
  expect(vocab("info " + golden("voc/dbow2_irregular.yml").string()), 0, "words        156");
  expect(vocab("info " + golden("voc/fbow_irregular.fbow").string()), 0, "renumbered");
  expect(vocab("info " + golden("voc/dbow3_float.bin").string()), 0, "128 floats");
}

TEST(VocabCommand, ConvertsByName) {
  const TemporaryFolder folder;
  const std::string source = golden("voc/dbow2_orb.yml.gz").string();
  const std::uint64_t hash = Vocabulary::load(source).content_hash();
  for (const char* name : {"a.looptree", "a.txt", "a.txt.gz", "a.yml", "a.yml.gz", "a.bin"}) {
    expect(vocab("convert " + source + " " + (folder / name).string()), 0, "216 words");
    EXPECT_EQ(Vocabulary::load(folder / name).content_hash(), hash) << name;
  }
  expect(vocab("convert " + source + " " + (folder / "cut.dbow2").string() + " --cut 2"), 0,
         "36 words, openvslam-binary");
  expect(vocab("convert " + source + " " + (folder / "x").string() + " --format dbow2-brief-yaml"),
         0, "dbow2-brief-yaml");
}

TEST(VocabCommand, SaysWhatIsWrongAndExitsAccordingly) {
  const TemporaryFolder folder;
  const std::string source = golden("voc/dbow2_orb.yml").string();
  expect(vocab(""), 2, "expected a command");
  expect(vocab("convert " + source + " " + (folder / "a.foo").string()), 2, "ends in .looptree");
  expect(vocab("convert " + source + " " + (folder / "a").string() + " --format fbow"), 2,
         "found fbow");
  expect(vocab("convert " + source + " /nowhere/at/all.txt"), 1, "make it first");
  expect(vocab("info /nowhere"), 1, "No such file");
  expect(vocab("info " + golden("voc/dbow3_orb_qlz.bin").string()), 1, "QuickLZ");
  expect(vocab("train photo.jpg -o " + (folder / "a.txt").string()), 1, "photo.jpg");
  std::ofstream(folder / "short.u8") << "abc";
  std::ofstream(folder / "short.txt") << "type u8\nbytes 32\nimages 1\nper_image 2\n";
  expect(vocab("train " + (folder / "short.u8").string() + " -o " + (folder / "a.txt").string()), 1,
         "expected 2 rows of 32 bytes, as short.txt says; found 3 bytes");
}

}  // namespace
}  // namespace looptree

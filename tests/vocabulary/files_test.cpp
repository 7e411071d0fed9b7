// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "looptree/vocabulary/training.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::golden;
using test::read_text;
using test::TemporaryFolder;

Vocabulary from_text(const std::string& text) {
  return Vocabulary::from_bytes(test::as_bytes(text));
}

void expect_same(const Vocabulary& a, const Vocabulary& b) {
  EXPECT_EQ(a.content_hash(), b.content_hash());
  EXPECT_EQ(a.branching(), b.branching());
  EXPECT_EQ(a.depth(), b.depth());
  EXPECT_EQ(a.weighting(), b.weighting());
  EXPECT_EQ(a.scoring(), b.scoring());
  EXPECT_TRUE(std::equal(a.word_weights().begin(), a.word_weights().end(), b.word_weights().begin(),
                         b.word_weights().end()));
}

Vocabulary written_and_read(const Vocabulary& vocabulary, VocabularyFormat format,
                            const std::string& name = "vocabulary") {
  const TemporaryFolder folder;
  vocabulary.save(folder / name, format);
  Vocabulary read = Vocabulary::load(folder / name);
  EXPECT_EQ(read.origin().format, format);
  return read;
}

std::string gzip(const std::string& text) {
  const TemporaryFolder folder;
  gzFile file = gzopen((folder / "file").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_text(folder / "file");
}

/// A tar archive of a folder entry and one file.
std::string tar(const std::string& text) {
  const auto header = [](const std::string& name, char kind, std::size_t size) {
    std::string block(512, '\0');
    block.replace(0, name.size(), name);
    std::string octal = "00000000000";
    for (std::size_t i = octal.size(); size != 0; size /= 8) {
      octal[--i] = static_cast<char>('0' + size % 8);
    }
    block.replace(124, octal.size(), octal);
    block[156] = kind;
    block.replace(257, 8, "ustar\00000", 8);
    return block;
  };
  std::string archive = header("Vocabulary/", '5', 0) + header("ORBvoc.txt", '0', text.size());
  archive += text;
  archive.resize((archive.size() + 511) / 512 * 512 + 1024);
  return archive;
}

// Round trips
// --------------------------------------------------------------------------------------

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, LosesNothing) {
  const Vocabulary original = Vocabulary::load(golden("voc/" + GetParam()));
  std::vector<VocabularyFormat> formats = {VocabularyFormat::looptree, VocabularyFormat::dbow2_yaml,
                                           VocabularyFormat::dbow3_yaml,
                                           VocabularyFormat::dbow3_binary};
  if (original.descriptor_type() == DescriptorType::binary) {
    formats.push_back(VocabularyFormat::orbslam_text);
    formats.push_back(VocabularyFormat::dbow2_brief_yaml);
  }
  for (const VocabularyFormat format : formats) {
    SCOPED_TRACE(to_string(format));
    expect_same(original, written_and_read(original, format));
    expect_same(original, written_and_read(original, format, "vocabulary.gz"));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RoundTrip,
                         testing::Values("dbow2_orb.yml", "dbow2_irregular.yml",
                                         "dbow2_orb_stopped.yml.gz", "orbslam2_orb.txt",
                                         "orbslam2_irregular.txt", "openvslam_irregular.dbow2",
                                         "dbow3_orb.bin", "dbow3_float.bin", "dbow3_float.yml",
                                         "fbow_orb.fbow"));

TEST(VocabularyFiles, OpenvslamBinaryKeepsWeightsOfSinglePrecision) {
  for (const char* name : {"openvslam_orb.dbow2", "openvslam_irregular.dbow2"}) {
    const Vocabulary original = Vocabulary::load(golden(std::string("voc/") + name));
    expect_same(original, written_and_read(original, VocabularyFormat::openvslam_binary));
  }
}

TEST(VocabularyFiles, ATrainedVocabularySurvivesEveryFormat) {
  const test::Images images = test::golden_training(DescriptorType::binary);
  TrainOptions options;
  options.branching = 6;
  options.depth = 3;
  const Vocabulary trained =
      train_vocabulary(images.descriptors.view(), images.rows_per_image(), options);
  for (const VocabularyFormat format :
       {VocabularyFormat::looptree, VocabularyFormat::orbslam_text, VocabularyFormat::dbow2_yaml,
        VocabularyFormat::dbow2_brief_yaml, VocabularyFormat::dbow3_yaml,
        VocabularyFormat::dbow3_binary, VocabularyFormat::openvslam_binary}) {
    SCOPED_TRACE(to_string(format));
    const Vocabulary read = written_and_read(trained, format);
    expect_same(trained, read);
    expect_same(trained.cut(2), read.cut(2));  // the weights of inner nodes survive too
  }
}

TEST(VocabularyFiles, TheSameTreeHasOneHashInEveryFormat) {
  EXPECT_EQ(Vocabulary::load(golden("voc/dbow2_orb.yml")).content_hash(),
            Vocabulary::load(golden("voc/dbow2_orb.yml.gz")).content_hash());
  EXPECT_EQ(Vocabulary::load(golden("voc/dbow3_orb.yml")).content_hash(),
            Vocabulary::load(golden("voc/dbow3_orb.bin")).content_hash());
  EXPECT_NE(Vocabulary::load(golden("voc/dbow2_orb.yml")).content_hash(),
            Vocabulary::load(golden("voc/dbow2_orb_stopped.yml.gz")).content_hash());
}

TEST(VocabularyFiles, TheLayoutIsTheOneOtherLibrariesRead) {
  const TemporaryFolder folder;
  Vocabulary::load(golden("voc/dbow2_orb.yml"))
      .save(folder / "text", VocabularyFormat::orbslam_text);
  const std::string text = read_text(folder / "text");
  const std::string theirs = read_text(golden("voc/orbslam2_orb.txt"));
  EXPECT_EQ(text.substr(0, text.find('\n')), theirs.substr(0, theirs.find('\n')));
  EXPECT_NE(text.back(), '\n');  // ORB-SLAM's loader would make a node of it
  // The first node, up to its weight, stands there as ORB-SLAM2 wrote it.
  const std::string first = theirs.substr(8, theirs.find('\n', 8) - 8);
  EXPECT_EQ(text.substr(8, first.size()), first);

  Vocabulary::load(golden("voc/dbow2_orb.yml")).save(folder / "yaml", VocabularyFormat::dbow2_yaml);
  const std::string yaml = read_text(folder / "yaml");
  const std::string opencv = read_text(golden("voc/dbow2_orb.yml"));
  const std::size_t three_nodes = opencv.find("nodeId:4");
  EXPECT_EQ(yaml.substr(0, three_nodes), opencv.substr(0, three_nodes));
  EXPECT_EQ(yaml.substr(yaml.size() - 40), opencv.substr(opencv.size() - 40));
}

// What a format cannot hold
// -------------------------------------------------------------------------

TEST(VocabularyFiles, WhatAFormatCannotHoldIsRefusedAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const Vocabulary& vocabulary, VocabularyFormat format,
                           const std::string& why) {
    expect_error(ErrorKind::unsupported, why, [&] { vocabulary.save(folder / "file", format); });
    EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  };
  const Vocabulary shared = Vocabulary::load(golden("voc/fbow_irregular.fbow"));
  expect_same(shared, written_and_read(shared, VocabularyFormat::looptree));
  refused(shared, VocabularyFormat::orbslam_text, "165 leaves share 133 words");
  refused(shared, VocabularyFormat::dbow2_yaml, "165 leaves share 133 words");
  const Vocabulary real = Vocabulary::load(golden("voc/dbow3_float.bin"));
  refused(real, VocabularyFormat::orbslam_text, "binary descriptors");
  refused(real, VocabularyFormat::dbow2_brief_yaml, "binary descriptors");
  refused(real, VocabularyFormat::fbow, "which can only be read");
}

TEST(VocabularyFiles, WordsOutOfTreeOrderCannotBecomeText) {
  const std::string swapped =
      "%YAML:1.0\nvocabulary:\n   k: 2\n   L: 1\n   scoringType: 0\n   weightingType: 0\n"
      "   nodes:\n"
      "      - { nodeId:1, parentId:0, weight:1., descriptor:\"1 2 3 4 5 \" }\n"
      "      - { nodeId:2, parentId:0, weight:2., descriptor:\"9 9 9 9 9 \" }\n"
      "   words:\n      - { wordId:1, nodeId:1 }\n      - { wordId:0, nodeId:2 }\n";
  const Vocabulary vocabulary = from_text(swapped);
  EXPECT_EQ(vocabulary.word_weights()[0], 2);
  expect_same(vocabulary, written_and_read(vocabulary, VocabularyFormat::dbow2_yaml));
  const TemporaryFolder folder;
  expect_error(ErrorKind::unsupported, "word 1 comes before word 0",
               [&] { vocabulary.save(folder / "file", VocabularyFormat::orbslam_text); });
}

TEST(VocabularyFiles, CancellingASaveLeavesTheOldFile) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = Vocabulary::load(golden("voc/dbow2_orb.yml"));
  vocabulary.save(folder / "file");
  const std::string before = read_text(folder / "file");
  expect_error(ErrorKind::cancelled, "stopped", [&] {
    vocabulary.save(folder / "file", VocabularyFormat::dbow2_yaml,
                    [](std::size_t, std::size_t) { return false; });
  });
  EXPECT_EQ(read_text(folder / "file"), before);
}

// Dialects and containers
// --------------------------------------------------------------------------

TEST(VocabularyFiles, TextIsReadInsideGzipAndTar) {
  const std::string text = read_text(golden("voc/orbslam2_orb.txt"));
  const Vocabulary plain = from_text(text);
  expect_same(plain, from_text(gzip(text)));
  expect_same(plain, from_text(tar(text)));
  expect_same(plain, from_text(gzip(tar(text))));
  expect_same(plain, from_text(gzip(text.substr(0, 5000)) + gzip(text.substr(5000))));
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_same(plain, from_text(windows));
}

TEST(VocabularyFiles, TheOldYamlDialectIsRead) {
  std::string text = read_text(golden("voc/dbow2_orb.yml"));
  const Vocabulary modern = from_text(text);
  text.erase(text.find("---\n"), 4);
  expect_same(modern, from_text(text));
}

/// Rewrites the descriptors of dbow2_orb.yml in another notation.
template <typename Rewrite>
std::string with_descriptors(const Rewrite& rewrite) {
  const std::string text = read_text(golden("voc/dbow2_orb.yml"));
  const std::string key = "descriptor:\"";
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = text.find(key); found != std::string::npos; found = text.find(key, at)) {
    const std::size_t start = found + key.size();
    const std::size_t end = text.find('"', start);
    result += text.substr(at, start - at);
    std::vector<std::uint8_t> bytes;
    std::istringstream numbers(text.substr(start, end - start));
    for (int value = 0; numbers >> value;) bytes.push_back(static_cast<std::uint8_t>(value));
    result += rewrite(bytes);
    at = end;
  }
  return result + text.substr(at);
}

TEST(VocabularyFiles, BriefBitStringsAreReadHighestBitFirst) {
  const std::string brief = with_descriptors([](const std::vector<std::uint8_t>& bytes) {
    std::string bits;
    for (std::size_t bit = bytes.size() * 8; bit-- > 0;) {
      bits += (bytes[bit / 8] >> (bit % 8) & 1) != 0 ? '1' : '0';
    }
    return bits;
  });
  const Vocabulary vocabulary = from_text(brief);
  EXPECT_EQ(vocabulary.origin().format, VocabularyFormat::dbow2_brief_yaml);
  expect_same(vocabulary, Vocabulary::load(golden("voc/dbow2_orb.yml")));
}

TEST(VocabularyFiles, FourNumbersOf64BitsAreRead) {
  const std::string words = with_descriptors([](const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t value;
      std::memcpy(&value, &bytes[i * 8], 8);
      text += std::to_string(value) + " ";
    }
    return text;
  });
  expect_same(from_text(words), Vocabulary::load(golden("voc/dbow2_orb.yml")));
}

/// VINS's file of the same tree, from the bytes of OpenVSLAM's.
TEST(VocabularyFiles, VinsBinaryIsRead) {
  const std::string source = read_text(golden("voc/openvslam_orb.dbow2"));
  const auto value = [&](std::size_t at, auto kind) {
    std::memcpy(&kind, source.data() + at, sizeof(kind));
    return kind;
  };
  std::string vins;
  const auto append = [&](auto number) {
    vins.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  const std::uint32_t nodes = value(0, std::uint32_t{}) - 1;
  vins.append(source, 8, 16);
  append(nodes);
  append(std::int32_t{216});
  std::string table;
  std::int32_t word = 0;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::size_t at = 24 + i * std::size_t{41};
    append(i + 1);
    append(value(at, std::uint32_t{}));
    append(static_cast<double>(value(at + 36, float{})));
    vins.append(source, at + 4, 32);
    if (source[at + 40] == 0) continue;
    const std::array<std::int32_t, 2> entry = {static_cast<std::int32_t>(i + 1), word++};
    table.append(reinterpret_cast<const char*>(entry.data()), sizeof(entry));
  }
  const Vocabulary vocabulary = from_text(vins + table);
  EXPECT_EQ(vocabulary.origin().format, VocabularyFormat::vins_binary);
  expect_same(vocabulary, Vocabulary::load(golden("voc/openvslam_orb.dbow2")));
}

// Errors
// ---------------------------------------------------------------------------------------------

TEST(VocabularyFiles, ErrorsSayWhatAndWhere) {
  expect_error(ErrorKind::not_found, "cannot open /nowhere/voc",
               [] { Vocabulary::load("/nowhere/voc"); });
  expect_error(ErrorKind::io, "found the folder", [] { Vocabulary::load(golden("voc")); });
  const auto corrupt = [](const std::string& why, const std::string& text) {
    expect_error(ErrorKind::corruption, why, [&] { from_text(text); });
  };
  expect_error(ErrorKind::unsupported, "starts like none of them", [] { from_text("hello\n"); });
  expect_error(ErrorKind::unsupported, "starts like none of them", [] { from_text(""); });
  corrupt("found one without words", "10 6 0 0\n");
  corrupt("byte of a descriptor in line 3, found \"256\"", "2 1 0 0\n0 1 1 2 0.5\n0 1 256 2 0.5\n");
  corrupt("a weight in line 2, found \"x\"", "2 1 0 0\n0 1 1 2 x\n");
  corrupt("a leaf flag, 0 or 1 in line 3, found \"2\"", "2 1 0 0\n0 1 1 2 0.5\n0 2 1 2 0.5\n");
  corrupt("end of the line in line 3, found \"9\"", "2 1 0 0\n0 1 1 2 0.5\n0 1 1 2 0.5 9\n");
  corrupt("one of 2 nodes, found node 7", "2 1 0 0\n0 1 1 2 0.5\n7 1 1 2 0.5\n");
  corrupt("descend from the root, found 1", "2 2 0 0\n0 1 1 2 0.5\n2 1 1 2 0.5\n");
  corrupt("no word at a leaf, node 2", "2 1 0 0\n0 1 1 2 0.5\n0 0 1 2 0.5\n");
  corrupt("a word at an inner node, node 1", "2 2 0 0\n0 1 1 2 0.5\n1 1 1 2 0.5\n");
  corrupt("at most 1 levels below the root, found 2", "2 1 0 0\n0 0 1 2 0\n1 1 1 2 0.5\n");
  corrupt("finite weights >= 0, found -0.5", "2 1 0 0\n0 1 1 2 -0.5\n");
  const std::string own = [] {
    const TemporaryFolder folder;
    Vocabulary::load(golden("voc/dbow2_orb.yml")).save(folder / "file");
    return read_text(folder / "file");
  }();
  std::string newer = own;
  newer[8] = 9;
  expect_error(ErrorKind::unsupported, "version 1, found version 9", [&] { from_text(newer); });
  corrupt("expected " + std::to_string(own.size()) + " bytes, found 300", own.substr(0, 300));
}

TEST(VocabularyFiles, LoadingCanBeWatchedAndCancelled) {
  std::size_t last = 0;
  LoadOptions options;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_LE(done, total);
    last = done;
    return true;
  };
  Vocabulary::load(golden("voc/orbslam2_orb.txt"), options);
  EXPECT_EQ(last, std::filesystem::file_size(golden("voc/orbslam2_orb.txt")));
  options.progress = [](std::size_t, std::size_t) { return false; };
  expect_error(ErrorKind::cancelled, "stopped",
               [&] { Vocabulary::load(golden("voc/orbslam2_orb.txt"), options); });
}

}  // namespace
}  // namespace looptree

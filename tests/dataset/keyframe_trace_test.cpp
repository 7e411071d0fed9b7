// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/keyframe_trace.hpp"

#include <fstream>
#include <iterator>

#include "tests/dataset/made_trace.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::MadeTrace;
using test::TemporaryFolder;

std::vector<TraceRecord> read_all(const std::filesystem::path& path) {
  KeyframeTraceReader reader(path);
  std::vector<TraceRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

std::vector<TraceRecord> read_text(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder / "trace", std::ios::binary) << text;
  return read_all(folder / "trace");
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(KeyframeTrace, ReadsEveryKindOfRecord) {
  const TemporaryFolder folder;
  std::ofstream(folder / "trace") << "# comment\nH mode mono\nV 3 1 2 0.5\n"
                                  << "K 4 5 6 7.5 0 14650fb0739d0383\nA 4 0.1 20\n"
                                  << "N 4 2 1 9\nM 4 0\nG 4 1 2\n"
                                  << "L 4 1 20.5 19 1 0.25 1 2 1 0 1 8 2 0.5 2 8 9\n"
                                  << "E 4 1 2 1\nC 3\n"
                                  << "F 8 9 1 0 14650fb0739d0383\n"
                                  << "R 8 1 20.5 19 1 1 2 1 8 2 0.5 2 7 -1 6 nan 1 8\n";
  KeyframeTraceReader reader(folder / "trace");
  EXPECT_EQ(reader.settings(), "mode mono");
  EXPECT_EQ(reader.word_weights().size(), 3u);
  std::vector<TraceRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  ASSERT_EQ(records.size(), 10u);
  EXPECT_EQ(std::get<TraceKeyframe>(records[0]).image, 6u);
  EXPECT_TRUE(std::get<TraceNeighbours>(records[3]).next_query_only);
  const auto& loop = std::get<TraceLoopQuery>(records[5]);
  EXPECT_EQ(loop.min_score, 0.25f);
  EXPECT_EQ(loop.excluded, std::vector<KeyframeNumber>{0});
  EXPECT_EQ(loop.answer.scored, (std::vector<TraceScore>{{8, 2, 0.5f}}));
  EXPECT_EQ(loop.answer.returned, (std::vector<KeyframeNumber>{8, 9}));
  const auto& lost = std::get<TraceRelocalization>(records[9]);
  ASSERT_EQ(lost.left_over.size(), 2u);
  EXPECT_EQ(lost.left_over[0].score, -1.0f);
  EXPECT_EQ(reader.line(), 13u);
}

TEST(KeyframeTrace, TakesVectorsVerbatim) {
  // Word 1 with weight 1: the hash is over 01 00 00 00 and the bytes of 1.0.
  std::uint64_t hash = 1469598103934665603u;
  for (const int byte : {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F}) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211u;
  }
  char digits[20];
  std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(hash));
  const auto records = read_text("V 3 1 2 3\nK 1 1 1 0 1 " + std::string(digits) + " ! 2:0x1p+0\n");
  const Histogram& histogram = std::get<TraceKeyframe>(records.at(0)).histogram;
  EXPECT_EQ(histogram.words()[0], WordId{1});
  EXPECT_EQ(histogram.weights()[0], 1.0);
}

TEST(KeyframeTrace, SaysWhatIsWrongAndWhere) {
  const auto refused = [](const std::string& text, const std::string& fragment) {
    expect_error(ErrorKind::corruption, fragment, [&] { read_text(text); });
  };
  expect_error(ErrorKind::not_found, "found no", [] { read_all("/nowhere/at/all"); });
  refused("", "no vocabulary weights");
  refused("\x89PNG\n", "a keyframe trace");
  refused("V 2 1\n", "a word's weight in line 1");
  refused("V 1 -1\n", "at least 0");
  refused("V 99999999999 1\n", "at most");
  const std::string head = "V 3 1 2 3\n";
  refused(head + "X 1\n", "a record (K, A");
  refused(head + "A 1 2\n", "end of the line");
  refused(head + "A 1 2 3 4\n", "\"4\"");
  refused(head + "A 1  2 3\n", "two spaces");
  refused(head + "A x 2 3\n", "line 2");
  refused(head + "A 1 2 3", "cut short");
  refused(head + "E 1 2 3 2\n", "0 or 1");
  refused(head + "AA 1 2 3\n", "a record (K, A");
  refused(head + "K 1 1 1 0 1 0 9\n", "words below 3");
  refused(head + "K 1 1 1 0 2 0 1 0\n", "ascending words");
  refused(head + "K 1 1 1 0 1 0 1x0\n", "count from 1");
  refused(head + "K 1 1 1 0 1 0 1\n", "the trace is damaged");
  refused(head + "N 1 3 1 2\n", "neighbours");
  refused(head + "L 1 0 0 0 0 nan 0 0 0 0 0\n", "a minimum score");
}

/// Damage of any kind is an Error(corruption), or it goes unnoticed; nothing worse happens.
void expect_no_crash(const std::filesystem::path& path, std::size_t& noticed) {
  try {
    read_all(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corruption) << error.what();
    ++noticed;
  }
}

TEST(KeyframeTrace, SurvivesTruncationAnywhere) {
  const TemporaryFolder folder;
  MadeTrace made(11);
  made.run(60);
  MadeTrace::write_gzip(folder / "whole", made.text());
  const std::string whole = file_bytes(folder / "whole");
  std::size_t noticed = 0;
  std::size_t cuts = 0;
  for (std::size_t size = 1; size < whole.size(); size += 1 + whole.size() / 150, ++cuts) {
    std::ofstream(folder / "cut", std::ios::binary) << whole.substr(0, size);
    expect_no_crash(folder / "cut", noticed);
  }
  EXPECT_EQ(noticed, cuts);
}

TEST(KeyframeTrace, SurvivesFlippedBytes) {
  const TemporaryFolder folder;
  MadeTrace made(12);
  made.run(60);
  MadeTrace::write_gzip(folder / "whole", made.text());
  Random random(1);
  std::size_t in_gzip = 0;
  std::size_t in_text = 0;
  for (int i = 0; i < 200; ++i) {
    for (const bool gzip : {true, false}) {
      std::string bytes = gzip ? file_bytes(folder / "whole") : made.text();
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
      std::ofstream(folder / "flipped", std::ios::binary) << bytes;
      expect_no_crash(folder / "flipped", gzip ? in_gzip : in_text);
    }
  }
  EXPECT_GT(in_gzip, 180u);  // the rest hit unused parts of the header
  EXPECT_GT(in_text, 100u);  // an answer may well become another answer
}

}  // namespace
}  // namespace looptree

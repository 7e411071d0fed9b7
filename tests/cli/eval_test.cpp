// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The experiments as a user runs them: every protocol on small made data, in the layouts of the
// datasets it is for.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "looptree/dataset/word_file.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/evaluate/protocols/scale.hpp"

#include "tests/run_command.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;
using test::expect;
using test::TemporaryFolder;

enum class Truth { poses, loops, none };

/// 240 frames of a short drive that comes back twice.
WordSequence drive(Truth truth, std::uint64_t seed = 1) {
  const WordStream stream({.vocabulary_size = 1000,
                           .landmarks = 60,
                           .recognition = 1,
                           .new_frames = 90,
                           .revisit_frames = 30,
                           .seed = seed});
  WordSequence words;
  words.vocabulary_size = 1000;
  words.word_weights.assign(stream.word_weights().begin(), stream.word_weights().end());
  for (std::uint32_t i = 0; i < 240; ++i) {
    words.frames.push_back(stream.frame(i));
    if (truth == Truth::poses) words.poses.push_back(evaluate::pose_of(stream, i));
    if (truth != Truth::loops) continue;
    std::vector<std::uint32_t>& loops = words.loops.emplace_back();
    if (const auto first = stream.revisits(i)) loops.push_back(static_cast<std::uint32_t>(*first));
  }
  return words;
}

class EvalCommand : public ::testing::Test {
 protected:
  void SetUp() override { write_words(at("drive.words"), drive(Truth::poses)); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs `looptree ARGUMENTS`.
  static test::Outcome looptree(const std::string& arguments) {
    return test::run_command(std::string(LOOPTREE_CLI) + " " + arguments);
  }

  /// Runs `looptree eval ARGUMENTS --output RUN` and returns the metrics it left.
  nlohmann::json eval(const std::string& arguments, const std::string& run) const {
    expect(looptree("eval " + arguments + " --output " + at(run)), 0, "results: " + at(run));
    std::ifstream file(folder_ / run / "metrics.json");
    return nlohmann::json::parse(file, nullptr, false);
  }

  static double metric(const nlohmann::json& run, std::size_t variant, const std::string& name) {
    return run["variants"][variant]["metrics"].value(name, -1.0);
  }

  TemporaryFolder folder_;
};

TEST_F(EvalCommand, IncrementalWritesAFolderThatCompareAndReportRead) {
  const nlohmann::json run =
      eval("incremental " + at("drive.words") + " --exclude-recent 40 --passes 2 --curve-points 8",
           "inc");
  EXPECT_EQ(run["protocol"], "incremental");
  EXPECT_EQ(run["variants"].size(), 4u);
  EXPECT_EQ(metric(run, 3, "same_answers"), 1) << "d2b16-max is exact";
  EXPECT_GT(metric(run, 0, "average_precision"), 0.3);
  for (const char* file :
       {"config.json", "curves.csv", "timings.csv", "closures.csv", "route.csv"}) {
    EXPECT_TRUE(fs::exists(folder_ / "inc" / file)) << file;
  }
  expect(looptree("eval compare " + at("inc") + " " + at("inc")), 0, "d2b16-mean");
  expect(looptree("report " + at("inc") + " --svg " + at("figures")), 0, "inc-curves.svg");
  const std::string svg = test::read_text(folder_ / "figures" / "inc-times.svg");
  EXPECT_NE(svg.find("images in the database"), std::string::npos);
  EXPECT_NE(svg.find("d2b16-max"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  const std::string pdf = test::read_text(folder_ / "figures" / "inc-times.pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
}

TEST_F(EvalCommand, FabMapLearnsElsewhere) {
  write_words(at("other.words"), drive(Truth::poses, 2));
  const std::string few = "incremental " + at("drive.words") +
                          " --exclude-recent 40 --passes 1 --every 5 --variants d1,fabmap";
  const nlohmann::json run =
      eval(few + " --train " + at("other.words") + " --train-every 3 --same-place 2", "fabmap");
  EXPECT_EQ(run["variants"][1]["name"], "fabmap");
  EXPECT_EQ(metric(run, 1, "precision"), 1);
  EXPECT_GT(metric(run, 1, "average_precision"), 0.3);
  expect(looptree("eval " + few + " --output " + at("untrained")), 1, "expected --train");
}

TEST_F(EvalCommand, ReducedWordsMakeAWordFile) {
  write_words(at("other.words"), drive(Truth::poses, 2));
  expect(looptree("eval reduce " + at("drive.words") + " --train " + at("other.words") +
                  " --words 300 --place 20 --output " + at("fewer.words")),
         0, "300 words instead of 1000");
  const nlohmann::json run = eval("incremental " + at("fewer.words") +
                                      " --exclude-recent 40 --passes 1 --every 5 --variants d1",
                                  "fewer");
  EXPECT_EQ(run["facts"]["vocabulary_size"], 300);
  EXPECT_GT(metric(run, 0, "average_precision"), 0.2);
}

TEST_F(EvalCommand, SweepAsksEveryFewFrames) {
  const nlohmann::json run = eval("sweep " + at("drive.words") +
                                      " --exclude-recent 40 --passes 1 --curve-points 4 --every 5 "
                                      "--variants d1,d2b4-sum,d3b2-mean",
                                  "sweep");
  EXPECT_EQ(run["facts"]["queries"], 39);  // 45, 50, ... 235
  EXPECT_EQ(metric(run, 1, "same_answers"), 1);
}

TEST_F(EvalCommand, ThresholdIsChosenOnTheFirst) {
  write_words(at("other.words"), drive(Truth::poses, 2));
  const nlohmann::json run =
      eval("threshold " + at("drive.words") + " " + at("other.words") + " --exclude-recent 40",
           "policy");
  EXPECT_EQ(run["variants"][0]["name"], "drive");
  EXPECT_EQ(metric(run, 0, "false_alarms"), 0);
  EXPECT_GT(run["facts"]["threshold"].get<double>(), 0);
}

TEST_F(EvalCommand, SyntheticTakesASecondCameraOrOxfordsRule) {
  write_words(at("right.words"), drive(Truth::none));
  write_words(at("other.words"), drive(Truth::none, 2));
  const std::string few =
      " --threshold 0.2 --stages 2 --queries 10 --passes 1 --variants d1,lists,d2b4-max";
  const nlohmann::json stereo =
      eval("synthetic " + at("drive.words") + " --right " + at("right.words") + " --negative " +
               at("other.words") + few,
           "stereo");
  EXPECT_EQ(metric(stereo, 0, "recall"), 1) << "the right images are the left ones here";
  EXPECT_EQ(metric(stereo, 2, "hits_kept"), 1);
  const nlohmann::json halves = eval("synthetic " + at("drive.words") + few, "halves");
  EXPECT_EQ(halves["facts"]["frames"], 120);
  EXPECT_GT(metric(halves, 0, "recall"), 0.5);
}

TEST_F(EvalCommand, SyntheticNeedsNoTruth) {
  // Neither poses nor labels, as a folder of images gives; and a table of loops, as Oxford gives.
  const std::string few = " --threshold 0.2 --stages 1 --queries 20 --passes 1 --variants d1";
  write_words(at("bare.words"), drive(Truth::none));
  EXPECT_GT(metric(eval("synthetic " + at("bare.words") + few, "bare"), 0, "recall"), 0.5);
  write_words(at("oxford.words"), drive(Truth::loops));
  EXPECT_GT(metric(eval("synthetic " + at("oxford.words") + few, "oxford"), 0, "recall"), 0.3);
  const nlohmann::json route =
      eval("incremental " + at("oxford.words") + " --exclude-recent 40 --passes 1 --variants d1",
           "route");
  EXPECT_EQ(route["facts"]["positives"], 60) << "frames that the table gives a loop";
}

TEST_F(EvalCommand, JoinsSequences) {
  write_words(at("other.words"), drive(Truth::poses, 2));
  const nlohmann::json run = eval("synthetic " + at("drive.words") + " " + at("other.words") +
                                      " --threshold 0.2 --stages 1 --passes 1 --variants d1",
                                  "joined");
  EXPECT_EQ(run["facts"]["frames"], 240);
  write_words(at("bare.words"), drive(Truth::none));
  expect(looptree("eval synthetic " + at("drive.words") + " " + at("bare.words") +
                  " --threshold 0.2 --output " + at("bad")),
         1, "differ");
}

TEST_F(EvalCommand, KeyframesAndAdaptiveGroups) {
  const std::string few = " --threshold 0.2 --stages 1 --queries 10 --passes 1";
  const nlohmann::json keyframes =
      eval("keyframes " + at("drive.words") + few + " --variants d1,d2b4-max --keyframes every:3",
           "keyframes");
  EXPECT_EQ(keyframes["facts"]["keyframes"], 40);
  EXPECT_EQ(keyframes["variants"][3]["name"], "keyframes d2b4-max");
  const nlohmann::json adaptive =
      eval("adaptive " + at("drive.words") + few + " --branching 4 --trials 2", "adaptive");
  EXPECT_EQ(adaptive["variants"].size(), 4u);
  EXPECT_GE(metric(adaptive, 2, "recall_high"), metric(adaptive, 2, "recall_low"));
  write_words(at("bare.words"), drive(Truth::none));
  expect(looptree("eval adaptive " + at("bare.words") + few + " --output " + at("bad")), 1,
         "poses");
}

TEST_F(EvalCommand, ScaleStatisticsAndInTheLoop) {
  const nlohmann::json scale =
      eval("scale --frames 1200 --stages 2 --queries 3 --passes 1 --variants d1,d2b4-max", "scale");
  EXPECT_EQ(metric(scale, 1, "hits_kept"), 1);
  const nlohmann::json statistics =
      eval("statistics " + at("drive.words") + " --exclude-recent 40 --sample 20", "statistics");
  EXPECT_GT(metric(statistics, 0, "distinct_words"), 30);
  const nlohmann::json loop =
      eval("in-the-loop " + at("drive.words") + " --exclude-recent 40 --passes 1", "loop");
  EXPECT_EQ(metric(loop, 2, "same_answers"), 1);
}

TEST_F(EvalCommand, RetrievalReadsWhatTheDatasetsHandOut) {
  std::ofstream ukbench(folder_ / "ukbench.txt");
  for (int image = 0; image < 16; ++image) {
    ukbench << image << " 3: " << image / 4 * 5 << ' ' << image / 4 * 5 + 1 << ' ' << image + 40
            << '\n';
  }
  ukbench.close();
  const nlohmann::json run =
      eval("retrieval --ukbench " + at("ukbench.txt") + " --group 2 --passes 1", "ukbench");
  EXPECT_EQ(metric(run, 0, "score"), 4) << "all four of every object";
  EXPECT_EQ(run["variants"].size(), 8u);

  const auto raw = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::ofstream centres(folder_ / "words.fvecs", std::ios::binary);
  fs::create_directories(folder_ / "siftgeo");
  for (int scene = 0; scene < 3; ++scene) {
    centres << raw(std::int32_t{1}) << raw(static_cast<float>(scene * 50));
    for (int view = 0; view < 2; ++view) {
      std::ofstream file(
          folder_ / "siftgeo" / (std::to_string(100000 + scene * 100 + view) + ".siftgeo"),
          std::ios::binary);
      file << std::string(36, '\0') << raw(std::int32_t{1})
           << raw(static_cast<std::uint8_t>(scene * 50 + view));
    }
  }
  centres.close();
  const nlohmann::json holidays = eval("retrieval --holidays " + at("siftgeo") + " --vocabulary " +
                                           at("words.fvecs") + " --passes 1",
                                       "holidays");
  EXPECT_EQ(metric(holidays, 0, "map"), 1);
}

TEST_F(EvalCommand, ScoresClosuresOfAnyMethod) {
  std::ofstream(folder_ / "poses.txt") << "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 99 0 1 0 0 0 0 1 0\n"
                                          "1 0 0 1 0 1 0 0 0 0 1 0\n";
  std::ofstream(folder_ / "closures.csv") << "query,match,score\n2,0,0.9\n1,0,0.5\n";
  const nlohmann::json run = eval("closures " + at("closures.csv") + " --poses " + at("poses.txt") +
                                      " --exclude-recent 0 --name rival",
                                  "rival");
  EXPECT_EQ(metric(run, 0, "precision"), 0.5);
  EXPECT_EQ(metric(run, 0, "recall"), 1);
}

TEST_F(EvalCommand, JudgesClosuresOfARunAsTheRunDid) {
  std::ofstream poses(folder_ / "poses.txt");
  for (int i = 0; i < 20; ++i) poses << "1 0 0 " << 100 * (i % 10) << " 0 1 0 0 0 0 1 0\n";
  poses.close();
  std::filesystem::create_directories(folder_ / "run");
  std::ofstream(folder_ / "run" / "config.json") << R"({"detector": {"exclude_recent": 5}})";
  std::ofstream(folder_ / "run" / "closures.csv") << "query,match,score\n12,2,0.9\n13,3,0.5\n";
  const std::string command = "closures " + at("run/closures.csv") + " --poses " + at("poses.txt");
  const nlohmann::json own = eval(command, "own");
  EXPECT_EQ(metric(own, 0, "precision"), 1);
  EXPECT_EQ(own["facts"]["exclude_recent"], 5);
  const nlohmann::json asked = eval(command + " --exclude-recent 300", "asked");
  EXPECT_EQ(metric(asked, 0, "precision"), 0) << "what the user says still wins";
}

TEST_F(EvalCommand, SaysWhatIsWrong) {
  expect(looptree("eval incremental " + at("no_such")), 1, "no_such");
  expect(looptree("eval incremental stream:x"), 1, "a number of frames");
  expect(looptree("eval sweep " + at("drive.words") + " --variants d9 --output " + at("bad")), 1,
         "d9");
  eval("statistics " + at("drive.words") + " --exclude-recent 40 --sample 5", "once");
  expect(looptree("eval statistics " + at("drive.words") +
                  " --exclude-recent 40 --sample 5 --output " + at("once")),
         1, "run");
  write_words(at("small.words"), {500, {}, {test::words({1})}, {}, {}, {}});
  expect(looptree("eval threshold " + at("drive.words") + " " + at("small.words")), 1,
         "vocabulary");
}

}  // namespace
}  // namespace looptree

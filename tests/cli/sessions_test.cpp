// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree eval sessions` as a user runs it, on two drives through the rendered street: the second
// comes back beside its old track and in another light.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/dataset/image_folder.hpp"
#include "tests/run_command.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;
using test::expect;
using test::read_text;

constexpr int kFrames = 160;
constexpr int kSplit = 80;

std::string file_name(int frame) {
  const std::string digits = std::to_string(frame);
  return std::string(6 - digits.size(), '0') + digits + ".png";
}

/// One rendered world for all tests, cut into its first half and its second.
class SessionsCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::ImageFolder;
    expect(looptree("world " + at("world") + " --frames " + std::to_string(kFrames) +
                    " --width 320 --height 200"),
           0, "wrote 160 images");
    write_part("reference", 0, kSplit);
    write_part("query", kSplit, kFrames);
    expect(looptree("vocab train " + at("world") + " -k 10 -L 3 --max-images 40 -o " + at("v.voc")),
           0, "");
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string at(const std::string& name) { return (*folder_ / name).string(); }

  static test::Outcome looptree(const std::string& arguments) {
    return test::run_command(std::string(LOOPTREE_CLI) + " " + arguments);
  }

  /// Frames first to last of the world as a sequence of its own, with calibration and poses.
  static void write_part(const std::string& name, int first, int last) {
    const fs::path from = *folder_ / "world";
    const fs::path to = *folder_ / name;
    fs::create_directories(to / "image_0");
    fs::copy_file(from / "calib.txt", to / "calib.txt");
    std::ifstream poses(from / "poses.txt");
    std::ofstream own(to / "poses.txt");
    std::string row;
    for (int i = 0; std::getline(poses, row); ++i) {
      if (i < first || i >= last) continue;
      own << row << '\n';
      fs::copy_file(from / "image_0" / file_name(i), to / "image_0" / file_name(i - first));
    }
  }

  static nlohmann::json sessions(const std::string& arguments, const std::string& run) {
    expect(looptree("eval sessions " + at("reference") + " " + at("query") + " --vocabulary " +
                    at("v.voc") + " " + arguments + " --output " + at(run)),
           0, "results: " + at(run));
    return nlohmann::json::parse(read_text(*folder_ / run / "metrics.json"), nullptr, false);
  }

  /// The claims of a run, "query,match,..." each.
  static std::vector<std::string> rows_of(const std::string& run) {
    std::ifstream file(*folder_ / run / "closures.csv");
    std::string row;
    std::getline(file, row);
    std::vector<std::string> rows;
    while (std::getline(file, row)) rows.push_back(row);
    return rows;
  }

  static double metric(const nlohmann::json& run, const std::string& name) {
    return run["variants"][0]["metrics"].value(name, -1.0);
  }

  static test::ImageFolder* folder_;
};

test::ImageFolder* SessionsCommand::folder_ = nullptr;

TEST_F(SessionsCommand, ByPosesItFindsThePlaceAndWritesARun) {
  const nlohmann::json run = sessions("", "run");
  EXPECT_EQ(run["protocol"], "sessions");
  EXPECT_EQ(run["facts"]["reference_frames"], kSplit);
  EXPECT_EQ(run["facts"]["queries"], kFrames - kSplit);
  const double positives = run["facts"]["positives"];
  EXPECT_GT(positives, 10) << "the route comes back";
  EXPECT_LT(positives, kFrames - kSplit) << "and leaves again";
  EXPECT_EQ(metric(run, "precision"), 1);
  EXPECT_EQ(metric(run, "false_alarms"), 0);
  EXPECT_GT(metric(run, "recall"), 0.8);
  EXPECT_GE(metric(run, "in_best_20"), metric(run, "in_best_5"));
  EXPECT_GE(metric(run, "in_best_5"), metric(run, "best_right"));
  EXPECT_GT(metric(run, "in_best_20"), 0.9);
  for (const char* time : {"read_ms", "extract_ms", "histogram_ms", "query_ms", "verify_ms"}) {
    EXPECT_GT(metric(run, time), 0) << time;
  }
  EXPECT_TRUE(read_text(*folder_ / "run" / "closures.csv").starts_with("query,match,score,right"));
  const auto config = nlohmann::json::parse(read_text(*folder_ / "run" / "config.json"));
  EXPECT_EQ(config["options"]["reference"], at("reference"));
  EXPECT_EQ(config["options"]["query"], at("query"));
  expect(looptree("eval compare " + at("run")), 0, "reference+query");
}

TEST_F(SessionsCommand, ATableOfTruthSaysTheSameAsThePosesItWasMadeOf) {
  // What was claimed by poses, all of it right, is the truth.
  const nlohmann::json by_poses = sessions("", "run1");
  std::ofstream table(*folder_ / "truth.csv");
  table << "query,reference\n";
  for (const std::string& row : rows_of("run1")) {
    const auto comma = row.find(',');
    table << row.substr(0, row.find(',', comma + 1)) << '\n';
  }
  table.close();
  const nlohmann::json run = sessions("--truth " + at("truth.csv") + " --tolerance 0", "run2");
  EXPECT_EQ(run["facts"]["positives"].get<double>(), metric(by_poses, "claims"));
  EXPECT_EQ(metric(run, "recall"), 1);
  EXPECT_EQ(metric(run, "precision"), 1);
}

TEST_F(SessionsCommand, EqualNumbersAndNoTruth) {
  const nlohmann::json run = sessions("--same-numbers --tolerance 1 --claim-tolerance 1", "run3");
  EXPECT_EQ(run["facts"]["positives"], kFrames - kSplit);
  fs::create_directories(*folder_ / "bare");
  fs::copy(*folder_ / "query" / "image_0", *folder_ / "bare");
  expect(looptree("eval sessions " + at("reference") + " " + at("bare") + " --vocabulary " +
                  at("v.voc")),
         1, "give the truth as a table with --truth");
  std::ofstream(*folder_ / "wrong.csv") << "query,reference\n0,80\n";
  expect(looptree("eval sessions " + at("reference") + " " + at("query") + " --truth " +
                  at("wrong.csv")),
         1, "reference below 80 in line 2");
}

}  // namespace
}  // namespace looptree

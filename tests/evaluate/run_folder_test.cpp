// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/run_folder.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "looptree/evaluate/compare.hpp"

#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class RunFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("looptree_run_") + info->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static EvaluationResult result() {
    EvaluationResult result{"incremental", {{"frames", 3}, {"threshold", 0.1}}, {}, {}};
    const std::vector<Claim> claims = {{0.5, true}, {1.0 / 3, false}};
    result.variants.push_back(
        {"d1", {{"recall", 0.5}}, precision_recall(claims, 2), {{2, 0, 0.5, true}}});
    result.variants.push_back({"d2b4-mean", {{"recall", 0.25}}, {2, {}}, {}});
    result.times = {{0, 0, QueryKind::positive, 2, 1, 0.25},
                    {1, 0, QueryKind::negative, 2, 1, 0.125}};
    add_time_metrics(result);
    return result;
  }

  fs::path folder_;
};

TEST_F(RunFolder, ComesBackAsItWasWritten) {
  const EvaluationResult written = result();
  write_run(folder_, written, {"made", "looptree eval x", 7, {{"--exclude_recent", "3"}}},
            std::vector<Pose>(3));
  for (const char* name :
       {"config.json", "metrics.json", "curves.csv", "timings.csv", "closures.csv", "route.csv"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
  const evaluate::Run run = read_run(folder_);
  EXPECT_EQ(run.dataset, "made");
  EXPECT_EQ(run.command, "looptree eval x");
  EXPECT_EQ(run.result.protocol, "incremental");
  EXPECT_EQ(run.result.facts, written.facts);
  ASSERT_EQ(run.result.variants.size(), 2u);
  EXPECT_EQ(run.result.variants[0].metrics, written.variants[0].metrics);
  EXPECT_EQ(run.result.variants[0].curve.points, written.variants[0].curve.points);
  EXPECT_EQ(run.result.variants[0].closures, written.variants[0].closures);
  EXPECT_EQ(read_times(run), written.times);
}

TEST_F(RunFolder, IsNotWrittenTwiceNorReadWhereThereIsNone) {
  write_run(folder_, result(), {});
  expect_error(ErrorKind::invalid_argument, "found a run in",
               [&] { write_run(folder_, result(), {}); });
  expect_error(ErrorKind::not_found, "metrics.json", [&] { read_run(folder_ / "none"); });
}

TEST_F(RunFolder, SaysWhichFileIsBrokenAndWhere) {
  write_run(folder_, result(), {});
  std::ofstream(folder_ / "timings.csv") << "variant,pass,kind,query,database_size,ms\nd1,0,x\n";
  expect_error(ErrorKind::corruption, "line 2", [&] { read_times(read_run(folder_)); });
  std::ofstream(folder_ / "curves.csv")
      << "variant,threshold,precision,recall,right,wrong\nd9,0,0,0,0,0\n";
  expect_error(ErrorKind::corruption, "a variant of metrics.json", [&] { read_run(folder_); });
  std::ofstream(folder_ / "metrics.json") << "{";
  expect_error(ErrorKind::corruption, "expected JSON", [&] { read_run(folder_); });
}

TEST_F(RunFolder, ReadsClosuresOfAnyMethod) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "a.csv") << "query,match,inliers,score\r\n9,2,40,0.5\r\n\r\n";
  const ClosureFile scored = read_closures(folder_ / "a.csv");
  EXPECT_TRUE(scored.has_scores);
  EXPECT_EQ(scored.closures, (std::vector<ScoredClosure>{{9, 2, 0.5, false}}));
  std::ofstream(folder_ / "b.csv") << "query,match\n1,0\n";
  EXPECT_FALSE(read_closures(folder_ / "b.csv").has_scores);
  std::ofstream(folder_ / "c.csv") << "a,b\n1,0\n";
  expect_error(ErrorKind::corruption, "query,match", [&] { read_closures(folder_ / "c.csv"); });
  std::ofstream(folder_ / "d.csv") << "query,match\n1,x\n";
  expect_error(ErrorKind::corruption, "a number in line 2",
               [&] { read_closures(folder_ / "d.csv"); });
}

TEST_F(RunFolder, ComparesWithRatiosAndNoTimeWithoutRecall) {
  EvaluationResult bare = result();
  std::erase_if(bare.variants[1].metrics, [](const Metric& m) { return m.name == "recall"; });
  write_run(folder_, bare, {"made", "", 1, {}});
  const std::string table = compare(std::vector<evaluate::Run>{read_run(folder_)});
  EXPECT_NE(table.find("recall 0.5000"), std::string::npos) << table;
  EXPECT_NE(table.find("0.2500 (0.2500..0.2500)"), std::string::npos) << table;
  EXPECT_EQ(table.find("0.1250"), std::string::npos) << "a time without recall\n" << table;
  expect_error(ErrorKind::invalid_argument, "found none", [] { compare({}); });
}

TEST_F(RunFolder, ComparesEveryRunWithItsOwnBaselineByTheRate) {
  EvaluationResult timed = result();
  // The second variant holds a tenth of the images: its queries are faster, its rate is not.
  timed.times = {{0, 0, QueryKind::route, 2, 1000, 1.0}, {1, 0, QueryKind::route, 2, 100, 0.2}};
  for (VariantResult& variant : timed.variants) variant.metrics.resize(1);
  add_time_metrics(timed);
  write_run(folder_ / "a", timed, {"made", "", 1, {}});
  for (QueryTime& time : timed.times) time.ms *= 10;  // a slower machine, the same ratios
  for (VariantResult& variant : timed.variants) variant.metrics.resize(1);
  add_time_metrics(timed);
  write_run(folder_ / "b", timed, {"made", "", 1, {}});
  const std::vector<evaluate::Run> runs = {read_run(folder_ / "a"), read_run(folder_ / "b")};
  const std::string table = compare(runs);
  EXPECT_NE(table.find("speed-up (ms/1k)"), std::string::npos) << table;
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = table.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("1.00x"), 2u) << table;
  EXPECT_EQ(count("0.50x"), 2u) << table;
}

TEST_F(RunFolder, SaysHowManyRecentFramesItLeftOut) {
  fs::create_directories(folder_);
  EXPECT_EQ(read_exclude_recent(folder_), std::nullopt);
  const auto config = [&](const char* text) {
    std::ofstream(folder_ / "config.json") << text;
    return read_exclude_recent(folder_);
  };
  EXPECT_EQ(config(R"({"detector": {"exclude_recent": 58}})"), 58u);
  EXPECT_EQ(config(R"({"options": {"--exclude-recent": "40"}})"), 40u);
  EXPECT_EQ(config(R"({"options": {"--passes": "3"}})"), std::nullopt);
  EXPECT_EQ(config(R"({"detector": 3})"), std::nullopt);
  expect_error(ErrorKind::corruption, "config.json", [&] { config("{"); });
}

TEST(TimeMetrics, AreMediansOfPassesAndRatiosToTheFirst) {
  EvaluationResult result{"x", {}, {{"a", {}, {}, {}}, {"b", {}, {}, {}}}, {}};
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    result.times.push_back({0, pass, QueryKind::route, 0, 1000, 2.0 + pass});
    result.times.push_back({1, pass, QueryKind::route, 0, 1000, 1.0});
  }
  add_time_metrics(result);
  EXPECT_EQ(result.variants[0].metric("mean_ms"), 3.0);
  EXPECT_EQ(result.variants[0].metric("mean_ms_low"), 2.0);
  EXPECT_EQ(result.variants[0].metric("mean_ms_high"), 4.0);
  EXPECT_DOUBLE_EQ(result.variants[1].metric("speedup").value(), 3.0);
  EXPECT_EQ(result.variants[1].metric("positive_speedup"), std::nullopt);
}

}  // namespace
}  // namespace looptree::evaluate

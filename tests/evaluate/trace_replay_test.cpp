// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/trace_replay.hpp"

#include <fstream>

#include "bench/trace_engines.hpp"
#include "tests/dataset/made_trace.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeTrace;
using test::TemporaryFolder;

std::vector<EngineMaker> all_engines() {
  std::vector<EngineMaker> makers = {bench::make_orb_slam_like, bench::make_plain_keyframes,
                                     make_covisibility_engine};
  for (const char* name : {"d1", "d2b4-max", "d3b2-sum"}) {
    makers.emplace_back([topology = Topology::parse(name)](std::span<const double> weights) {
      return make_search_engine(weights, topology);
    });
  }
  return makers;
}

ReplayResult replay_text(const std::string& text) {
  const TemporaryFolder folder;
  MadeTrace::write_gzip(folder / "made.trace.gz", text);
  return replay(folder / "made.trace.gz", all_engines());
}

void expect_no_difference(const ReplayResult& result) {
  for (const ReplayDifference& one : result.differences) {
    ADD_FAILURE() << "line " << one.line << ", " << one.engine << ": " << one.what;
  }
}

TEST(TraceReplay, EveryEngineGivesTheAnswersOfMadeSessions) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    MadeTrace made(seed, seed % 2 == 0 ? 60 : 800);
    made.run(400);
    const ReplayResult result = replay_text(made.text());
    expect_no_difference(result);
    EXPECT_EQ(result.loops, made.loops());
    EXPECT_EQ(result.relocalizations, made.relocalizations());
    EXPECT_GT(result.clears, 0u);
    EXPECT_GT(result.candidates, 20u);
    for (const EngineTimes& engine : result.engines) {
      EXPECT_EQ(engine.loop_us.size(), result.loops) << engine.name;
      EXPECT_EQ(engine.relocalization_us.size(), result.relocalizations) << engine.name;
    }
  }
}

/// `text` with the nth record of a kind left out.
std::string without(const std::string& text, const std::string& kind, std::size_t n) {
  std::size_t at = 0;
  for (std::size_t i = 0; i <= n; ++i) at = text.find("\n" + kind + " ", at + 1);
  return text.substr(0, at) + text.substr(text.find('\n', at + 1));
}

TEST(TraceReplay, NoticesALeftOutRecord) {
  MadeTrace made(3);
  made.run(60);
  for (const std::string kind : {"A", "K", "F"}) {
    bool noticed = false;
    try {
      noticed = !replay_text(without(made.text(), kind, 4)).differences.empty();
    } catch (const Error& error) {
      noticed = error.kind() == ErrorKind::corruption;
    }
    EXPECT_TRUE(noticed) << kind;
  }
}

TEST(TraceReplay, NoticesAnAlteredAnswer) {
  MadeTrace made(5);
  made.run(80);
  // The last candidate of the last loop query, with another number.
  std::string text = made.text();
  const std::size_t record = text.rfind("\nL ");
  const std::size_t end = text.find('\n', record + 1);
  text.insert(end, "9");
  const ReplayResult result = [&] {
    try {
      return replay_text(text);
    } catch (const Error&) {
      ReplayResult noticed;  // it was the count that was altered
      noticed.differences.push_back({});
      return noticed;
    }
  }();
  EXPECT_FALSE(result.differences.empty());
}

TEST(TraceReplay, RefusesATraceThatContradictsItself) {
  expect_error(ErrorKind::corruption, "K record", [] { replay_text("V 2 1 2\nA 1 0 0\n"); });
  expect_error(ErrorKind::corruption, "in the database",
               [] { replay_text("V 2 1 2\nK 1 1 1 0 0 14650fb0739d0383\nE 1 0 0 1\n"); });
  expect_error(ErrorKind::corruption, "described once", [] {
    replay_text("V 2 1 2\nK 1 1 1 0 0 14650fb0739d0383\nK 1 1 1 0 0 14650fb0739d0383\n");
  });
  expect_error(ErrorKind::corruption, "F) of a relocalisation",
               [] { replay_text("V 2 1 2\nR 1 0 0 0 0 0 0 0 0 0\n"); });
  expect_error(ErrorKind::corruption, "a database of 3 keyframes", [] {
    replay_text("V 2 1 2\nK 1 1 1 0 0 14650fb0739d0383\nL 1 0 0 0 3 0.5 0 0 0 0 0\n");
  });
}

TEST(TraceReplay, OrbSlam2OnTumAgreesToTheBit) {
  LOOPTREE_SKIP_WITHOUT_DATA("orbslam2/tum_fr1rpy_mono.trace.gz");
  const ReplayResult result =
      replay(test::data_dir() / "orbslam2/tum_fr1rpy_mono.trace.gz", all_engines());
  expect_no_difference(result);
  EXPECT_EQ(result.loops, 183u);
  EXPECT_EQ(result.relocalizations, 50u);
  EXPECT_EQ(result.sound_relocalizations, 34u);
}

TEST(TraceReplay, OrbSlam2OnKittiAgreesToTheBit) {
  LOOPTREE_SKIP_WITHOUT_DATA("orbslam2/kitti00_mono.trace.gz");
  const std::vector<EngineMaker> engines = {make_covisibility_engine};
  const ReplayResult result = replay(test::data_dir() / "orbslam2/kitti00_mono.trace.gz", engines);
  expect_no_difference(result);
  EXPECT_EQ(result.loops, 1768u);
  EXPECT_EQ(result.candidates, 2183u);
}

}  // namespace
}  // namespace looptree::evaluate

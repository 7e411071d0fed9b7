// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>

#include "tests/dataset/made_trace.hpp"
#include "tests/run_command.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect;
using test::MadeTrace;
using test::TemporaryFolder;

test::Outcome replay(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " replay " + arguments);
}

TEST(ReplayCommand, ChecksAndTimes) {
  const TemporaryFolder folder;
  MadeTrace made(21);
  made.run(200);
  MadeTrace::write_gzip(folder / "made.trace.gz", made.text());
  const std::string path = (folder / "made.trace.gz").string();
  const test::Outcome outcome = replay(path);
  expect(outcome, 0, "every answer is the trace's");
  for (const char* engine : {"orb-slam", "plain", "d1", "d2b4-max", "looptree", "p95", "factor"}) {
    EXPECT_NE(outcome.output.find(engine), std::string::npos) << engine;
  }
  expect(replay(path + " --engines \"looptree d2b2-max\" --repeats 1"), 0, "d2b2-max");
  expect(replay("--help"), 0, "Exit code");
}

TEST(ReplayCommand, FailsOnAWrongAnswerAndOnDamage) {
  const TemporaryFolder folder;
  MadeTrace made(22);
  made.run(100);
  std::string text = made.text();
  const std::size_t end = text.find('\n', text.rfind("\nL ") + 1);
  text.replace(end, 0, "7");  // another last number
  std::ofstream(folder / "wrong") << text;
  EXPECT_EQ(replay((folder / "wrong").string()).code, 1);
  std::ofstream(folder / "cut") << text.substr(0, text.size() / 2);
  expect(replay((folder / "cut").string()), 1, "error: expected");
  expect(replay((folder / "absent").string()), 1, "found no");
  expect(replay(""), 2, "TRACE");
  expect(replay((folder / "cut").string() + " --engines nonsense"), 2, "--engines");
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The main program of every test: where cases say that they were "not run", for want of data, ctest
// is told by the exit code kSkipped and lists the test as skipped.
#include <string_view>

#include <gtest/gtest.h>

namespace {

constexpr int kSkipped = 77;

bool was_not_run(const testing::TestResult& result) {
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.skipped() && std::string_view(part.message()).starts_with("not run")) return true;
  }
  return false;
}

bool some_were_not_run(const testing::UnitTest& tests) {
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      if (was_not_run(*suite.GetTestInfo(j)->result())) return true;
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  if (failed == 0 && some_were_not_run(*testing::UnitTest::GetInstance())) return kSkipped;
  return failed;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/simd.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace looptree {
namespace {

TEST(Simd, EveryLevelCanBeForcedAndTheBestComesBack) {
  const std::vector<std::string> levels = simd_levels();
  ASSERT_FALSE(levels.empty());
  for (const std::string& level : levels) {
    force_simd_level(level);
    EXPECT_EQ(simd_level(), level);
    EXPECT_EQ(simd_levels(), levels);
  }
  force_simd_level("");
  EXPECT_EQ(simd_level(), simd_levels().front());
}

TEST(Simd, AnUnknownLevelIsRefusedAndNothingChanges) {
  const std::string before = simd_level();
  test::expect_error(ErrorKind::invalid_argument, "found \"mmx\"", [] { force_simd_level("mmx"); });
  EXPECT_EQ(simd_level(), before);
}

}  // namespace
}  // namespace looptree

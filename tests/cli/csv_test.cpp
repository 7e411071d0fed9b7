// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The reader of a run folder's tables.
#include "cli/view/csv.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

using cli::Table;

constexpr const char* kText =
    "frame,score,reason\n"
    "0,0.5,\"refused: a, \"\"b\"\"\nand more\"\r\n"
    "1,,plain\n";

TEST(Table, ReadsQuotedFieldsByTheNameOfTheirColumn) {
  const Table table = Table::parse(kText, "frames.csv");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table.text(0, "reason"), "refused: a, \"b\"\nand more");
  EXPECT_EQ(table.number(0, "score"), 0.5);
  EXPECT_EQ(table.number(1, "score", -1), -1);
  EXPECT_EQ(table.count(1, "frame"), 1U);
  EXPECT_EQ(table.text(1, "name"), "") << "a column that is not there";
  EXPECT_TRUE(table.has("reason"));
  EXPECT_FALSE(table.has("name"));
}

TEST(Table, LeavesOutARowThatIsStillBeingWritten) {
  const std::string text = kText;
  for (std::size_t length = 19; length <= text.size(); ++length) {
    const Table table = Table::parse(text.substr(0, length), "frames.csv");
    EXPECT_LE(table.size(), 2U);
  }
}

TEST(Table, RefusesWhatIsNoTable) {
  EXPECT_THROW(Table::parse("", "x"), Error);
  EXPECT_THROW(Table::parse("a,b\n1\n", "x"), Error);
  EXPECT_THROW(Table::parse("a\n\"1\"2\n", "x"), Error);
  const Table table = Table::parse("a\nx1\n-1\n", "x");
  EXPECT_THROW(table.number(0, "a"), Error);
  EXPECT_THROW(table.count(1, "a"), Error);
  EXPECT_THROW(Table::read("/nowhere/frames.csv"), Error);
}

TEST(Table, EndsWellWhateverTheBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = kText;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random());
    try {
      const Table table = Table::parse(text, "x");
      for (std::size_t row = 0; row < table.size(); ++row) table.text(row, "score");
    } catch (const Error&) {
      continue;  // refused, as it may be
    }
  }
}

}  // namespace
}  // namespace looptree

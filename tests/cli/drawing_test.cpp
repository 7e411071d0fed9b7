// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/drawing.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace looptree::cli {
namespace {

TEST(Drawing, AxesHaveRoundMarksAndNoMinusZero) {
  EXPECT_EQ(axis_marks(-290, 310, 6), (std::vector<double>{-200, -100, 0, 100, 200, 300}));
  for (const double mark : axis_marks(-0.3, 0.3, 6)) EXPECT_FALSE(mark == 0 && std::signbit(mark));
  for (const double mark : axis_marks(0, 4540, 6)) EXPECT_FALSE(std::signbit(mark));
}

TEST(Drawing, SaysTheSameAsSvgAndAsPdf) {
  Drawing drawing(200, 100);
  drawing.line({{10, 10}, {190, 90}}, {.dash = {4, 2}});
  drawing.circle(20, 20, 3, colours::kRight);
  drawing.text(100, 50, "a < b (c)", 11, Anchor::middle);
  const std::string svg = to_svg(drawing);
  EXPECT_NE(svg.find("a &lt; b (c)"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  const std::string pdf = to_pdf(drawing);
  EXPECT_EQ(pdf.rfind("%PDF-1.4", 0), 0u);
  EXPECT_NE(pdf.find("(a < b \\(c\\)) Tj"), std::string::npos);
  EXPECT_NE(pdf.find("[4 2 ] 0 d"), std::string::npos);
  EXPECT_EQ(pdf.substr(pdf.size() - 6), "%%EOF\n");
}

}  // namespace
}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The drop-ins with OpenCV's own matrices; included in the order that is harder for them.
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include "looptree/compat/dbow2.hpp"
#include "looptree/compat/dbow3.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

TEST(DropInsWithOpenCv, AgreeWithEachOther) {
  test::Images images = test::golden_images(DescriptorType::binary);
  const std::string path = test::golden("voc/dbow2_orb.yml").string();
  const dbow2::OrbVocabulary voc2(path);
  const dbow3::Vocabulary voc3(path);
  dbow2::OrbDatabase db2(voc2, false, 0);
  dbow3::Database db3(voc3, false, 0);
  for (std::size_t i = 0; i < images.count(); ++i) {
    const int rows = static_cast<int>(images.per_image);
    const cv::Mat all(rows, 32, CV_8U, images.descriptors.bytes.data() + i * images.per_image * 32);
    std::vector<cv::Mat> split;
    for (int row = 0; row < rows; ++row) split.push_back(all.row(row));
    db2.add(split);
    db3.add(all);
    dbow2::QueryResults from2;
    dbow3::QueryResults from3;
    db2.query(split, from2, 4);
    db3.query(split, from3, 4);
    ASSERT_FALSE(from2.empty());
    EXPECT_EQ(from2[0].Id, i);
    ASSERT_EQ(from2.size(), from3.size());
    for (std::size_t k = 0; k < from2.size(); ++k) EXPECT_EQ(from2[k].Id, from3[k].Id);
  }
}

}  // namespace
}  // namespace looptree

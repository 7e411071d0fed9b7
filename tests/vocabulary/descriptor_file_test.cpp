// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/descriptor_file.hpp"

#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::TemporaryFolder;

TEST(DescriptorFile, ReadsWhatIsThere) {
  const ImageDescriptors binary = read_descriptor_file(test::golden("desc/train_bin.u8"));
  EXPECT_EQ(binary.descriptors.size(), 3000U);
  EXPECT_EQ(binary.rows_per_image, std::vector<std::size_t>(50, 60));
  const ImageDescriptors real = read_descriptor_file(test::golden("desc/images_float.f32"));
  EXPECT_EQ(real.descriptors.type, DescriptorType::real);
  EXPECT_EQ(real.descriptors.width, 128U);
}

TEST(DescriptorFile, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  ImageDescriptors images;
  images.descriptors.type = DescriptorType::real;
  images.descriptors.width = 2;
  images.descriptors.floats = {1, 2, 3.5, 4, 5, 6};
  images.rows_per_image = {2, 0, 1};
  write_descriptor_file(folder / "a.f32", images.descriptors.view(), images.rows_per_image);
  const ImageDescriptors read = read_descriptor_file(folder / "a.f32");
  EXPECT_EQ(read.descriptors.floats, images.descriptors.floats);
  EXPECT_EQ(read.rows_per_image, images.rows_per_image);
}

TEST(DescriptorFile, RefusesContradictions) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.u8") << "abcdef";
  expect_error(ErrorKind::not_found, "says what the descriptors are",
               [&] { read_descriptor_file(folder / "a.u8"); });
  const auto refused = [&](const std::string& text, const std::string& why) {
    std::ofstream(folder / "a.txt") << text;
    expect_error(ErrorKind::corruption, why, [&] { read_descriptor_file(folder / "a.u8"); });
  };
  refused("type u16\n", "u8 or f32, found u16");
  refused("type u8\nimages 2\nper_image 3\n", "from 1 to 65536; found 0");
  refused("type u8\nbytes 4\nimages 2\nper_image 3\n", "6 rows of 4 bytes, as a.txt says; found 6");
  refused("type u8\nbytes x\n", "a number >= 0 behind bytes");
  refused("type u8\nbytes 2\nimages 99999999999\nper_image 1\n",
          "at most one image per byte of a.u8, found 99999999999");
  expect_error(ErrorKind::invalid_argument, "add up to 2, found 3", [&] {
    const Descriptors rows{DescriptorType::binary, 1, {1, 2}, {}};
    write_descriptor_file(folder / "b.u8", rows.view(), std::vector<std::size_t>{3});
  });
}

}  // namespace
}  // namespace looptree

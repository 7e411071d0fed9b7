// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Live sources, the images they are cut into, and the kinds of images that are read.
#include "looptree/dataset/live.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "looptree/dataset/detail/image_splitter.hpp"
#include "looptree/dataset/open.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using detail::ImageSplitter;
using test::expect_error;
using test::ImageFolder;
using Bytes = std::vector<std::uint8_t>;

cv::Mat picture(int seed) {
  cv::Mat image(48, 64, CV_8U);
  cv::RNG random(static_cast<std::uint64_t>(seed));
  random.fill(image, cv::RNG::UNIFORM, 0, 256);
  return image;
}

Bytes encoded(int seed, const std::string& extension, std::vector<int> how = {}) {
  Bytes bytes;
  cv::imencode(extension, picture(seed), bytes, how);
  return bytes;
}

std::vector<Bytes> split(const Bytes& stream, std::size_t piece) {
  ImageSplitter splitter;
  std::vector<Bytes> images;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    const std::size_t end = std::min(stream.size(), at + piece);
    splitter.push(std::span(stream).subspan(at, end - at));
    while (auto image = splitter.next()) images.push_back(std::move(*image));
  }
  return images;
}

TEST(ImageSplitter, CutsAStreamInPiecesOfAnySize) {
  std::vector<Bytes> images;
  Bytes stream{'j', 'u', 'n', 'k', 0xff};
  for (int i = 0; i < 8; ++i) {
    images.push_back(i % 3 == 0   ? encoded(i, ".png")
                     : i % 3 == 1 ? encoded(i, ".jpg")
                                  : encoded(i, ".jpg",
                                            {cv::IMWRITE_JPEG_PROGRESSIVE, 1,
                                             cv::IMWRITE_JPEG_RST_INTERVAL, 2}));
    stream.insert(stream.end(), images.back().begin(), images.back().end());
    if (i % 2 == 0) stream.insert(stream.end(), {0, 0xff, 0xd8, 'x'});
  }
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{4096}, stream.size()}) {
    EXPECT_EQ(split(stream, piece), images) << piece;
  }
}

TEST(ImageSplitter, DoesNotTakeAThumbnailForAnImage) {
  // An application segment that holds a whole JPEG, as cameras write them.
  const Bytes thumbnail = encoded(1, ".jpg");
  const Bytes plain = encoded(2, ".jpg");
  const std::size_t length = thumbnail.size() + 2;
  Bytes image{0xff,
              0xd8,
              0xff,
              0xe1,
              static_cast<std::uint8_t>(length >> 8U),
              static_cast<std::uint8_t>(length)};
  image.insert(image.end(), thumbnail.begin(), thumbnail.end());
  image.insert(image.end(), plain.begin() + 2, plain.end());
  EXPECT_EQ(split(image, 100), std::vector<Bytes>{image});
}

TEST(ImageSplitter, SurvivesDamageAndFindsWhatIsWholeBehindIt) {
  std::mt19937 random(3);
  const Bytes good = encoded(5, ".png");
  for (const char* extension : {".png", ".jpg"}) {
    const Bytes whole = encoded(4, extension);
    for (int round = 0; round < 300; ++round) {
      Bytes damaged = whole;
      damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
      if (round % 3 == 0) damaged.resize(random() % damaged.size());
      damaged.insert(damaged.end(), good.begin(), good.end());
      EXPECT_NO_THROW(split(damaged, 1 + random() % 500));
    }
  }
  Bytes broken{0xff, 0xd8, 0xff, 0x00, 1, 2, 3};
  broken.insert(broken.end(), good.begin(), good.end());
  EXPECT_EQ(split(broken, 64), std::vector<Bytes>{good});
}

TEST(Live, FollowsAFolderThatGrows) {
  const ImageFolder folder;
  folder.image("in/1.png", 10);
  folder.text("in/notes.txt", "");
  const auto source = open_live((folder / "in").string(), {.idle_s = 5});
  auto frame = source->next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->info.name, "1.png");
  EXPECT_EQ(frame->number, 0u);
  EXPECT_TRUE(frame->info.time_s);
  std::thread writer([&] {
    const Bytes bytes = encoded(7, ".png");
    std::ofstream file(folder / "in" / "2.png", std::ios::binary);
    const auto half = static_cast<std::streamsize>(bytes.size() / 2);
    file.write(reinterpret_cast<const char*>(bytes.data()), half).flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    file.write(reinterpret_cast<const char*>(bytes.data()) + half,
               static_cast<std::streamsize>(bytes.size()) - half);
  });
  frame = source->next();
  writer.join();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->info.name, "2.png");
  EXPECT_FALSE(frame->error) << "half a file is waited for";
  EXPECT_EQ(frame->number, 1u);
  int asked = 0;
  EXPECT_FALSE(source->next([&] { return ++asked < 3; })) << "until the caller has enough";
  EXPECT_EQ(asked, 3);
}

TEST(Live, SaysWhatItIsNot) {
  EXPECT_TRUE(is_live("-") && is_live("/dev/video0") && is_live("0") && is_live("rtsp://a/b"));
  EXPECT_FALSE(is_live("film.mp4") || is_live("12345") || is_live(""));
  expect_error(ErrorKind::not_found, "found 'film.mp4'", [] { open_live("film.mp4"); });
  expect_error(ErrorKind::not_found, "a camera at /dev/video97", [] { open_live("/dev/video97"); });
  expect_error(ErrorKind::invalid_argument, "raw size", [] { open_live("-", {.raw_width = 3}); });
}

TEST(ReadImage, SpreadsSixteenBits) {
  const ImageFolder folder;
  // A thermal camera: a narrow part of the range, and two dead pixels.
  cv::Mat deep(50, 60, CV_16U);
  for (int y = 0; y < deep.rows; ++y) {
    for (int x = 0; x < deep.cols; ++x) {
      deep.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(29000 + 10 * x);
    }
  }
  deep.at<std::uint16_t>(0, 0) = 0;
  deep.at<std::uint16_t>(1, 0) = 65535;
  cv::imwrite((folder / "deep.png").string(), deep);
  const Image image = read_image((folder / "deep.png").string());
  EXPECT_EQ(image.row(10)[0], 0);
  EXPECT_EQ(image.row(10)[59], 255);
  EXPECT_NEAR(image.row(10)[30], 130, 2);
  EXPECT_EQ(image.row(0)[0], 0);
  EXPECT_EQ(image.row(1)[0], 255);
  cv::imwrite((folder / "flat.png").string(), cv::Mat(50, 60, CV_16U, cv::Scalar(700)));
  EXPECT_NO_THROW(read_image((folder / "flat.png").string()));
  cv::imwrite((folder / "floats.tiff").string(), cv::Mat(5, 6, CV_32F, cv::Scalar(0.5)));
  expect_error(ErrorKind::unsupported, "floats",
               [&] { read_image((folder / "floats.tiff").string()); });
}

TEST(ReadImage, TakesWebP) {
  const ImageFolder folder;
  const Bytes bytes = encoded(3, ".webp", {cv::IMWRITE_WEBP_QUALITY, 101});
  std::filesystem::create_directories(folder / "in");
  const auto write = [&](const char* name, std::size_t length) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(length));
  };
  write("in/1.webp", bytes.size());
  const auto sequence = open_sequence(folder / "in");
  ASSERT_EQ(sequence->size(), 1u);
  const Image image = sequence->image(0);
  ASSERT_EQ(image.width, 64);
  EXPECT_NEAR(image.row(7)[9], picture(3).at<std::uint8_t>(7, 9), 3);
  write("cut.webp", bytes.size() / 2);
  expect_error(ErrorKind::corruption, "whole image",
               [&] { read_image((folder / "cut.webp").string()); });
}

}  // namespace
}  // namespace looptree

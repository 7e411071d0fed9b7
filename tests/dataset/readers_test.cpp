// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Every layout, made small.
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>

#include "looptree/dataset/open.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::ImageFolder;
using test::straight_poses;

/// The grey of every image that can be read, in order; -1 for one that cannot.
std::vector<int> greys(Sequence& sequence) {
  std::vector<int> result;
  for (;;) {
    try {
      const auto frame = sequence.next();
      if (!frame) return result;
      EXPECT_EQ(frame->number, result.size());
      result.push_back(frame->image.pixels.front());
    } catch (const Error&) {
      result.push_back(-1);
    }
  }
}

TEST(ImageFolder, IsReadInTheOrderOfItsNumbers) {
  const ImageFolder folder;
  for (const int i : {1, 2, 9, 10, 11}) folder.image(std::to_string(i) + ".png", i);
  folder.text("notes.md", "not an image");
  const auto sequence = open_sequence(folder.path());
  EXPECT_EQ(sequence->info().format, "images");
  EXPECT_EQ(sequence->info().frames[3].name, "10.png");
  EXPECT_EQ(greys(*sequence), (std::vector<int>{1, 2, 9, 10, 11}));
}

TEST(ImageFolder, TakesPosesTimesAndCalibrationFromBesideTheImages) {
  const ImageFolder folder;
  for (int i = 0; i < 3; ++i) folder.image("a" + std::to_string(i) + ".png", i);
  folder.text("poses.txt", straight_poses(3));
  folder.text("times.txt", "0\n0.1\n2e-1\n");
  folder.text("calib.txt", "500 501 320 240\n");
  const SequenceInfo& info = open_sequence(folder.path())->info();
  EXPECT_EQ(info.frames[2].pose->translation[2], 2);
  EXPECT_EQ(info.frames[1].time_s, 0.1);
  EXPECT_EQ(info.calibration, (Calibration{500, 501, 320, 240}));
}

TEST(ImageFolder, ReadsALoopMask) {
  const ImageFolder folder;
  for (int i = 1; i <= 3; ++i) folder.image(std::to_string(i) + ".png", i);
  Image mask(3, 3);
  mask.row(2)[0] = 255;
  write_image((folder / "samples_GT.bmp").string(), mask);
  const auto sequence = open_sequence(folder.path());
  ASSERT_EQ(sequence->size(), 3);
  ASSERT_TRUE(sequence->info().loops);
  EXPECT_TRUE((*sequence->info().loops)(2, 0));
  EXPECT_FALSE((*sequence->info().loops)(0, 2));

  write_image((folder / "samples_GT.bmp").string(), Image(4, 4));
  expect_error(ErrorKind::corruption, "expected a loop mask of 3x3",
               [&] { open_sequence(folder.path()); });
}

TEST(ImageFolder, GoesOnAfterABadImage) {
  const ImageFolder folder;
  for (int i = 0; i < 6; ++i) folder.image(std::to_string(i) + ".png", i);
  folder.image("5.jpg", 5);
  folder.text("1.png", "no image at all");
  folder.text("2.png", "");
  std::filesystem::resize_file(folder / "3.png", std::filesystem::file_size(folder / "3.png") - 20);
  const auto sequence = open_sequence(folder.path());
  std::filesystem::remove(folder / "4.png");  // gone since the folder was listed
  EXPECT_EQ(greys(*sequence), (std::vector<int>{0, -1, -1, -1, -1, 5, 5}));
  expect_error(ErrorKind::corruption, "expected a whole image", [&] { sequence->image(3); });
  expect_error(ErrorKind::not_found, "4.png", [&] { sequence->image(4); });
  expect_error(ErrorKind::invalid_argument, "below 7", [&] { sequence->image(7); });
}

TEST(ImageFolder, ReportsAChangeOfSize) {
  const ImageFolder folder;
  folder.image("0.png", 0);
  folder.image("1.png", 1, 20, 10);
  folder.image("2.png", 2);
  const auto sequence = open_sequence(folder.path());
  sequence->next();
  expect_error(ErrorKind::corruption, "expected 1.png to be 16x8", [&] { sequence->next(); });
  EXPECT_EQ(sequence->next()->number, 2);
}

TEST(ImageFolder, RefusesPosesOfTheWrongNumberOrKind) {
  const ImageFolder folder;
  for (int i = 0; i < 3; ++i) folder.image(std::to_string(i) + ".png", i);
  folder.text("poses.txt", straight_poses(2));
  expect_error(ErrorKind::corruption, "expected 3 poses, one per image, found 2",
               [&] { open_sequence(folder.path()); });
  folder.text("poses.txt", "1 2 3\n1 2 3\n1 2 3\n");
  expect_error(ErrorKind::corruption, "expected 12 numbers per row",
               [&] { open_sequence(folder.path()); });
  folder.text("poses.txt", "1 2 three\n");
  expect_error(ErrorKind::corruption, "line 1", [&] { open_sequence(folder.path()); });
}

TEST(Kitti, IsReadWithPosesInEitherPlace) {
  const ImageFolder folder;
  for (int i = 0; i < 2; ++i) {
    folder.image("sequences/07/image_0/00000" + std::to_string(i) + ".png", i);
    folder.image("sequences/07/image_1/00000" + std::to_string(i) + ".png", 100 + i);
  }
  folder.text("sequences/07/times.txt", "0\n0.1\n");
  folder.text("sequences/07/calib.txt",
              "P0: 700 0 600 0 0 701 180 0 0 0 1 0\nP1: 702 0 601 -380 0 703 181 0 0 0 1 0\n");
  folder.text("poses/07.txt", straight_poses(2));
  const auto left = open_sequence(folder / "sequences/07");
  EXPECT_EQ(left->info().format, "kitti");
  EXPECT_EQ(left->info().calibration, (Calibration{700, 701, 600, 180}));
  EXPECT_EQ(left->info().frames[1].pose->translation[2], 1);
  EXPECT_EQ(greys(*left), (std::vector<int>{0, 1}));
  const auto right = open_sequence(folder / "sequences/07/", {.camera = CameraSide::right});
  EXPECT_EQ(right->info().calibration, (Calibration{702, 703, 601, 181}));
  EXPECT_EQ(right->info().frames[1].pose->translation[2], 1);
  EXPECT_EQ(greys(*right), (std::vector<int>{100, 101}));

  folder.text("sequences/07/poses.txt", straight_poses(3));
  expect_error(ErrorKind::corruption, "found 3", [&] { open_sequence(folder / "sequences/07"); });
}

TEST(Kitti, CalibrationMayRunOverSeveralLines) {
  const ImageFolder folder;
  folder.image("image_0/000000.png", 0);
  folder.text("calib.txt",
              "P0: 700 0 600 0\n    0 701 180 0\n    0 0 1 0\n\nP1: 9 0 9 9\n 0 9 9 0\n 0 0 1 0\n");
  EXPECT_EQ(open_sequence(folder.path())->info().calibration, (Calibration{700, 701, 600, 180}));
  folder.text("calib.txt", "Tr: 1 2 3 4\n");
  expect_error(ErrorKind::corruption, "found neither", [&] { open_sequence(folder.path()); });
}

TEST(Tum, JoinsImagesAndPosesByTime) {
  const ImageFolder folder;
  folder.image("rgb/1.00.png", 1);
  folder.image("rgb/2.00.png", 2);
  folder.text("rgb.txt", "# timestamp filename\n1.00 rgb/1.00.png\n2.00 rgb/2.00.png\n");
  folder.text("groundtruth.txt",
              "# timestamp tx ty tz qx qy qz qw\n0.9 9 0 0 0 0 0 1\n1.005 1 2 3 0 0 0 2\n"
              "2.1 9 0 0 0 0 0 1\n");
  const auto sequence = open_sequence(folder.path());
  const SequenceInfo& info = sequence->info();
  EXPECT_EQ(info.format, "tum");
  ASSERT_TRUE(info.frames[0].pose);
  EXPECT_EQ(*info.frames[0].pose, (Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 2, 3}}));
  EXPECT_FALSE(info.frames[1].pose) << "100 ms away";
  EXPECT_EQ(greys(*sequence), (std::vector<int>{1, 2}));
  folder.text("rgb.txt", "1.00\n");
  expect_error(ErrorKind::corruption, "line 1", [&] { open_sequence(folder.path()); });
}

TEST(Tum, ReadsTheVideoForm) {
  LOOPTREE_SKIP_WITHOUT_DATA("tum_fr1_rpy");
  const auto sequence = open_sequence(test::data_dir() / "tum_fr1_rpy");
  EXPECT_EQ(sequence->info().format, "tum");
  EXPECT_EQ(sequence->size(), 723);
  EXPECT_EQ(sequence->next()->image.width, 640);
}

TEST(Oxford, TakesOneSideOrBothOutOfTheInterleavedImages) {
  const ImageFolder folder;
  for (int i = 1; i <= 4; ++i) folder.image("Images/000" + std::to_string(i) + ".jpg", 10 * i);
  folder.text("CityCentreGroundTruth.txt", "0,0,0,0\n0,0,0,0\n1,0,0,0\n0,1,0,0\n");
  const auto left = open_sequence(folder.path());
  EXPECT_EQ(left->info().format, "oxford");
  EXPECT_EQ(greys(*left), (std::vector<int>{10, 30}));
  EXPECT_TRUE((*left->info().loops)(1, 0));
  const auto right = open_sequence(folder.path(), {.camera = CameraSide::right});
  EXPECT_EQ(greys(*right), (std::vector<int>{20, 40}));
  EXPECT_TRUE((*right->info().loops)(1, 0));
  const auto both = open_sequence(folder.path(), {.camera = CameraSide::both});
  EXPECT_EQ(both->size(), 4);
  EXPECT_TRUE((*both->info().loops)(3, 1));
  folder.text("CityCentreGroundTruth.txt", "0 0\n0 0\n");
  expect_error(ErrorKind::corruption, "expected a matrix of 4x4",
               [&] { open_sequence(folder.path()); });
}

TEST(Ukbench, LabelsEveryFourImages) {
  const ImageFolder folder;
  for (int i = 0; i < 6; ++i)
    folder.image("ukbench0000" + std::to_string(i) + ".jpg", i, 16 + i, 8);
  const auto sequence = open_sequence(folder.path());
  EXPECT_EQ(sequence->info().format, "ukbench");
  EXPECT_EQ(sequence->info().frames[3].label, 0U);
  EXPECT_EQ(sequence->info().frames[4].label, 1U);
  EXPECT_EQ(greys(*sequence).size(), 6) << "images of a collection may differ in size";
}

TEST(Holidays, LabelsByScene) {
  const ImageFolder folder;
  for (const char* name : {"jpg/100000.jpg", "jpg/100001.jpg", "jpg/100100.jpg"}) {
    folder.image(name, 0);
  }
  const SequenceInfo info = open_sequence(folder.path())->info();
  EXPECT_EQ(info.format, "holidays");
  EXPECT_EQ(info.frames[1].label, 1000U);
  EXPECT_EQ(info.frames[2].label, 1001U);
}

TEST(Video, IsReadWithWhatLiesBesideIt) {
  const ImageFolder folder;
  {
    cv::VideoWriter writer((folder / "07_left.avi").string(),
                           cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10, {64, 48}, false);
    if (!writer.isOpened()) GTEST_SKIP() << "not run: this OpenCV writes no video";
    for (int i = 0; i < 5; ++i) writer.write(cv::Mat(48, 64, CV_8U, cv::Scalar(20 + 40 * i)));
  }
  folder.text("07_poses.txt", straight_poses(5));
  const auto sequence = open_sequence(folder / "07_left.avi");
  EXPECT_EQ(sequence->info().format, "video");
  EXPECT_EQ(sequence->info().frames[4].pose->translation[2], 4);
  const std::vector<int> seen = greys(*sequence);
  ASSERT_EQ(seen.size(), 5);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(seen[i], 20 + 40 * i, 6);
  EXPECT_NEAR(sequence->image(1).pixels.front(), 60, 6) << "backwards";
  EXPECT_NEAR(sequence->image(3).pixels.front(), 140, 6) << "skipping";
  folder.text("07_poses.txt", straight_poses(4));
  expect_error(ErrorKind::corruption, "expected 5 poses",
               [&] { open_sequence(folder / "07_left.avi"); });
}

TEST(Video, RefusesWhatCannotBeDecoded) {
  const ImageFolder folder;
  folder.text("film.mp4", "this is no video");
  expect_error(ErrorKind::corruption, "expected a video",
               [&] { open_sequence(folder / "film.mp4"); });
}

TEST(OpenSequence, SaysWhatItDidNotFind) {
  const ImageFolder folder;
  expect_error(ErrorKind::not_found, "found nothing there",
               [&] { open_sequence(folder / "absent"); });
  expect_error(ErrorKind::not_found, "nothing that a reader knows",
               [&] { open_sequence(folder.path()); });
  expect_error(ErrorKind::invalid_argument, "found 'rosbag'",
               [&] { open_sequence(folder.path(), {.format = "rosbag"}); });
  expect_error(ErrorKind::not_found, "found none",
               [&] { open_sequence(folder.path(), {.format = "images"}); });
  folder.image("0.png", 0);
  expect_error(ErrorKind::invalid_argument, "left or the right",
               [&] { open_sequence(folder.path(), {.camera = CameraSide::both}); });
  EXPECT_EQ(open_sequence(folder.path(), {.format = "images"})->size(), 1);
}

}  // namespace
}  // namespace looptree

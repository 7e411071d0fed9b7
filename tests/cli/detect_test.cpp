// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The commands on images, as a user runs them: output, files, exit codes.
#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "looptree/common/squared_error.hpp"
#include "looptree/dataset/open.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/run_command.hpp"

namespace looptree {
namespace {

using test::expect;
using test::ImageFolder;
using test::read_text;

test::Outcome looptree(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " " + arguments);
}

std::size_t lines(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string fmt_number(int i) {
  const std::string digits = std::to_string(i);
  return std::string(6 - digits.size(), '0') + digits;
}

/// 60 frames around the block and back to its beginning, in KITTI layout.
void write_world(const ImageFolder& folder) {
  expect(
      looptree("world " + (folder / "world").string() + " --frames 150 --width 320 --height 200"),
      0, "wrote 150 images");
}

TEST(DetectCommand, WritesARunThatShowCanDraw) {
  const ImageFolder folder;
  write_world(folder);
  const std::string run_folder = "'" + (folder / "a run").string() + "'";
  const test::Outcome detect = looptree("detect " + (folder / "world").string() +
                                        " --vocabulary train --output " + run_folder);
  expect(detect, 0, "training a vocabulary on");
  expect(detect, 0, "150 frames");
  expect(detect, 0, "same-direction revisits");
  for (const char* file : {"config.json", "frames.csv", "closures.csv", "closures.g2o",
                           "closures_tum.txt", "vocabulary.looptree"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "a run" / file)) << file;
  }
  EXPECT_EQ(lines(folder / "a run" / "frames.csv"), 151);
  EXPECT_GT(lines(folder / "a run" / "closures.csv"), 10);
  EXPECT_TRUE(read_text(folder / "a run" / "closures.csv").starts_with("query,match,"));
  const auto config = nlohmann::json::parse(read_text(folder / "a run" / "config.json"));
  EXPECT_EQ(config["complete"], true);
  EXPECT_EQ(config["sequence"]["format"], "kitti");
  EXPECT_NE(read_text(folder / "a run" / "closures.g2o").find("EDGE_SE3:QUAT"), std::string::npos);

  // What is printed to be pasted, a path with a blank in it.
  const std::size_t next = detect.output.find("next: ") + 6;
  const std::string pasted = detect.output.substr(next, detect.output.find('\n', next) - next);
  EXPECT_EQ(pasted, std::string(LOOPTREE_CLI) + " show " + run_folder);
  expect(test::run_command(pasted), 0, "closures drawn to");
  EXPECT_GT(std::filesystem::file_size(folder / "a run" / "route.png"), 1000U);
  expect(looptree("show " + run_folder + " 60 10"), 0, "inliers of");
  EXPECT_GT(std::filesystem::file_size(folder / "a run" / "pair_60_10.png"), 1000U);
  expect(looptree("show " + run_folder + " 60 999"), 1, "expected a frame below 150");
  expect(looptree("detect " + (folder / "world").string() + " --output " + run_folder), 1,
         "found another run");

  // What detect calls right, the evaluation of the same file calls right.
  std::smatch right;
  ASSERT_TRUE(std::regex_search(detect.output, right, std::regex("(\\d+) of \\1 closures right")))
      << detect.output;
  expect(looptree("eval closures " + run_folder + "/closures.csv --poses " +
                  (folder / "world" / "poses.txt").string() + " --output " +
                  (folder / "scored").string()),
         0, "1.0000");
  const auto scored = nlohmann::json::parse(read_text(folder / "scored" / "metrics.json"));
  EXPECT_EQ(scored["variants"][0]["metrics"]["precision"], 1);

  // The vocabulary serves the next run, which finds the same.
  const std::string again = (folder / "again").string();
  expect(looptree("detect " + (folder / "world").string() + " --output " + again +
                  " --vocabulary " + run_folder + "/vocabulary.looptree"),
         0, "150 frames");
  EXPECT_EQ(read_text(folder / "a run" / "closures.csv"),
            read_text(folder / "again" / "closures.csv"));
}

TEST(DetectCommand, WithoutAVocabularyTheOneInTheBoxServes) {
  const ImageFolder folder;
  write_world(folder);
  const std::string world = (folder / "world").string();
  const test::Outcome detect =
      looptree("detect " + world + " --output " + (folder / "box").string());
  expect(detect, 0, "150 frames");
  EXPECT_EQ(detect.output.find("training"), std::string::npos) << detect.output;
  EXPECT_GT(lines(folder / "box" / "closures.csv"), 10);
  const auto config = nlohmann::json::parse(read_text(folder / "box" / "config.json"));
  EXPECT_EQ(config["vocabulary"]["file"], "box");
  EXPECT_EQ(config["vocabulary"]["words"], 10000);
  expect(looptree("detect " + world + " --vocabulary box --output " + (folder / "named").string()),
         0, "150 frames");
  EXPECT_EQ(read_text(folder / "box" / "closures.csv"),
            read_text(folder / "named" / "closures.csv"));
  // None lies there for these features: trained, or, where it is asked for, refused.
  expect(looptree("detect " + world + " --vocabulary box --features brief"), 1,
         "expected features that a vocabulary comes with");
  expect(looptree("detect " + world + " --features brief --output " + (folder / "brief").string()),
         0, "training a vocabulary on");
}

/// A row of closures.csv of a run, by fields; rows with quotes have no commas in them here.
std::vector<std::vector<std::string>> closures_of(const std::filesystem::path& run) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(read_text(run / "closures.csv"));
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

TEST(DetectCommand, CallsFramesByTheirNumbersAndNamesAfterBlackImages) {
  const ImageFolder folder;
  write_world(folder);
  std::filesystem::create_directories(folder / "plain");
  std::filesystem::create_directories(folder / "behind");
  for (int i = 0; i < 6; ++i) {
    write_image((folder / "behind" / ("0_black_" + std::to_string(i) + ".png")).string(),
                Image(320, 200));
  }
  for (int i = 0; i < 150; ++i) {
    const std::string name = fmt_number(i) + ".png";
    const std::filesystem::path image = folder / "world" / "image_0" / name;
    std::filesystem::copy_file(image, folder / "plain" / ("1_" + name));
    std::filesystem::copy_file(image, folder / "behind" / ("1_" + name));
  }
  const std::string detect = "detect --exclude-recent 37 --output ";
  const std::string vocabulary =
      " --vocabulary " + (folder / "one" / "vocabulary.looptree").string();
  expect(looptree(detect + (folder / "one").string() + " " + (folder / "plain").string() +
                  " --vocabulary train"),
         0, "");
  expect(looptree(detect + (folder / "two").string() + " " + (folder / "behind").string() +
                  vocabulary),
         0, "156 frames");
  const auto plain = closures_of(folder / "one");
  const auto behind = closures_of(folder / "two");
  ASSERT_EQ(plain.size(), behind.size());
  ASSERT_GT(plain.size(), 10u);
  EXPECT_EQ(plain[0].at(7), "query_name");
  for (std::size_t i = 1; i < plain.size(); ++i) {
    EXPECT_EQ(std::stoi(plain[i].at(0)) + 6, std::stoi(behind[i].at(0)));
    EXPECT_EQ(std::stoi(plain[i].at(1)) + 6, std::stoi(behind[i].at(1)));
    const std::vector<std::string> rest(plain[i].begin() + 2, plain[i].end());
    EXPECT_EQ(rest, std::vector<std::string>(behind[i].begin() + 2, behind[i].end()))
        << "the same names and numbers otherwise";
    EXPECT_EQ(plain[i].at(8), "\"1_" + fmt_number(std::stoi(plain[i].at(1))) + ".png\"");
  }
  const std::string frames = read_text(folder / "two" / "frames.csv");
  EXPECT_NE(frames.find("\"closure with frame " + behind[1].at(1) + " (1_"), std::string::npos);
}

TEST(DetectCommand, ReadsListsPatternsPipesAndGrowingFolders) {
  const ImageFolder folder;
  write_world(folder);
  const std::string images = (folder / "world" / "image_0").string();
  const std::string train = "detect --exclude-recent 37 --output ";
  expect(looptree(train + (folder / "plain").string() + " " + images + " --vocabulary train"), 0,
         "150 frames");
  const auto wanted = closures_of(folder / "plain");
  ASSERT_GT(wanted.size(), 10u);
  const std::string detect = "detect --exclude-recent 37 --vocabulary " +
                             (folder / "plain" / "vocabulary.looptree").string() + " --output ";

  std::string names = "# the route\n";
  for (int i = 0; i < 150; ++i) names += "world/image_0/" + fmt_number(i) + ".png\r\n";
  folder.text("route.txt", names);
  expect(looptree(detect + (folder / "list").string() + " " + (folder / "route.txt").string()), 0,
         "150 frames");
  EXPECT_EQ(closures_of(folder / "list"), wanted);
  const test::Outcome some =
      looptree(detect + (folder / "glob").string() + " '" + images + "/0001*.png'");
  expect(some, 0, "50 frames");

  // A pipe: what it gives has no names of files, and is the same otherwise.
  const test::Outcome pipe =
      test::run_command("(cat " + images + "/*.png | " + LOOPTREE_CLI + " " + detect +
                        (folder / "pipe").string() + " - --json 2>/dev/null)");
  ASSERT_EQ(pipe.code, 0) << pipe.output;
  std::istringstream lines_of(pipe.output);
  std::size_t row = 0;
  for (std::string line; std::getline(lines_of, line);) {
    const auto closure = nlohmann::json::parse(line);
    ASSERT_LT(++row, wanted.size());
    EXPECT_EQ(std::to_string(closure["query"].get<int>()), wanted[row][0]);
    EXPECT_EQ(std::to_string(closure["match"].get<int>()), wanted[row][1]);
  }
  EXPECT_EQ(row + 1, wanted.size());
  const auto config = nlohmann::json::parse(read_text(folder / "pipe" / "config.json"));
  EXPECT_EQ(config["complete"], true);
  EXPECT_EQ(config["sequence"]["frames"], 150);

  // A folder that another program writes into meanwhile.
  std::filesystem::create_directories(folder / "growing");
  const test::Outcome follow = test::run_command(
      "(for i in " + images + "/*.png; do cp $i " + (folder / "growing").string() + "; done) & " +
      LOOPTREE_CLI + " " + detect + (folder / "follow").string() + " --follow --idle 3 " +
      (folder / "growing").string());
  expect(follow, 0, "150 frames");
  expect(follow, 0, ": closure with frame ");
  EXPECT_EQ(closures_of(folder / "follow"), wanted);

  expect(looptree("detect - --vocabulary train --output " + (folder / "none").string() +
                  " < /dev/null"),
         1, "expected --vocabulary FILE");
  expect(looptree(detect + (folder / "empty").string() + " - < /dev/null"), 0, "0 frames");
  expect(looptree("detect - --size 12"), 2, "WIDTHxHEIGHT, found '12'");
  expect(looptree("detect http://127.0.0.1:1/none --vocabulary x"), 1, "expected a stream at http");
}

TEST(DetectCommand, SaysWhatItLeavesOutOfAFolder) {
  const ImageFolder folder;
  for (int i = 0; i < 4; ++i) folder.image("images/" + std::to_string(i) + ".png", 50 * i, 80, 80);
  folder.text("images/notes.doc", "");
  folder.text("images/.hidden", "");
  std::filesystem::create_directories(folder / "images" / "masks");
  expect(
      looptree("detect " + (folder / "images").string() + " --output " + (folder / "run").string() +
               " --vocabulary " + test::golden("voc/dbow2_orb.yml").string()),
      0, "2 files of the folder are no images: masks/, notes.doc");
}

TEST(DetectCommand, TakesTheCameraFromItsOptionsOrAFile) {
  const ImageFolder folder;
  write_world(folder);
  const std::string world = (folder / "world").string();
  std::filesystem::create_directories(folder / "plain");
  for (int i = 0; i < 150; ++i) {
    const std::string name = fmt_number(i) + ".png";
    std::filesystem::copy_file(folder / "world" / "image_0" / name, folder / "plain" / name);
  }
  const std::string plain = "detect " + (folder / "plain").string() + " --exclude-recent 37";
  const test::Outcome bare =
      looptree(plain + " --vocabulary train --output " + (folder / "bare").string());
  expect(bare, 0, "closures.g2o no edges: the camera is not calibrated");
  EXPECT_NE(read_text(folder / "bare" / "closures.g2o").find("# no edges"), std::string::npos);

  std::istringstream row(read_text(folder / "world" / "calib.txt"));
  std::string label;
  std::array<double, 12> p{};
  row >> label;
  for (double& value : p) row >> value;
  std::ostringstream yaml;
  yaml
      << "image_width: 320\nimage_height: 200\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: ["
      << p[0] << ", 0, " << p[2] << ",\n    0, " << p[5] << ", " << p[6]
      << ", 0, 0, 1]\ndistortion_model: plumb_bob\ndistortion_coefficients:\n  data: [0.001, 0, 0, "
         "0, 0]\n";
  folder.text("camera_info.yaml", yaml.str());
  const std::string again =
      plain + " --vocabulary " + (folder / "bare" / "vocabulary.looptree").string() + " --output ";
  const std::string file = " --calibration-file " + (folder / "camera_info.yaml").string();
  const test::Outcome calibrated = looptree(again + (folder / "two").string() + file);
  expect(calibrated, 0, "150 frames");
  EXPECT_EQ(calibrated.output.find("not calibrated"), std::string::npos);
  EXPECT_NE(read_text(folder / "two" / "closures.g2o").find("EDGE_SE3:QUAT"), std::string::npos);
  const auto config = nlohmann::json::parse(read_text(folder / "two" / "config.json"));
  EXPECT_EQ(config["lens"]["model"], "brown-conrady");
  EXPECT_EQ(config["lens"]["distortion"][0], 0.001);
  expect(looptree("show " + (folder / "two").string() + " 60 10"), 0, "inliers of");

  const std::string fail = plain + " --output " + (folder / "none").string();
  expect(looptree(fail + " --calibration 0 500 160 100"), 1, "above 0 in pixels, found 0");
  expect(looptree(fail + " --calibration 500 nan 160 100"), 1, "found nan");
  expect(looptree(fail + " --calibration 500 500 160 100 --distortion 1,2,3"), 1,
         "4, 5 or 8 numbers after --distortion");
  expect(looptree(fail + " --calibration 1 2 3"), 2, "4");
  expect(looptree(fail + " --fisheye 1,2,3,4"), 2, "--calibration");
  EXPECT_FALSE(std::filesystem::exists(folder / "none")) << "refused before the work";
  folder.text("large.yaml", "image_width: 640\nimage_height: 400\n" +
                                yaml.str().substr(yaml.str().find("camera_matrix")));
  expect(looptree(again + (folder / "large").string() + " --calibration-file " +
                  (folder / "large.yaml").string()),
         1, "expected images of 640x400");
}

TEST(DetectCommand, NamesARunByTimeAndLinksTheLatest) {
  const ImageFolder folder;
  for (int i = 0; i < 4; ++i) folder.image("images/" + std::to_string(i) + ".png", 50 * i, 80, 80);
  const test::Outcome outcome = test::run_command("cd " + folder.path().string() + " && " +
                                                  LOOPTREE_CLI + " detect images --vocabulary " +
                                                  test::golden("voc/dbow2_orb.yml").string());
  expect(outcome, 0, "4 frames, 0 closures");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "runs" / "latest"));
  EXPECT_EQ(lines(folder / "runs" / "latest" / "frames.csv"), 5);
  EXPECT_NE(read_text(folder / "runs" / "latest" / "frames.csv").find("no features"),
            std::string::npos);
}

TEST(DetectCommand, SkipsBadImagesOrStopsAtThem) {
  const ImageFolder folder;
  write_world(folder);
  folder.text("world/image_0/000100.png", "broken");
  folder.image("world/image_0/000120.png", 5, 40, 40);
  const std::string detect = "detect " + (folder / "world").string() + " --output ";
  const test::Outcome skipped =
      looptree(detect + (folder / "skip").string() + " --vocabulary train");
  expect(skipped, 0, "frame 100 skipped: expected a whole image");
  expect(skipped, 0, "to be 320x200");
  expect(skipped, 0, "1 images skipped, which could not be read");
  expect(skipped, 0, "1 images skipped, of another size than the first");
  EXPECT_EQ(lines(folder / "skip" / "frames.csv"), 151);
  EXPECT_NE(read_text(folder / "skip" / "frames.csv").find("\n120,another size,"),
            std::string::npos);
  const std::string stop = (folder / "stop").string();
  expect(looptree(detect + stop + " --stop-on-bad-image --vocabulary " +
                  (folder / "skip" / "vocabulary.looptree").string()),
         1, "error: expected a whole image");
  EXPECT_EQ(lines(folder / "stop" / "frames.csv"), 102) << "header, 100 frames, the bad one";
  EXPECT_GT(lines(folder / "stop" / "closures.csv"), 5) << "nothing lost of what was found before";
  EXPECT_TRUE(std::filesystem::exists(folder / "stop" / "closures.g2o"));
}

TEST(DetectCommand, LeavesAValidRunWhenInterrupted) {
  const ImageFolder folder;
  // timeout(1) sends SIGINT, as Ctrl-C does, while the demo world is being detected.
  const test::Outcome outcome =
      test::run_command("timeout --signal=INT --kill-after=60 4 " + std::string(LOOPTREE_CLI) +
                        " detect demo --vocabulary " + test::golden("voc/dbow2_orb.yml").string() +
                        " --output " + (folder / "run").string());
  if (outcome.output.find("600 frames") != std::string::npos) GTEST_SKIP() << "too fast a machine";
  EXPECT_TRUE(outcome.code == 124 || outcome.code == 130) << outcome.code << outcome.output;
  EXPECT_NE(outcome.output.find("error: stopped on request"), std::string::npos) << outcome.output;
  EXPECT_TRUE(read_text(folder / "run" / "closures.csv").starts_with("query,match,"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "closures.g2o"));
  EXPECT_EQ(nlohmann::json::parse(read_text(folder / "run" / "config.json"))["complete"], false);
}

TEST(DetectCommand, SaysWhatIsWrong) {
  const ImageFolder folder;
  folder.text("film.mp4", "no video");
  folder.image("images/0.png", 0);
  folder.text("images/poses.txt", "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 0\n");
  folder.image("film/0.png", 0);
  expect(looptree("detect " + (folder / "absent").string()), 1, "found nothing there");
  expect(looptree("detect " + (folder / "film.mp4").string()), 1, "expected a video");
  expect(looptree("detect " + (folder / "images").string()), 1, "expected 1 poses");
  expect(looptree("detect"), 2, "sequence is required");
  expect(looptree("detect a.jpg b.jpg c.jpg"), 2, "a pattern in quotes");
  expect(looptree("detect demo --features surf"), 2, "surf");
  expect(looptree("detect demo --keyframes some"), 1, "expected all, every:N");
  const test::Outcome no_poses =
      looptree("detect " + (folder / "film").string() + " --keyframes motion:1,10");
  expect(no_poses, 1, "expected a sequence with poses for --keyframes motion:1,10");
  expect(looptree("show " + folder.path().string()), 1, "found no config.json");
}

TEST(VocabCommand, TrainsFromASequence) {
  const ImageFolder folder;
  write_world(folder);
  expect(looptree("vocab train " + (folder / "world").string() + " --max-images 30 -L 3 -o " +
                  (folder / "street.looptree").string()),
         0, "30 images");
}

TEST(VocabCommand, TrainsTheSameFileFromRealImagesOnOneAndTwoThreads) {
  LOOPTREE_SKIP_WITHOUT_DATA("kitti00/left.mp4");
  const ImageFolder folder;
  const std::string train =
      "vocab train " + (test::data_dir() / "kitti00").string() + " --max-images 40 -k 10 -L 4 -o ";
  const std::string one = (folder / "one.looptree").string();
  const std::string two = (folder / "two.looptree").string();
  expect(looptree(train + one + " --threads 1"), 0, "wrote");
  expect(looptree(train + two + " --threads 2"), 0, "wrote");
  expect(test::run_command("cmp " + one + " " + two), 0, "");
}

TEST(WorldCommand, RendersTheSceneInOtherWeather) {
  const ImageFolder folder;
  const std::string size = " --frames 2 --width 64 --height 64";
  expect(looptree("world " + (folder / "day").string() + size), 0, "wrote 2 images");
  expect(looptree("world " + (folder / "rain").string() + size + " --weather rain"), 0, "2 images");
  EXPECT_NE(read_text(folder / "day" / "image_0" / "000000.png"),
            read_text(folder / "rain" / "image_0" / "000000.png"));
  expect(looptree("world " + (folder / "snow").string() + size + " --weather snow"), 2, "snow");
}

#ifdef LOOPTREE_WITH_STORE
TEST(DetectCommand, StartsAndContinuesAMapThatQueryAnswersFrom) {
  const ImageFolder folder;
  write_world(folder);
  const std::string world = (folder / "world").string();
  const std::string map = (folder / "city.map").string();
  expect(looptree("detect " + world + " --map " + map + " --output " + (folder / "one").string()),
         0, "city.map: 0 frames before, this session from frame 0 on");
  EXPECT_EQ(lines(folder / "one" / "map_closures.csv"), 1) << "a header, and no row yet";
  const test::Outcome second =
      looptree("detect " + world + " --map " + map + " --output " + (folder / "two").string());
  expect(second, 0, "city.map: 150 frames before, this session from frame 150 on");
  expect(second, 0, " closures with the 150 frames of earlier sessions");
  // The same route again: nearly every frame finds itself.
  EXPECT_GT(lines(folder / "two" / "map_closures.csv"), 100u);
  const std::string closures = read_text(folder / "two" / "map_closures.csv");
  EXPECT_NE(closures.find("40,40,0,\"000040.png\","), std::string::npos);
  EXPECT_NE(closures.find(",\"000040.png\",40,"), std::string::npos) << "its name and number";
  EXPECT_NE(read_text(folder / "two" / "frames.csv").find("frame 40 (000040.png) of session 0"),
            std::string::npos);
  const auto config = nlohmann::json::parse(read_text(folder / "two" / "config.json"));
  EXPECT_EQ(config["map"]["frames_before"], 150);
  EXPECT_EQ(config["map"]["first_frame"], 150);
  EXPECT_EQ(config["features"]["kind"], "learned") << "as the map's vocabulary is for";
  const test::Outcome info = looptree("map info " + map);
  expect(info, 0, "frames      300\n");
  expect(info, 0, "with features 300\n");
  expect(looptree("map verify " + map), 0, "sound, 300 frames");

  const std::string image = world + "/image_0/000040.png";
  const test::Outcome answer = looptree("query " + map + " " + image + " --csv --top-k 3");
  expect(answer, 0,
         "image,rank,frame,session,name,score,correspondences,inliers,coverage,verified,refusal,"
         "frame_tx,frame_ty,");
  expect(answer, 0, image + ",1,40,0,");
  expect(answer, 0, ",yes,,");
  const test::Outcome told = looptree("query " + map + " " + image + " --min-inliers 400");
  expect(told, 0, "     refused: ");
  expect(told, 0, " inliers, expected 400\n");
  expect(looptree("query " + map + " " + image), 0, "     taken at ");
  expect(looptree("query " + map + " " + image + " --session 1 --top-k 1"), 0, " 190 ");
  expect(looptree("query " + map + " " + (folder / "none.png").string() + " " + image), 1,
         "expected 2 images, found 1 that could not be read");
  expect(looptree("query " + (folder / "no.map").string() + " " + image), 1, "found no file");
  expect(looptree("query " + map), 2, "IMAGE is required");
  expect(looptree("query " + map + " " + image + " --features sift"), 1, "error: expected");
  for (const std::string& command :
       {"query " + map + " " + image, "detect " + world + " --map " + map}) {
    expect(looptree(command + " --features orb"), 1,
           "expected --features learned, which the vocabulary is for, found --features orb");
  }
  const std::string of_orb = (folder / "orb.map").string();
  expect(looptree("detect " + world + " --features orb --map " + of_orb + " --output " +
                  (folder / "orb").string()),
         0, "0 frames before");
  expect(looptree("query " + of_orb + " " + image + " --csv --top-k 1"), 0, image + ",1,40,0,");
  expect(looptree("query " + of_orb + " " + image + " --min-inliers 400"), 0,
         " inliers, expected 700\n");

  expect(looptree("detect " + world + " --map " + map + " --topology d2b8-mean --output " +
                  (folder / "three").string()),
         1, "expected a map of topology d2b8-mean");
  expect(looptree("detect " + world + " --map " + map + " --vocabulary " +
                  test::golden("voc/dbow2_orb.yml").string() + " --output " +
                  (folder / "four").string()),
         1, "leave --vocabulary out to continue with the map's own");
  EXPECT_FALSE(std::filesystem::exists(folder / "four")) << "what is refused leaves no folder";
  expect(looptree("detect " + world + " --map " + map + " --features sift --output " +
                  (folder / "four").string()),
         1, "expected --features learned, which the vocabulary is for, found --features sift");
  expect(looptree("map info " + map), 0, "frames      300\n");
  expect(looptree("map import " + (folder / "kitti.map").string() + " " + world), 0,
         "150 frames from id 0 on, session 0");
  expect(looptree("map info " + (folder / "kitti.map").string()), 0, "with pose   150\n");
}

/// The fields of the first row of `looptree query --csv`, behind its header.
std::vector<std::string> first_answer(const test::Outcome& outcome) {
  std::istringstream text(outcome.output);
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  std::istringstream row(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
  return fields;
}

TEST(QueryCommand, SaysWhereTheCameraIsAndHowSureThatIs) {
  const ImageFolder folder;
  const std::string world = (folder / "world").string();
  const std::string map = (folder / "city.map").string();
  expect(looptree("world " + world + " --frames 60 --width 320 --height 200 --baseline 0.5"), 0,
         "wrote 60 images");
  expect(looptree("detect " + world + " --map " + map + " --output " + (folder / "run").string()),
         0, "city.map: 0 frames before");
  const auto info = open_sequence(world)->info();
  const Calibration camera = *info.calibration;
  const std::string calibration = " --calibration " + std::to_string(camera.fx) + " " +
                                  std::to_string(camera.fy) + " " + std::to_string(camera.cx) +
                                  " " + std::to_string(camera.cy);
  // What the second camera saw, half a metre to the right of where the map was made.
  for (const int frame : {10, 20, 30}) {
    const std::string query =
        "query " + map + " " + world + "/image_1/" + fmt_number(frame) + ".png" + calibration;
    const auto fields = first_answer(looptree(query + " --pose --csv"));
    ASSERT_GE(fields.size(), 20U);
    MeasuredPose found;
    for (std::size_t i = 0; i < 3; ++i) found.pose.translation[i] = std::stod(fields[10 + i]);
    found.pose.rotation = rotation_of({std::stod(fields[13]), std::stod(fields[14]),
                                       std::stod(fields[15]), std::stod(fields[16])});
    std::istringstream triangle(fields[19]);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = i; j < 6; ++j) {
        ASSERT_TRUE(triangle >> found.information(i, j));
        found.information(j, i) = found.information(i, j);
      }
    }
    const Pose truth = compose(*info.frames[static_cast<std::size_t>(frame)].pose,
                               Pose{Pose{}.rotation, {0.5, 0, 0}});
    EXPECT_LT(distance(found.pose, truth), 0.1);
    EXPECT_LT(angle_deg(found.pose, truth), 0.5);
    EXPECT_LT(squared_error(found, truth), 22.5) << "1 in 1000 is more";
    EXPECT_LT(distance(found.pose, truth), 4 * std::stod(fields[17]));
    expect(looptree(query + " --pose"), 0, " m, turned ");
  }
  expect(looptree("query " + map + " " + world + "/image_1/000010.png --pose"), 0,
         "no pose: it takes --calibration");
}

TEST(DetectCommand, ShowsClosuresWithEarlierSessionsWhenTheImagesAreGone) {
  const ImageFolder folder;
  write_world(folder);
  const std::string images = (folder / "world" / "image_0").string();
  const std::string map = (folder / "city.map").string();
  const auto detect = [&](const std::string& more) {
    return looptree("detect " + images + " --map " + map + " --exclude-recent 37 " + more);
  };
  expect(detect("--output " + (folder / "one").string()), 0, "150 frames");
  expect(detect("--thumbnail-width 0 --output " + (folder / "two").string()), 0,
         "of earlier sessions");
  expect(looptree("map info " + map), 0, "with picture  150\n");
  const std::string two = (folder / "two").string();
  expect(looptree("show " + two), 0, " with earlier sessions, drawn to ");
  expect(looptree("show " + two + " 40 40 --map"), 0,
         "frame 40 and frame 40 (000040.png) of session 0: ");
  EXPECT_GT(std::filesystem::file_size(folder / "two" / "pair_40_map40.png"), 1000U);
  expect(looptree("show " + two + " 40 999 --map"), 1,
         "as map_frame in map_closures.csv, found 999");

  // Of the first drive the map kept small images, of the second it did not.
  std::filesystem::rename(folder / "world", folder / "elsewhere");
  expect(looptree("show " + (folder / "one").string() + " 60 12"), 0, "inliers of");
  expect(looptree("show " + two + " 40 40 --map"), 1, "a run with --map keeps small images");
  expect(looptree("show " + (folder / "one").string() + " 40 190 --map"), 1,
         "or a thumbnail in " + map + ", found neither");
}

TEST(MapCommand, ImportsOfNothingLeaveNoSession) {
  const ImageFolder folder;
  for (int i = 0; i < 3; ++i) folder.image("grey/" + std::to_string(i) + ".png", 9, 64, 64);
  const std::string map = (folder / "a.map").string();
  expect(looptree("map import " + map + " " + (folder / "grey").string()), 1,
         "expected images with features in");
  expect(looptree("map info " + map), 0, "frames      0\n");
  EXPECT_EQ(looptree("map info " + map).output.find("session"), std::string::npos);
}
#endif

}  // namespace
}  // namespace looptree

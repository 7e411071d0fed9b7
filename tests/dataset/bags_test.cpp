// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Bags of ROS: those that its own tools write, those made from the formats, and damaged ones.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#ifdef LOOPTREE_WITH_STORE
#include <sqlite3.h>
#endif

#include "looptree/dataset/open.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/dataset/made_bag.hpp"
#include "tests/run_command.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using namespace test;

constexpr std::uint64_t kStart = 1'403'636'579'000'000'007U;
constexpr std::uint32_t kWidth = 64;
constexpr std::uint32_t kHeight = 48;

Image picture(int seed) {
  Image image(kWidth, kHeight);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(random());
  return image;
}

Bytes png(int seed) {
  Image image = picture(seed);
  Bytes bytes;
  cv::imencode(".png", cv::Mat(image.height, image.width, CV_8U, image.pixels.data()), bytes);
  return bytes;
}

/// A camera with five images, raw and compressed, and what belongs to it.
std::vector<MadeTopic> topics(bool ros2) {
  const std::string middle = ros2 ? "msg/" : "";
  return {{"/cam/image_raw", "sensor_msgs/" + middle + "Image"},
          {"/cam/image_raw/compressed", "sensor_msgs/" + middle + "CompressedImage"},
          {"/cam/camera_info", "sensor_msgs/" + middle + "CameraInfo"},
          {"/imu", "sensor_msgs/" + middle + "Imu"}};
}

std::vector<MadeMessage> messages(bool cdr) {
  std::vector<MadeMessage> made;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t ns = kStart + 100'000'000U * static_cast<std::uint64_t>(i);
    made.push_back(
        {2, ns + 1, camera_message(cdr, 200, "plumb_bob", {-0.1, 0.01, 0.001, 0.002, 0})});
    made.push_back({3, ns + 2, Bytes(40, 1)});
    made.push_back({0, ns + 5000,
                    image_message(cdr, ns, kWidth, kHeight, "mono8", kWidth, picture(i).pixels)});
    made.push_back({1, ns + 6000, compressed_message(cdr, ns, png(i))});
  }
  return made;
}

void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void expect_the_drive(const std::filesystem::path& path, const char* topic) {
  SCOPED_TRACE(path.string() + " " + topic);
  const auto sequence = open_sequence(path, {.topic = topic});
  EXPECT_EQ(sequence->info().format, "bag");
  ASSERT_EQ(sequence->size(), 5u);
  EXPECT_EQ(sequence->info().frames[2].name, "1403636579.200000007") << "the stamp of the header";
  EXPECT_NEAR(*sequence->info().frames[2].time_s, 1403636579.2, 1e-6);
  ASSERT_TRUE(sequence->info().calibration);
  EXPECT_EQ(sequence->info().calibration->fx, 200);
  EXPECT_EQ(sequence->info().calibration->lens, LensModel::brown_conrady);
  EXPECT_EQ(sequence->info().calibration->distortion[3], 0.002);
  for (int i = 4; i >= 0; --i) {
    EXPECT_EQ(sequence->image(static_cast<std::size_t>(i)).pixels, picture(i).pixels) << i;
  }
}

TEST(Bags, OfTheFormatsReadInEveryStyle) {
  const ImageFolder folder;
  for (const char* compression : {"", "lz4", "zstd"}) {
    for (const bool indexed : {true, false}) {
      for (const std::size_t per_chunk : {std::size_t{0}, std::size_t{3}, std::size_t{100}}) {
        const BagStyle style{compression, indexed, per_chunk};
        write(folder / "drive.mcap", made_mcap(topics(true), messages(true), style));
        expect_the_drive(folder / "drive.mcap", "/cam/image_raw");
        expect_the_drive(folder / "drive.mcap", "/cam/image_raw/compressed");
      }
    }
  }
  for (const char* compression : {"", "lz4", "bz2"}) {
    for (const bool indexed : {true, false}) {
      write(folder / "drive.bag",
            made_ros1_bag(topics(false), messages(false), {compression, indexed, 3}));
      expect_the_drive(folder / "drive.bag", "/cam/image_raw");
      expect_the_drive(folder / "drive.bag", "/cam/image_raw/compressed");
    }
  }
}

TEST(Bags, WrittenByRosItself) {
  const ImageFolder folder;
  std::filesystem::create_directories(folder / "in");
  for (int i = 0; i < 5; ++i) {
    const std::string name = (folder / "in" / std::to_string(i)).string();
    write_image(name + ".pgm", picture(i));
    write_image(name + ".png", picture(i));
  }
  for (const char* compression : {"none", "bz2", "lz4"}) {
    const std::string bag = (folder / (std::string(compression) + ".bag")).string();
    const Outcome written =
        run_command("/usr/bin/python3 " LOOPTREE_SOURCE_DIR "/tests/dataset/write_bag.py " + bag +
                    " " + compression + " " + (folder / "in").string());
    if (written.code == 77) GTEST_SKIP() << written.output;
    ASSERT_EQ(written.code, 0) << written.output;
    expect_the_drive(bag, "/cam/image_raw");
    expect_the_drive(bag, "/cam/image_raw/compressed");
  }
}

#ifdef LOOPTREE_WITH_STORE
void write_db3(const std::filesystem::path& path, const std::string& compression) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database,
               "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, "
               "serialization_format TEXT, offered_qos_profiles TEXT);"
               "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, "
               "data BLOB); BEGIN",
               nullptr, nullptr, nullptr);
  const auto all = topics(true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string row = "INSERT INTO topics VALUES(" + std::to_string(i + 1) + ",'" +
                            all[i].name + "','" + all[i].type + "','cdr','')";
    sqlite3_exec(database, row.c_str(), nullptr, nullptr, nullptr);
  }
  for (const MadeMessage& message : messages(true)) {
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(database, "INSERT INTO messages(topic_id, timestamp, data) VALUES(?,?,?)",
                       -1, &insert, nullptr);
    const Bytes data = packed(compression, message.data);
    sqlite3_bind_int(insert, 1, message.topic + 1);
    sqlite3_bind_int64(insert, 2, static_cast<std::int64_t>(message.time_ns));
    sqlite3_bind_blob(insert, 3, data.data(), static_cast<int>(data.size()), SQLITE_TRANSIENT);
    ASSERT_EQ(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_finalize(insert);
  }
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

TEST(Bags, OfSqliteAndFoldersOfRos2) {
  const ImageFolder folder;
  for (const char* compression : {"", "zstd"}) {
    const auto path = folder / (std::string("drive") + compression + ".db3");
    write_db3(path, compression);
    expect_the_drive(path, "/cam/image_raw");
    expect_the_drive(path, "/cam/image_raw/compressed");
  }
  folder.text("drive/metadata.yaml", "rosbag2_bagfile_information:\n");
  std::filesystem::rename(folder / "drive.db3", folder / "drive" / "drive_0.db3");
  expect_the_drive(folder / "drive", "/cam/image_raw");
  std::mt19937 random(5);
  Bytes whole;
  {
    std::ifstream file(folder / "drive" / "drive_0.db3", std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (int round = 0; round < 60; ++round) {
    Bytes damaged = whole;
    damaged[random() % damaged.size()] ^= 0x10;
    if (round % 2 == 0) damaged.resize(random() % damaged.size());
    write(folder / "damaged.db3", damaged);
    try {
      const auto sequence = open_sequence(folder / "damaged.db3", {.topic = "/cam/image_raw"});
      for (std::size_t i = 0; i < sequence->size(); ++i) sequence->image(i);
    } catch (const Error&) {
    }
  }
}
#endif

TEST(Bags, SayWhichTopicsThereAre) {
  const ImageFolder folder;
  write(folder / "drive.mcap", made_mcap(topics(true), messages(true), {"zstd", true, 3}));
  expect_error(ErrorKind::invalid_argument, "choose one (--topic):\n  /cam/image_raw (",
               [&] { open_sequence(folder / "drive.mcap"); });
  expect_error(ErrorKind::not_found, "under the topic /cam of",
               [&] { open_sequence(folder / "drive.mcap", {.topic = "/cam"}); });
  expect_error(ErrorKind::not_found, "under the topic /imu",
               [&] { open_sequence(folder / "drive.mcap", {.topic = "/imu"}); });
  std::vector<MadeMessage> imu{{3, 5, Bytes(8, 0)}};
  write(folder / "imu.mcap", made_mcap(topics(true), imu, {"", true, 3}));
  expect_error(ErrorKind::not_found, "/imu (sensor_msgs/Imu, 1 messages)",
               [&] { open_sequence(folder / "imu.mcap"); });
  // The only one with images is taken.
  std::vector<MadeMessage> raw;
  for (const MadeMessage& message : messages(true)) {
    if (message.topic == 0) raw.push_back(message);
  }
  write(folder / "one.mcap", made_mcap(topics(true), raw, {"lz4", true, 3}));
  const auto sequence = open_sequence(folder / "one.mcap");
  EXPECT_EQ(sequence->size(), 5u);
  EXPECT_FALSE(sequence->info().calibration);
}

Image read_encoded(const ImageFolder& folder, const std::string& encoding, std::uint32_t step,
                   const Bytes& pixels, std::uint32_t width = 4, std::uint32_t height = 2) {
  const std::vector<MadeMessage> one{
      {0, kStart, image_message(true, kStart, width, height, encoding, step, pixels)}};
  write(folder / "one.mcap", made_mcap(topics(true), one, {"", true, 1}));
  return open_sequence(folder / "one.mcap")->image(0);
}

TEST(Bags, TakeTheEncodingsOfCameras) {
  const ImageFolder folder;
  const Bytes blue_red{255, 0, 0, 0, 0, 255, 0, 0, 0, 9, 9, 9, 0,  0,
                       0,   0, 0, 0, 0, 0,   0, 0, 0, 0, 0, 0, 99, 99};
  Image image = read_encoded(folder, "bgr8", 14, blue_red);
  EXPECT_EQ(image.row(0)[0], 29);
  EXPECT_EQ(image.row(0)[1], 76);
  EXPECT_EQ(image.row(0)[3], 9);
  EXPECT_EQ(read_encoded(folder, "rgb8", 14, blue_red).row(0)[0], 76);
  const Bytes deep{0, 1, 0, 2, 0, 3, 0, 4, 0, 1, 0, 2, 0, 3, 0, 4};
  EXPECT_EQ(read_encoded(folder, "mono16", 8, deep).row(1)[3], 255);
  EXPECT_EQ(read_encoded(folder, "mono16", 8, deep).row(1)[0], 0);
  const Bytes yuyv{10, 128, 20, 128, 30, 128, 40, 128, 50, 128, 60, 128, 70, 128, 80, 128};
  EXPECT_EQ(read_encoded(folder, "yuv422_yuy2", 8, yuyv).row(1)[2], 70);
  EXPECT_EQ(read_encoded(folder, "bayer_rggb8", 4, Bytes(16, 77), 4, 4).row(1)[1], 77);
  expect_error(ErrorKind::unsupported, "found '32FC1'",
               [&] { read_encoded(folder, "32FC1", 16, Bytes(32, 0)); });
  expect_error(ErrorKind::corruption, "rows are whole",
               [&] { read_encoded(folder, "bgr8", 4, Bytes(32, 0)); });
  expect_error(ErrorKind::corruption, "2 rows of 4000 bytes",
               [&] { read_encoded(folder, "mono8", 4000, Bytes(32, 0)); });
}

void read_all(const std::filesystem::path& path) {
  for (const char* topic : {"/cam/image_raw", "/cam/image_raw/compressed"}) {
    try {
      const auto sequence = open_sequence(path, {.topic = topic});
      for (std::size_t i = 0; i < sequence->size(); ++i) {
        try {
          sequence->image(i);
        } catch (const Error&) {
        }
      }
    } catch (const Error&) {
    }
  }
}

TEST(Bags, SurviveDamage) {
  const ImageFolder folder;
  std::mt19937 random(7);
  for (const char* name : {"damaged.mcap", "damaged.bag"}) {
    const bool mcap = std::string(name).ends_with("mcap");
    for (const char* compression : {"", "lz4", mcap ? "zstd" : "bz2"}) {
      for (const bool indexed : {true, false}) {
        const BagStyle style{compression, indexed, 5};
        const Bytes whole = mcap ? made_mcap(topics(true), messages(true), style)
                                 : made_ros1_bag(topics(false), messages(false), style);
        for (int round = 0; round < 120; ++round) {
          Bytes damaged = whole;
          // Most bytes are pixels; what lies in front of them matters more.
          const std::size_t reach = round % 2 == 0 ? damaged.size() : 700;
          damaged[random() % reach] ^= static_cast<std::uint8_t>(1U << random() % 8);
          if (round % 3 == 0) damaged.resize(random() % damaged.size());
          write(folder / name, damaged);
          read_all(folder / name);
        }
      }
    }
  }
  write(folder / "cut.bag", [&] {
    Bytes bytes = made_ros1_bag(topics(false), messages(false), {"", true, 3});
    bytes.resize(bytes.size() / 2);
    return bytes;
  }());
  expect_error(ErrorKind::corruption, "it was cut off", [&] { open_sequence(folder / "cut.bag"); });
  write(folder / "not.bag", Bytes(100, 'x'));
  expect_error(ErrorKind::corruption, "found another beginning",
               [&] { open_sequence(folder / "not.bag"); });
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The images of a topic of a bag as a sequence.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/bag.hpp"
#include "looptree/dataset/bags/detail/ros_messages.hpp"
#include "looptree/dataset/detail/deep_image.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

using Bags = std::vector<std::unique_ptr<Bag>>;

constexpr std::string_view kImage = "sensor_msgs/Image";
constexpr std::string_view kCompressed = "sensor_msgs/CompressedImage";
constexpr std::string_view kCamera = "sensor_msgs/CameraInfo";

bool is_bag_file(const Path& path) {
  const std::string extension = path.extension().string();
  return extension == ".bag" || extension == ".db3" || extension == ".mcap";
}

/// The files of a recording: one, or those of a folder that ROS 2 made.
std::vector<Path> files_of(const Path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (is_bag_file(entry.path())) files.push_back(entry.path());
  }
  sort_by_numbers(files);
  return files;
}

std::unique_ptr<Bag> open_one(const Path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".db3") return open_db3(file);
  if (extension == ".mcap") return open_mcap(open_bytes(file));
  return open_ros1_bag(open_bytes(file));
}

/// A topic over all files.
struct Topic {
  std::string type;
  std::size_t messages = 0;
};

std::map<std::string, Topic> topics_of(const Bags& bags) {
  std::map<std::string, Topic> topics;
  for (const auto& bag : bags) {
    for (const BagTopic& topic : bag->topics()) topics[topic.name].type = topic.type;
    for (const BagMessage& message : bag->messages()) {
      ++topics[bag->topics()[message.topic].name].messages;
    }
  }
  return topics;
}

bool has_images(const Topic& topic) {
  return (topic.type == kImage || topic.type == kCompressed) && topic.messages > 0;
}

/// "/cam0/image_raw (sensor_msgs/Image, 3682 messages)", one per line.
std::string listed(const std::map<std::string, Topic>& topics, bool images_only) {
  std::string text;
  for (const auto& [name, topic] : topics) {
    if (images_only && !has_images(topic)) continue;
    text +=
        "\n  " + name + " (" + topic.type + ", " + std::to_string(topic.messages) + " messages)";
  }
  return text.empty() ? " none" : text;
}

/// The topic to read: the one asked for, or the only one with images.
std::string choose(const std::map<std::string, Topic>& topics, const std::string& wanted,
                   const Path& path) {
  if (!wanted.empty()) {
    const auto found = topics.find(wanted);
    if (found != topics.end() && has_images(found->second)) return wanted;
    throw Error(ErrorKind::not_found,
                "expected images under the topic " + wanted + " of " + path.string() +
                    ", found these topics with images:" + listed(topics, true));
  }
  std::vector<std::string> found;
  std::vector<std::string> colour;
  for (const auto& [name, topic] : topics) {
    if (!has_images(topic)) continue;
    found.push_back(name);
    if (name.find("depth") == std::string::npos) colour.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (colour.size() == 1) return colour.front();
  if (found.empty()) {
    throw Error(ErrorKind::not_found, "expected images in " + path.string() +
                                          ", found these topics alone:" + listed(topics, false));
  }
  throw Error(ErrorKind::invalid_argument,
              "expected one topic with images in " + path.string() +
                  ", found several; choose one (--topic):" + listed(topics, true));
}

/// Which CameraInfo belongs to a topic of images: /cam0/camera_info to /cam0/image_raw/compressed.
std::string camera_topic(const std::map<std::string, Topic>& topics, const std::string& images) {
  std::string folder = images;
  for (std::size_t slash = folder.rfind('/'); slash != std::string::npos;
       slash = folder.rfind('/')) {
    folder.resize(slash);
    const auto found = topics.find(folder + "/camera_info");
    if (found != topics.end() && found->second.type == kCamera && found->second.messages > 0) {
      return found->first;
    }
  }
  std::vector<std::string> all;
  for (const auto& [name, topic] : topics) {
    if (topic.type == kCamera && topic.messages > 0) all.push_back(name);
  }
  return all.size() == 1 ? all.front() : "";
}

/// The first message of that topic, if it is a camera that can be used. Drivers publish zeros for
/// cameras that were never calibrated.
std::optional<Calibration> read_camera(const Bags& bags, const std::string& topic, bool rectified,
                                       const std::string& name) {
  for (const auto& bag : bags) {
    for (std::size_t i = 0; i < bag->messages().size(); ++i) {
      const BagTopic& of = bag->topics()[bag->messages()[i].topic];
      if (of.name != topic) continue;
      const RosCamera camera = read_camera_message(of.encoding, bag->read(i), name + ", " + topic);
      const Calibration& calibration = rectified ? camera.rectified : camera.raw;
      try {
        check(calibration);
      } catch (const Error&) {
        return std::nullopt;
      }
      return calibration;
    }
  }
  return std::nullopt;
}

/// How the pixels of an encoding become grey; -1: they are.
struct Layout {
  std::string_view encoding;
  int type;
  int conversion;
};
constexpr std::array kLayouts{
    Layout{"mono8", CV_8UC1, -1},
    Layout{"8UC1", CV_8UC1, -1},
    Layout{"mono16", CV_16UC1, -1},
    Layout{"16UC1", CV_16UC1, -1},
    Layout{"bgr8", CV_8UC3, cv::COLOR_BGR2GRAY},
    Layout{"8UC3", CV_8UC3, cv::COLOR_BGR2GRAY},
    Layout{"rgb8", CV_8UC3, cv::COLOR_RGB2GRAY},
    Layout{"bgra8", CV_8UC4, cv::COLOR_BGRA2GRAY},
    Layout{"8UC4", CV_8UC4, cv::COLOR_BGRA2GRAY},
    Layout{"rgba8", CV_8UC4, cv::COLOR_RGBA2GRAY},
    // OpenCV names a pattern by its second row.
    Layout{"bayer_rggb8", CV_8UC1, cv::COLOR_BayerBG2GRAY},
    Layout{"bayer_bggr8", CV_8UC1, cv::COLOR_BayerRG2GRAY},
    Layout{"bayer_gbrg8", CV_8UC1, cv::COLOR_BayerGR2GRAY},
    Layout{"bayer_grbg8", CV_8UC1, cv::COLOR_BayerGB2GRAY},
    Layout{"yuv422", CV_8UC2, cv::COLOR_YUV2GRAY_UYVY},
    Layout{"uyvy", CV_8UC2, cv::COLOR_YUV2GRAY_UYVY},
    Layout{"yuv422_yuy2", CV_8UC2, cv::COLOR_YUV2GRAY_YUY2},
    Layout{"yuyv", CV_8UC2, cv::COLOR_YUV2GRAY_YUY2},
};

const Layout& layout_of(const RosImage& image, const std::string& name) {
  for (const Layout& layout : kLayouts) {
    if (layout.encoding == image.encoding) return layout;
  }
  std::string known;
  for (const Layout& layout : kLayouts) known += " " + std::string(layout.encoding);
  throw Error(ErrorKind::unsupported, "expected an image encoded as one of" + known + " in " +
                                          name + ", found '" + image.encoding.substr(0, 40) + "'");
}

Image grey(const RosImage& message, const std::string& name) {
  const Layout& layout = layout_of(message, name);
  const auto pixel = static_cast<std::size_t>(CV_ELEM_SIZE(layout.type));
  if (message.width == 0 || message.height == 0 || message.width > 65536 ||
      message.height > 65536 || message.step < message.width * pixel) {
    throw Error(ErrorKind::corruption, "expected an image whose rows are whole in " + name +
                                           ", found " + std::to_string(message.width) + "x" +
                                           std::to_string(message.height) + " in rows of " +
                                           std::to_string(message.step) + " bytes");
  }
  const cv::Mat pixels(static_cast<int>(message.height), static_cast<int>(message.width),
                       layout.type, const_cast<std::uint8_t*>(message.data.data()), message.step);
  Image image(pixels.cols, pixels.rows);
  cv::Mat target(image.height, image.width, CV_8U, image.pixels.data());
  if (layout.type == CV_16UC1) {
    cv::Mat native = pixels.clone();
    if (message.big_endian) {
      for (int y = 0; y < native.rows; ++y) {
        auto* row = native.ptr<std::uint16_t>(y);
        std::transform(row, row + native.cols, row, [](std::uint16_t v) {
          return static_cast<std::uint16_t>(v << 8U | v >> 8U);
        });
      }
    }
    spread_to_8_bits(native.ptr<std::uint16_t>(), image);
  } else if (layout.conversion < 0) {
    pixels.copyTo(target);
  } else {
    cv::cvtColor(pixels, target, layout.conversion);
  }
  return image;
}

/// Where a frame lies.
struct Place {
  std::uint32_t bag = 0;
  std::size_t message = 0;
};

class BagSource final : public ImageSource {
 public:
  BagSource(Bags bags, std::vector<Place> places, std::vector<std::string> names)
      : bags_(std::move(bags)), places_(std::move(places)), names_(std::move(names)) {}

  Image load(std::size_t frame) override {
    const Place& place = places_[frame];
    const Bag& bag = *bags_[place.bag];
    const BagTopic& topic = bag.topics()[bag.messages()[place.message].topic];
    const std::vector<std::uint8_t> message = bag.read(place.message);
    if (topic.type == kImage) {
      return grey(read_image_message(topic.encoding, message, names_[frame]), names_[frame]);
    }
    return decode_image(read_compressed_message(topic.encoding, message, names_[frame]).data,
                        names_[frame]);
  }
  bool is_random_access() const override { return true; }

 private:
  Bags bags_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

/// "1403636579.763555584".
std::string stamp_name(std::uint64_t ns) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%llu.%09llu",
                                   static_cast<unsigned long long>(ns / 1'000'000'000U),
                                   static_cast<unsigned long long>(ns % 1'000'000'000U));
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

bool looks_like_bag(const Path& path) {
  if (std::filesystem::is_regular_file(path)) return is_bag_file(path);
  return std::filesystem::exists(path / "metadata.yaml") && !files_of(path).empty();
}

SequencePtr open_bag(const Path& path, const OpenOptions& options) {
  Bags bags;
  for (const Path& file : files_of(path)) bags.push_back(open_one(file));
  const auto topics = topics_of(bags);
  const std::string topic = choose(topics, options.topic, path);
  SequenceInfo info{.format = "bag"};
  std::vector<Place> places;
  std::vector<std::string> names;
  for (std::uint32_t b = 0; b < bags.size(); ++b) {
    const Bag& bag = *bags[b];
    for (std::size_t i = 0; i < bag.messages().size(); ++i) {
      const BagMessage& message = bag.messages()[i];
      const BagTopic& of = bag.topics()[message.topic];
      if (of.name != topic) continue;
      constexpr std::size_t kStampBytes = 16;
      const std::uint64_t ns =
          read_stamp_ns(of.encoding, bag.read(i, kStampBytes), path.string() + ", " + topic)
              .value_or(message.time_ns);
      places.push_back({b, i});
      info.frames.push_back({.name = stamp_name(ns), .time_s = static_cast<double>(ns) * 1e-9});
      names.push_back(path.string() + ", " + topic + " at " + info.frames.back().name);
    }
  }
  const std::string camera = camera_topic(topics, topic);
  const bool rectified = topic.find("rect") != std::string::npos;
  if (!camera.empty()) info.calibration = read_camera(bags, camera, rectified, path.string());
  return std::make_unique<Sequence>(
      std::move(info),
      std::make_unique<BagSource>(std::move(bags), std::move(places), std::move(names)));
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// A drive as long as one likes through the detector, with a map on disk, features included:
// memory, disk and time per frame as the map grows (docs/store.md).
// long_run FRAMES VOCABULARY FOLDER [SEQUENCE [FEATURES]]
//
// Frames are drawn from the ORB features of real or rendered images with changes. A landmark is a
// feature of one of these images, drawn at random; it stays in view for 20 frames and moves
// outwards as the camera goes on, so that the frames of a new road have descriptors as images have
// them but resemble no others. Each sight of a landmark flips a sixteenth of its bits. After 850
// frames of new road come 150 along a stretch seen before, in which three in ten landmarks are
// others, and all lie half a pixel off.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/random.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/detect/map_detector.hpp"
#include "looptree/features/orb.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "clocks.hpp"

namespace {

using namespace looptree;
using bench::clock_ms;
using bench::thread_ms;

constexpr std::uint64_t kNew = 850;
constexpr std::uint64_t kRevisit = 150;
constexpr std::uint64_t kInView = 20;
constexpr double kOutwards = 0.02;  ///< per frame, of the distance to the centre
constexpr double kReplaced = 0.3;

/// Numbers that follow from other numbers.
Random seeded(std::uint64_t a, std::uint64_t b) {
  return Random(a * 0x9E3779B97F4A7C15u ^ (b + 0x632BE59BD9B4E019u));
}

class Drive {
 public:
  Drive(std::vector<Features> images, std::size_t features)
      : images_(std::move(images)), features_(features) {}

  /// Whether the place was seen before.
  static bool is_revisit(std::uint64_t frame) { return frame % (kNew + kRevisit) >= kNew; }

  static std::uint64_t place(std::uint64_t frame) {
    const std::uint64_t lap = frame / (kNew + kRevisit);
    const std::uint64_t at = frame % (kNew + kRevisit);
    if (at < kNew) return lap * kNew + at;
    return seeded(lap, 1).below(lap * kNew + kNew - 2 * kRevisit) + at - kNew;
  }

  Features frame(std::uint64_t index) const {
    Features features;
    features.width = images_[0].width;
    features.height = images_[0].height;
    const std::uint64_t where = place(index);
    Random sight = seeded(index, 2);
    for (std::size_t slot = 0; slot < features_; ++slot) {
      const std::uint64_t step = where + seeded(slot, 3).below(kInView);
      const bool replaced = is_revisit(index) && sight.uniform() < kReplaced;
      const std::uint64_t landmark = replaced ? sight.next() : step / kInView;
      see(slot, landmark, static_cast<double>(step % kInView), is_revisit(index), sight, features);
    }
    return features;
  }

 private:
  void see(std::size_t slot, std::uint64_t landmark, double age, bool again, Random& sight,
           Features& features) const {
    Random drawn = seeded(landmark, 1000 + slot);
    const Features& from = images_[drawn.below(images_.size())];
    const std::size_t row = drawn.below(from.size());
    const double scale = 1 + kOutwards * (age - kInView / 2.0);
    Keypoint point = from.keypoints[row];
    const double off = again ? sight.uniform() - 0.5 : 0;
    point.x = static_cast<float>((point.x - from.width / 2.0) * scale + from.width / 2.0 + off);
    point.y = static_cast<float>((point.y - from.height / 2.0) * scale + from.height / 2.0 + off);
    if (point.x < 0 || point.y < 0 || point.x > static_cast<float>(from.width - 1) ||
        point.y > static_cast<float>(from.height - 1)) {
      return;
    }
    features.keypoints.push_back(point);
    for (const std::uint8_t byte : from.descriptors.view().bytes(row)) {
      const std::uint64_t bits = sight.next();  // each bit of four ands: one in sixteen
      const auto flips =
          static_cast<std::uint8_t>(bits & (bits >> 8) & (bits >> 16) & (bits >> 24));
      features.descriptors.bytes.push_back(byte ^ flips);
    }
  }

  std::vector<Features> images_;
  std::size_t features_;
};

std::vector<Features> extract(const std::string& path) {
  constexpr std::size_t kImages = 200;
  const auto sequence = open_sequence(path);
  const OrbExtractor orb;
  std::vector<Features> images;
  const std::size_t count = sequence->info().frames.size();
  const std::size_t stride = std::max<std::size_t>(1, count / kImages);
  for (std::size_t i = 0; i < count; i += stride) {
    const Image image = sequence->image(i);
    Features features = orb.extract(image);
    if (features.size() > 100) images.push_back(std::move(features));
  }
  if (images.empty()) throw std::runtime_error(path + ": expected images with features");
  return images;
}

/// Kilobytes by a line of /proc/self/status.
double status_gb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stod(line.substr(name.size() + 1)) / 1048576;
  }
  return 0;
}

double disk_bytes(const std::filesystem::path& folder, const std::string& name) {
  double bytes = 0;
  for (const char* suffix : {"", "-wal", "-snapshot"}) {
    std::error_code none;
    const auto size = std::filesystem::file_size(folder / (name + suffix), none);
    if (!none) bytes += static_cast<double>(size);
  }
  return bytes;
}

/// What frames took since it was last printed.
struct Interval {
  std::vector<double> clock;
  std::vector<double> thread;
  std::size_t revisits = 0;
  std::size_t found = 0;
  std::size_t wrong = 0;

  static double quantile(std::vector<double>& ms, double part) {
    std::sort(ms.begin(), ms.end());
    return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
  }
  void print(std::size_t frames, double disk) {
    double busy = 0;
    for (const double ms : thread) busy += ms;
    fmt::print(
        "{:8} frames  resident {:6.3f} GB (anonymous {:6.3f})  disk {:6.0f} bytes/frame  {:5.0f} "
        "frames/s  processor p50 {:6.2f} p99 {:6.2f} longest {:7.2f} ms  clock p99 {:7.2f} "
        "longest {:8.2f} ms  revisits {}/{} wrong {}\n",
        frames, status_gb("VmRSS"), status_gb("RssAnon"), disk / static_cast<double>(frames),
        1e3 * static_cast<double>(thread.size()) / busy, quantile(thread, 0.5),
        quantile(thread, 0.99), thread.back(), quantile(clock, 0.99), clock.back(), found, revisits,
        wrong);
    std::fflush(stdout);
    *this = {};
  }
};

void run(std::size_t frames, const std::string& vocabulary_file,
         const std::filesystem::path& folder, const std::string& sequence, std::size_t features) {
  const Drive drive(extract(sequence), features);
  const Vocabulary vocabulary = Vocabulary::load(vocabulary_file);
  for (const char* suffix : {"", "-wal", "-shm", "-snapshot", "-acked"}) {
    std::filesystem::remove(folder / (std::string("long.map") + suffix));
  }
  // As `looptree detect --map` has it.
  const auto map = std::make_shared<Map>(
      Map::create(folder / "long.map", {embedded_vocabulary(vocabulary), Topology::parse("d1")},
                  {.durability = Durability::every(std::chrono::milliseconds(1000))}));
  LoopDetector detector = make_map_detector(map, vocabulary, "long run");
  fmt::print("{} frames of {} features, drawn from {}; {} words\n", frames, features, sequence,
             vocabulary.size());
  Interval interval;
  for (std::size_t i = 0; i < frames; ++i) {
    const Features frame = drive.frame(i);
    const double start = clock_ms();
    const double thread_start = thread_ms();
    const Detection detection = detector.process(frame);
    interval.thread.push_back(thread_ms() - thread_start);
    interval.clock.push_back(clock_ms() - start);
    interval.revisits += Drive::is_revisit(i) ? 1 : 0;
    if (detection.is_closure()) {
      const std::uint64_t match = Drive::place(detection.match->id->value);
      const std::uint64_t place = Drive::place(i);
      const bool right = match + kInView > place && place + kInView > match;
      ++(right ? interval.found : interval.wrong);
    }
    if ((i + 1) % std::max<std::size_t>(1, frames / 10) == 0) {
      interval.print(i + 1, disk_bytes(folder, "long.map"));
    }
  }
  const double closing = clock_ms();
  const double index = map->index()->memory().bytes_per_frame();
  map->close();
  fmt::print(
      "closed in {:.1f} s: {:.0f} bytes a frame on disk, snapshot included; index {:.0f} "
      "bytes a frame\n",
      (clock_ms() - closing) / 1e3, disk_bytes(folder, "long.map") / static_cast<double>(frames),
      index);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: long_run FRAMES VOCABULARY FOLDER [SEQUENCE [FEATURES]]\n");
    return EXIT_FAILURE;
  }
  try {
    cv::setNumThreads(1);
    run(std::stoul(argv[1]), argv[2], argv[3], argc > 4 ? argv[4] : "demo",
        argc > 5 ? std::stoul(argv[5]) : 1500);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "long_run: {}\n", error.what());
    return EXIT_FAILURE;
  }
}

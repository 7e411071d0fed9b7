// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// A drive as long as one likes through the detector, with a map on disk, features included:
// memory, disk and time per frame as the map grows (docs/store.md).
// long_run FRAMES VOCABULARY FOLDER [SEQUENCE [FEATURES [EVERY]]]
//
// Frames are drawn from the ORB features of real or rendered images with changes. A landmark is a
// feature of one of these images, drawn at random; it stays in view for 20 frames and moves
// outwards as the camera goes on, so that the frames of a new road have descriptors as images have
// them but resemble no others. Each sight of a landmark flips a sixteenth of its bits. After 850
// frames of new road come 150 along a stretch seen before, in which three in ten landmarks are
// others, and all lie half a pixel off. Of these laps of 1,000 frames only every EVERY-th goes
// through the detector (default: all), as a session of its own; the frames of the others are put
// into the map with their features, as the detector would, but nobody asks where they are. So a map
// of a million frames is there in an hour, and what it costs to detect in it is measured all along.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/parallel.hpp"
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
constexpr std::size_t kChunk = 100;  ///< frames that are made at once; divides a lap

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
    // A lap starts out of sight of the one before, whose frames count as another session's.
    constexpr std::uint64_t kLap = kNew + 2 * kInView;
    if (at < kNew) return lap * kLap + at;
    // A stretch of this lap or of an earlier one; of this one not what the camera saw just now.
    Random drawn = seeded(lap, 1);
    const std::uint64_t earlier = drawn.below(lap + 1);
    return earlier * kLap + drawn.below(kNew - 2 * kRevisit) + at - kNew;
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
  std::vector<double> insertions;  ///< time of the processor, of frames nobody asks about
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
    if (!insertions.empty()) {
      fmt::print(
          "{:8} frames  insertions alone: processor p50 {:6.2f} p99 {:6.2f} longest {:7.2f} ms\n",
          frames, quantile(insertions, 0.5), quantile(insertions, 0.99), insertions.back());
    }
    if (thread.empty()) return;
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

/// What to drive.
struct Job {
  std::size_t frames = 0;
  std::string vocabulary;
  std::filesystem::path folder;
  std::string sequence = "demo";
  std::size_t features = 1500;
  std::size_t every = 1;  ///< of the laps one goes through the detector
};

class LongRun {
 public:
  explicit LongRun(const Job& job)
      : job_(job),
        drive_(extract(job.sequence), job.features),
        vocabulary_(Vocabulary::load(job.vocabulary)) {
    for (const char* suffix : {"", "-wal", "-shm", "-snapshot", "-acked"}) {
      std::filesystem::remove(job.folder / (std::string("long.map") + suffix));
    }
    // As `looptree detect --map` has it.
    map_ = std::make_shared<Map>(
        Map::create(job.folder / "long.map", {embedded_vocabulary(vocabulary_), Topology{}},
                    {.durability = Durability::every(std::chrono::milliseconds(1000))}));
    fmt::print("{} frames of {} features, drawn from {}; {} words; every {}. lap is detected\n",
               job.frames, job.features, job.sequence, vocabulary_.size(), job.every);
  }

  void drive() {
    const std::size_t part = std::max<std::size_t>(kChunk, job_.frames / 10 / kChunk * kChunk);
    for (std::size_t i = 0; i < job_.frames; i += kChunk) {
      const std::size_t end = std::min(job_.frames, i + kChunk);
      if (i % (kNew + kRevisit) == 0) detector_.reset();
      if (i / (kNew + kRevisit) % job_.every == job_.every - 1) {
        for (std::size_t k = i; k < end; ++k) detect(k);
      } else {
        insert(i, end);
      }
      if (end % part == 0) interval_.print(end, disk_bytes(job_.folder, "long.map"));
    }
    close();
  }

 private:
  void detect(std::size_t i) {
    if (!detector_) detector_.emplace(make_map_detector(map_, vocabulary_, "long run"));
    const Features frame = drive_.frame(i);
    const double start = clock_ms();
    const double thread_start = thread_ms();
    const Detection detection = detector_->process(frame);
    interval_.thread.push_back(thread_ms() - thread_start);
    interval_.clock.push_back(clock_ms() - start);
    interval_.revisits += Drive::is_revisit(i) ? 1 : 0;
    if (!detection.is_closure()) return;
    const std::uint64_t match = Drive::place(detection.match->id->value);
    const std::uint64_t place = Drive::place(i);
    const bool right = match + kInView > place && place + kInView > match;
    ++(right ? interval_.found : interval_.wrong);
  }

  /// The frames from `i` up to `end`, made on all cores and put into the map one by one.
  void insert(std::size_t i, std::size_t end) {
    std::vector<Features> frames(end - i);
    std::vector<Histogram> histograms(end - i);
    parallel_for(end - i, 0, [&](std::size_t k) {
      frames[k] = drive_.frame(i + k);
      histograms[k] =
          make_histogram(vocabulary_.words(frames[k].descriptors.view()),
                         vocabulary_.word_weights(), {.weighting = vocabulary_.weighting()});
    });
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const double start = thread_ms();
      map_->insert(histograms[k], {}, frames[k]);
      interval_.insertions.push_back(thread_ms() - start);
    }
  }

  void close() {
    detector_.reset();
    const double closing = clock_ms();
    const double index = map_->index()->memory().bytes_per_frame();
    map_->close();
    fmt::print(
        "closed in {:.1f} s: {:.0f} bytes a frame on disk, snapshot included; index {:.0f} "
        "bytes a frame\n",
        (clock_ms() - closing) / 1e3,
        disk_bytes(job_.folder, "long.map") / static_cast<double>(job_.frames), index);
  }

  Job job_;
  Drive drive_;
  Vocabulary vocabulary_;
  std::shared_ptr<Map> map_;
  std::optional<LoopDetector> detector_;
  Interval interval_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: long_run FRAMES VOCABULARY FOLDER [SEQUENCE [FEATURES [EVERY]]]\n");
    return EXIT_FAILURE;
  }
  try {
    cv::setNumThreads(1);
    Job job{.frames = std::stoul(argv[1]), .vocabulary = argv[2], .folder = argv[3]};
    if (argc > 4) job.sequence = argv[4];
    if (argc > 5) job.features = std::stoul(argv[5]);
    if (argc > 6) job.every = std::max<std::size_t>(1, std::stoul(argv[6]));
    LongRun(job).drive();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "long_run: {}\n", error.what());
    return EXIT_FAILURE;
  }
}

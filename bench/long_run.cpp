// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// A drive as long as one likes through the detector, with a map on disk, features included, or
// without one: memory, disk and time per frame as it grows (docs/store.md).
// long_run FRAMES VOCABULARY FOLDER [SEQUENCE [FEATURES [EVERY]]]       FOLDER "-": without a map
//
// Frames are drawn from the ORB features of 200 real or rendered images with changes. A landmark is
// a feature of one of these images, drawn at random; it stays in view for 20 frames and moves
// outwards as the camera goes on, from pixel to pixel of its level, so that the frames of a new
// road have descriptors as images have them but resemble no others. Each sight of a landmark flips
// a sixteenth of its bits: by one of 65,536 patterns that are drawn beforehand, each bit of them by
// itself, because to draw 256 bits for each of 1,500 features takes longer than to store them.
// After 850 frames of new road come 150 along a stretch seen before, in which three in ten
// landmarks are others, and all lie up to half a pixel off. Every frame is quantised as it comes.
//
// Of these laps of 1,000 frames only every EVERY-th goes through the detector (default: all), as a
// session of its own; the frames of the others are put into the map with their features, as the
// detector would, but nobody asks where they are. So a map of a million frames is there in less
// than an hour, and what it costs to detect in it is measured all along. Frames are drawn ahead by
// other threads; what is measured is the thread that stores and detects. Without a map all laps go
// through one detector.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
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
#include "looptree/features/level_position.hpp"
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

using Bits256 = std::array<std::uint64_t, 4>;

/// Patterns with one bit in sixteen set.
std::vector<Bits256> draw_flips() {
  constexpr std::size_t kPatterns = 65536;
  std::vector<Bits256> flips(kPatterns);
  Random random(5);
  for (Bits256& pattern : flips) {
    for (std::uint64_t& bits : pattern) {
      bits = random.next() & random.next() & random.next() & random.next();
    }
  }
  return flips;
}

/// A feature as it was extracted.
struct Landmark {
  Keypoint point;
  float scale;  ///< of its level: pixels of the image per pixel
  Bits256 descriptor;
};

class Drive {
 public:
  Drive(const std::vector<Features>& images, std::size_t features)
      : width_(images[0].width), height_(images[0].height), flips_(draw_flips()) {
    for (const Features& image : images) add(image);
    for (std::size_t slot = 0; slot < features; ++slot) {
      phases_.push_back(seeded(slot, 3).below(kInView));
    }
  }

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
    features.width = width_;
    features.height = height_;
    features.descriptors.width = sizeof(Bits256);
    features.keypoints.reserve(phases_.size());
    features.descriptors.bytes.resize(phases_.size() * sizeof(Bits256));
    const std::uint64_t where = place(index);
    const bool again = is_revisit(index);
    Random sight = seeded(index, 2);
    for (std::size_t slot = 0; slot < phases_.size(); ++slot) {
      const std::uint64_t step = where + phases_[slot];
      const bool replaced = again && sight.uniform() < kReplaced;
      const std::uint64_t landmark = replaced ? sight.next() : step / kInView;
      const Landmark& seen = landmarks_[seeded(landmark, 1000 + slot).below(landmarks_.size())];
      see(seen, static_cast<double>(step % kInView), again, sight, features);
    }
    features.descriptors.bytes.resize(features.size() * sizeof(Bits256));
    return features;
  }

 private:
  void add(const Features& image) {
    for (std::size_t row = 0; row < image.size(); ++row) {
      Landmark landmark{image.keypoints[row], 1, {}};
      const int octave = landmark.point.octave;
      const auto one = static_cast<std::uint16_t>(1 | octave << LevelPosition::kPixelBits);
      landmark.scale = image_position({one, 0})[0];
      const auto bytes = image.descriptors.view().bytes(row);
      std::memcpy(landmark.descriptor.data(), bytes.data(), sizeof(Bits256));
      landmarks_.push_back(landmark);
    }
  }

  void see(const Landmark& landmark, double age, bool again, Random& sight,
           Features& features) const {
    const double scale = 1 + kOutwards * (age - kInView / 2.0);
    const double off = again ? sight.uniform() - 0.5 : 0;
    const auto moved = [&](float from, int size) {
      const double to = (from - size / 2.0) * scale + size / 2.0 + off;
      return static_cast<float>(std::floor(to / landmark.scale + 0.5)) * landmark.scale;
    };
    Keypoint point = landmark.point;
    point.x = moved(point.x, width_);
    point.y = moved(point.y, height_);
    if (point.x < 0 || point.y < 0 || point.x > static_cast<float>(width_ - 1) ||
        point.y > static_cast<float>(height_ - 1)) {
      return;
    }
    const Bits256& flips = flips_[sight.next() % flips_.size()];
    Bits256 descriptor;
    for (std::size_t i = 0; i < flips.size(); ++i) {
      descriptor[i] = landmark.descriptor[i] ^ flips[i];
    }
    std::memcpy(&features.descriptors.bytes[features.size() * sizeof(Bits256)], descriptor.data(),
                sizeof(Bits256));
    features.keypoints.push_back(point);
  }

  int width_;
  int height_;
  std::vector<Bits256> flips_;
  std::vector<Landmark> landmarks_;
  std::vector<std::uint64_t> phases_;  ///< of each slot, when its landmarks change
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
  bool with_map() const { return folder != "-"; }
};

/// Frames one after another, and what is stored of them where nobody asks.
struct Chunk {
  std::size_t first = 0;
  std::vector<Features> frames;
  std::vector<Histogram> histograms;  ///< of a lap that is not detected
};

class LongRun {
 public:
  explicit LongRun(const Job& job)
      : job_(job),
        drive_(extract(job.sequence), job.features),
        vocabulary_(Vocabulary::load(job.vocabulary)) {
    if (job.with_map()) create_map();
    fmt::print("{} frames of {} features, drawn from {}; {} words; every {}. lap is detected\n",
               job.frames, job.features, job.sequence, vocabulary_.size(), job.every);
  }

  void drive() {
    const std::size_t part = std::max<std::size_t>(kChunk, job_.frames / 10 / kChunk * kChunk);
    const auto draw_ahead = [&](std::size_t first) {
      return std::async(std::launch::async, [this, first] { return draw(first); });
    };
    std::future<Chunk> ahead = draw_ahead(0);
    for (std::size_t i = 0; i < job_.frames; i += kChunk) {
      const Chunk chunk = ahead.get();
      if (i + kChunk < job_.frames) ahead = draw_ahead(i + kChunk);
      if (job_.with_map() && i % (kNew + kRevisit) == 0) detector_.reset();
      if (chunk.histograms.empty()) {
        detect(chunk);
      } else {
        insert(chunk);
      }
      const std::size_t end = i + chunk.frames.size();
      if (end % part == 0) interval_.print(end, disk_bytes(job_.folder, "long.map"));
    }
    close();
  }

 private:
  /// As `looptree detect --map` has it.
  void create_map() {
    for (const char* suffix : {"", "-wal", "-shm", "-snapshot", "-acked"}) {
      std::filesystem::remove(job_.folder / (std::string("long.map") + suffix));
    }
    map_ = std::make_shared<Map>(
        Map::create(job_.folder / "long.map", {embedded_vocabulary(vocabulary_), Topology{}},
                    {.durability = Durability::every(std::chrono::milliseconds(1000))}));
  }

  bool is_detected(std::size_t frame) const {
    return frame / (kNew + kRevisit) % job_.every == job_.every - 1;
  }

  Chunk draw(std::size_t first) const {
    Chunk chunk{first, std::vector<Features>(std::min(kChunk, job_.frames - first)), {}};
    if (!is_detected(first)) chunk.histograms.resize(chunk.frames.size());
    parallel_for(chunk.frames.size(), 0, [&](std::size_t k) {
      chunk.frames[k] = drive_.frame(first + k);
      if (chunk.histograms.empty()) return;
      chunk.histograms[k] =
          make_histogram(vocabulary_.words(chunk.frames[k].descriptors.view()),
                         vocabulary_.word_weights(), {.weighting = vocabulary_.weighting()});
    });
    return chunk;
  }

  void detect(const Chunk& chunk) {
    if (!detector_ && map_) detector_.emplace(make_map_detector(map_, vocabulary_, "long run"));
    if (!detector_) detector_.emplace(vocabulary_);
    for (std::size_t k = 0; k < chunk.frames.size(); ++k) {
      const double start = clock_ms();
      const double thread_start = thread_ms();
      const Detection detection = detector_->process(chunk.frames[k]);
      interval_.thread.push_back(thread_ms() - thread_start);
      interval_.clock.push_back(clock_ms() - start);
      count(detection, chunk.first + k);
    }
  }

  void count(const Detection& detection, std::size_t frame) {
    interval_.revisits += Drive::is_revisit(frame) ? 1 : 0;
    if (!detection.is_closure()) return;
    const std::uint64_t match = Drive::place(detection.match->id->value);
    const std::uint64_t place = Drive::place(frame);
    const bool right = match + kInView > place && place + kInView > match;
    ++(right ? interval_.found : interval_.wrong);
  }

  void insert(const Chunk& chunk) {
    for (std::size_t k = 0; k < chunk.frames.size(); ++k) {
      const double start = thread_ms();
      map_->insert(chunk.histograms[k], {}, chunk.frames[k]);
      interval_.insertions.push_back(thread_ms() - start);
    }
  }

  void close() {
    if (!map_) return;
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
  std::shared_ptr<Map> map_;  ///< null without one
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
    if (argc > 6 && job.with_map()) job.every = std::max<std::size_t>(1, std::stoul(argv[6]));
    LongRun(job).drive();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "long_run: {}\n", error.what());
    return EXIT_FAILURE;
  }
}

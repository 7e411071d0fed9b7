// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What a frame costs from pixels to decision, stage by stage, in one thread: several detectors see
// the same images in turn, so that whatever else the machine does it does to all of them. Times are
// the processor's, of the thread. docs/detect.md has the tables.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <opencv2/core/utility.hpp>
#include <sys/resource.h>

#include "looptree/common/error.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/common/thread_time.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/detect/loop_detector.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/box.hpp"

namespace {

using namespace looptree;

constexpr std::array<const char*, 7> kStages = {"extract", "histogram", "query", "temporal",
                                                "verify",  "insert",    "whole"};

struct Job {
  std::vector<std::string> sequences;
  std::vector<std::string> detectors = {"orb", "cv-orb", "before"};
  std::size_t frames = std::numeric_limits<std::size_t>::max();
  std::string vocabulary;
  bool stream = false;
};

/// Milliseconds, frame by frame.
class Times {
 public:
  void add(double ms) { ms_.push_back(ms); }
  double mean() const {
    double sum = 0;
    for (const double ms : ms_) sum += ms;
    return sum / static_cast<double>(std::max<std::size_t>(1, ms_.size()));
  }
  double quantile(double part) const {
    if (ms_.empty()) return 0;
    std::vector<double> sorted = ms_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
  }

 private:
  std::vector<double> ms_;
};

/// Several drives, one after the other: "monday+tuesday". A map that lives as long as both.
struct Drive {
  std::vector<std::unique_ptr<Sequence>> parts;
  std::size_t frames = 0;
};

Drive open_drive(const std::string& names, std::size_t at_most) {
  Drive drive;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('+', begin), names.size());
    drive.parts.push_back(open_sequence(names.substr(begin, end - begin)));
    drive.frames += std::min(at_most, drive.parts.back()->size());
    begin = end + 1;
  }
  return drive;
}

/// As `looptree detect` has it for features of this kind.
LoopDetectorOptions usual_options(FeatureKind kind, const Drive& drive) {
  LoopDetectorOptions options = default_options(kind);
  options.calibration = drive.parts.front()->info().calibration;
  options.exclude_recent = static_cast<std::uint32_t>(std::min<std::size_t>(300, drive.frames / 4));
  options.stage_clock = StageClock::processor;
  return options;
}

/// looptree 0.1: OpenCV's ORB, four candidates of the best twenty, matched and fitted in full
/// against all that a frame had.
void as_before(LoopDetectorOptions& options) {
  options.sequence_k = 0;
  options.max_verified = 4;
  options.verification.probe.features = 0;
  options.stored_features = {.max_per_frame = 1'000'000, .details = true};
}

/// One way from pixels to closures, and what it took.
class Contender {
 public:
  Contender(const std::string& name, const Job& job, const Drive& drive)
      : name_(name),
        kind_(name == "before" ? FeatureKind::cv_orb : parse_feature_kind(name)),
        extractor_(make_extractor({.kind = kind_})) {
    LoopDetectorOptions options = usual_options(kind_, drive);
    if (name == "before") as_before(options);
    const std::string_view box = kind_ == FeatureKind::learned ? "learned" : "orb";
    detector_ = std::make_unique<LoopDetector>(
        job.vocabulary.empty() ? box_vocabulary(box) : Vocabulary::load(job.vocabulary), options);
  }

  void see(const Image& image) {
    const double start = thread_ms();
    const Features features = extractor_->extract(image);
    const double extract = thread_ms() - start;
    decide(features, extract);
  }

  void decide(const Features& features, double extract_ms) {
    const Detection detection = detector_->process(features);
    closures_ += detection.is_closure() ? 1 : 0;
    const StageTimes& t = detection.times;
    const std::array<double, kStages.size()> ms = {
        extract_ms,  t.histogram_ms,           t.query_ms, t.temporal_ms, t.verify_ms,
        t.insert_ms, extract_ms + t.total_ms()};
    for (std::size_t s = 0; s < ms.size(); ++s) stages_[s].add(ms[s]);
  }

  void print() const {
    const auto row = [&](const char* what, const auto& number) {
      fmt::print("| {}, {} |", name_, what);
      for (const Times& stage : stages_) fmt::print(" {:.3g} |", number(stage));
      fmt::print("\n");
    };
    row("median", [](const Times& t) { return t.quantile(0.5); });
    row("p99", [](const Times& t) { return t.quantile(0.99); });
    row("mean", [](const Times& t) { return t.mean(); });
  }

  const std::string& name() const { return name_; }
  const FeatureExtractor& extractor() const { return *extractor_; }
  const LoopDetector& detector() const { return *detector_; }
  std::size_t closures() const { return closures_; }
  double mean_ms() const { return stages_.back().mean(); }
  double mean_extract_ms() const { return stages_.front().mean(); }

 private:
  std::string name_;
  FeatureKind kind_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::unique_ptr<LoopDetector> detector_;
  std::array<Times, kStages.size()> stages_;
  std::size_t closures_ = 0;
};

void print_table(const std::string& names, const Drive& drive, const Times& read,
                 const std::vector<Contender>& contenders) {
  fmt::print("\n| {}, {} frames, ms |", names, drive.frames);
  for (const char* stage : kStages) fmt::print(" {} |", stage);
  fmt::print("\n|---|");
  for (std::size_t s = 0; s < kStages.size(); ++s) fmt::print("---|");
  fmt::print("\n");
  for (const Contender& contender : contenders) contender.print();
  fmt::print("\nread: median {:.3g}, p99 {:.3g} ms\n", read.quantile(0.5), read.quantile(0.99));
  const Contender& first = contenders.front();
  for (const Contender& contender : contenders) {
    fmt::print(
        "{}: {} closures; takes {:.2f} times what {} takes of a frame, {:.2f} of extraction;"
        " the index keeps {:.0f} bytes of a frame\n",
        contender.name(), contender.closures(), contender.mean_ms() / first.mean_ms(), first.name(),
        contender.mean_extract_ms() / first.mean_extract_ms(),
        contender.detector().index().memory().bytes_per_frame());
  }
  std::fflush(stdout);
}

/// All detectors see every image, in turn.
void measure(const std::string& names, const Job& job) {
  const Drive drive = open_drive(names, job.frames);
  std::vector<Contender> contenders;
  for (const std::string& name : job.detectors) contenders.emplace_back(name, job, drive);
  Times read;
  for (const auto& part : drive.parts) {
    for (std::size_t i = 0; i < std::min(job.frames, part->size()); ++i) {
      const double start = thread_ms();
      const auto frame = part->next();
      read.add(thread_ms() - start);
      if (!frame) break;
      for (Contender& contender : contenders) contender.see(frame->image);
    }
  }
  print_table(names, drive, read, contenders);
}

/// Processor time of all threads, in milliseconds.
double process_ms() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

/// Gigabytes by a line of /proc/self/status.
double resident_gb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssAnon:", 0) == 0) return std::stod(line.substr(8)) / 1048576;
  }
  return 0;
}

/// From the sequence to closures as `looptree detect` does it: reading and extraction run ahead.
void stream(const std::string& names, const Job& job) {
  for (const std::string& name : job.detectors) {
    const Drive drive = open_drive(names, job.frames);
    Contender contender(name, job, drive);
    const auto start = std::chrono::steady_clock::now();
    const double busy = process_ms();
    const double before = resident_gb();
    std::size_t frames = 0;
    for (const auto& part : drive.parts) {
      FeatureStream features(*part, contender.extractor());
      for (std::size_t i = 0; i < std::min(job.frames, part->size()); ++i, ++frames) {
        const auto frame = features.next();
        if (!frame) break;
        if (!frame->error) contender.decide(frame->features, frame->extract_ms);
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const double n = static_cast<double>(frames);
    const double ms = (process_ms() - busy) / n;
    fmt::print(
        "{}, {}: {} frames, {} closures; {:.1f} frames/s by the clock, {:.2f} ms of the "
        "processor a frame, which is {:.0f} frames/s of two idle cores; memory grew by {:.1f} KB a "
        "frame\n",
        names, name, frames, contender.closures(), n / took.count(), ms, 2e3 / ms,
        (resident_gb() - before) * 1048576 / n);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  CLI::App app{
      "Measures a frame from pixels to decision, stage by stage, several detectors in turn"};
  app.add_option("SEQUENCE", job.sequences,
                 "What `looptree detect` takes; monday+tuesday are driven one after the other. "
                 "Default: demo");
  app.add_option("--detectors", job.detectors,
                 "orb, cv-orb, learned, ...; before: OpenCV's ORB in the detector of looptree 0.1. "
                 "The first is what the others are compared with")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--frames", job.frames, "Of each sequence the first so many");
  app.add_option("--vocabulary", job.vocabulary, "For all detectors; default: the box's");
  app.add_flag("--stream", job.stream,
               "Frames per second of the whole, on all cores, instead of stages");
  CLI11_PARSE(app, argc, argv);
  if (job.sequences.empty()) job.sequences = {"demo"};
  try {
    cv::setNumThreads(1);
    fmt::print("SIMD level {}, processor time\n", simd_level());
    for (const std::string& names : job.sequences) {
      job.stream ? stream(names, job) : measure(names, job);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}

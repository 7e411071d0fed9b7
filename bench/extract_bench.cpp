// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What it costs to extract ORB from an image, stage by stage, beside OpenCV's ORB as looptree used
// it before, image by image in turn, in one thread (docs/features.md).
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/simd.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/features/detail/orb_stages.hpp"
#include "looptree/features/opencv/cv_orb.hpp"

namespace {

using namespace looptree;

/// Milliseconds of one stage, image by image.
struct Stage {
  std::string name;
  std::vector<double> ms;

  double quantile(double part) const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  void print() const {
    fmt::print("  {:14} median {:7.3f} ms   p99 {:7.3f} ms\n", name, quantile(0.5), quantile(0.99));
  }
};

/// Time of the processor that this thread got: others on the machine do not count.
double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double milliseconds(const std::function<void()>& work) {
  const double start = thread_ms();
  work();
  return thread_ms() - start;
}

void measure(const std::string& name, std::size_t count) {
  const auto sequence = open_sequence(name);
  const std::size_t stride = std::max<std::size_t>(1, sequence->size() / count);
  const OrbOptions options;
  const auto before = make_cv_orb(options);
  detail::OrbStages stages;
  Stage whole{"looptree", {}};
  Stage opencv{"cv::ORB", {}};
  std::vector<Stage> parts{
      {"pyramid", {}}, {"corners", {}}, {"orientation", {}}, {"blur", {}}, {"descriptors", {}}};
  std::vector<double> ratios;
  std::size_t features = 0;
  std::size_t cv_features = 0;
  Image image;
  for (std::size_t i = 0; i * stride < sequence->size() && i < count; ++i) {
    image = sequence->image(i * stride);
    stages.extract(image, options);  // both find the image in the caches
    detail::OrbTimes times;
    whole.ms.push_back(
        milliseconds([&] { features += stages.extract(image, options, &times).size(); }));
    opencv.ms.push_back(milliseconds([&] { cv_features += before->extract(image).size(); }));
    ratios.push_back(opencv.ms.back() / whole.ms.back());
    const double seconds[] = {times.pyramid, times.corners, times.orientation, times.blur,
                              times.descriptors};
    for (std::size_t s = 0; s < parts.size(); ++s) parts[s].ms.push_back(seconds[s] * 1e3);
  }
  const double images = static_cast<double>(whole.ms.size());
  fmt::print("{}: {} images of {} x {}, {:.0f} features ({:.0f} by cv::ORB)\n", name,
             whole.ms.size(), image.width, image.height, static_cast<double>(features) / images,
             static_cast<double>(cv_features) / images);
  for (const Stage& part : parts) part.print();
  whole.print();
  opencv.print();
  fmt::print("  {:14} {:.2f} times as fast (median of images)\n", "",
             Stage{"", ratios}.quantile(0.5));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(
        stderr,
        "usage: extract_bench IMAGES SEQUENCE...\n"
        "IMAGES of each sequence, spread over it; a SEQUENCE is what `looptree detect` takes: a "
        "folder, a video, demo.\n");
    return 2;
  }
  try {
    cv::setNumThreads(1);
    fmt::print("SIMD level {}\n", simd_level());
    const auto count = static_cast<std::size_t>(std::max(1, std::atoi(argv[1])));
    for (int i = 2; i < argc; ++i) measure(argv[i], count);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What it costs to extract ORB and learned features from an image, stage by stage, beside OpenCV's
// ORB, image by image in turn, in one thread (docs/features.md).
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/simd.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/features/detail/learned/learned_stages.hpp"
#include "looptree/features/detail/learned/network.hpp"
#include "looptree/features/detail/orb/orb_stages.hpp"
#include "looptree/features/opencv/cv_orb.hpp"

#include "clocks.hpp"

namespace {

using namespace looptree;
using bench::thread_ms;

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
double milliseconds(const std::function<void()>& work) {
  const double start = thread_ms();
  work();
  return thread_ms() - start;
}

/// One way to extract features: the whole of it, and its stages.
struct Contender {
  Stage whole;
  std::vector<Stage> parts;
  std::size_t features = 0;

  void add(const std::vector<double>& seconds) {
    for (std::size_t s = 0; s < parts.size(); ++s) parts[s].ms.push_back(seconds[s] * 1e3);
  }
  void print() const {
    const auto images = static_cast<double>(whole.ms.size());
    fmt::print(" {}: {:.0f} features per image\n", whole.name,
               static_cast<double>(features) / images);
    for (const Stage& part : parts) part.print();
    Stage{"whole", whole.ms}.print();
  }
};

class OrbContender {
 public:
  void extract(const Image& image) {
    stages_.extract(image, options_);  // finds the image in the caches, as the others do
    detail::OrbTimes t;
    result.whole.ms.push_back(
        milliseconds([&] { result.features += stages_.extract(image, options_, &t).size(); }));
    result.add({t.pyramid, t.corners, t.orientation, t.blur, t.descriptors});
  }
  Contender result{
      {"OrbExtractor", {}},
      {{"pyramid", {}}, {"corners", {}}, {"orientation", {}}, {"blur", {}}, {"descriptors", {}}}};

 private:
  detail::OrbStages stages_;
  OrbOptions options_;
};

class LearnedContender {
 public:
  explicit LearnedContender(const std::string& network) : net_(detail::read_network(network)) {}

  void extract(const Image& image) {
    const std::size_t features = LearnedOptions().max_features;
    stages_.extract(image, net_, features);
    detail::LearnedTimes t;
    result.whole.ms.push_back(milliseconds(
        [&] { result.features += stages_.extract(image, net_, features, &t).size(); }));
    result.add({t.input, t.fine, t.coarse, t.joined, t.keypoints, t.descriptors});
  }
  std::size_t memory() const { return stages_.memory(); }
  Contender result{{"LearnedExtractor", {}},
                   {{"input", {}},
                    {"layers a, b", {}},
                    {"layers c, d", {}},
                    {"sum, layer f", {}},
                    {"keypoints", {}},
                    {"descriptors", {}}}};

 private:
  detail::PackedNetwork net_;
  detail::LearnedStages stages_;
};

void measure(const std::string& name, std::size_t count, const std::string& network) {
  const auto sequence = open_sequence(name);
  const std::size_t stride = std::max<std::size_t>(1, sequence->size() / count);
  const auto cv_orb = make_cv_orb();
  Contender opencv{{"cv::ORB", {}}, {}};
  OrbContender orb;
  LearnedContender learned(network);
  Image image;
  for (std::size_t i = 0; i * stride < sequence->size() && i < count; ++i) {
    image = sequence->image(i * stride);
    orb.extract(image);
    learned.extract(image);
    opencv.whole.ms.push_back(
        milliseconds([&] { opencv.features += cv_orb->extract(image).size(); }));
  }
  fmt::print("{}: {} images of {} x {}\n", name, opencv.whole.ms.size(), image.width, image.height);
  orb.result.print();
  learned.result.print();
  fmt::print("  {:14} {:.1f} MB\n", "memory", static_cast<double>(learned.memory()) * 1e-6);
  opencv.print();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(
        stderr,
        "usage: extract_bench IMAGES [--network FILE] SEQUENCE...\n"
        "IMAGES of each sequence, spread over it; a SEQUENCE is what `looptree detect` takes: a "
        "folder, a video, demo. Learned features use the weights in FILE, or those in the box.\n");
    return 2;
  }
  try {
    cv::setNumThreads(1);
    fmt::print("SIMD level {}\n", simd_level());
    const auto count = static_cast<std::size_t>(std::max(1, std::atoi(argv[1])));
    std::string network;
    for (int i = 2; i < argc; ++i) {
      if (std::string(argv[i]) == "--network" && i + 1 < argc) {
        network = argv[++i];
      } else {
        measure(argv[i], count, network);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include <unistd.h>

#include "looptree/vocabulary/vocabulary.hpp"

#include "bench/vocabulary/benches.hpp"
#include "bench/vocabulary/timing.hpp"

namespace looptree::bench {
namespace {

namespace fs = std::filesystem;

/// The peak of loading a file, above what the process has before, in MB. Runs in a process of its
/// own, which no earlier work has left memory in.
double peak_of_loading(const fs::path& file) {
  const std::string command = "/proc/" + std::to_string(getpid()) + "/exe peak " + file.string();
  std::FILE* pipe = popen(command.c_str(), "r");
  double peak = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &peak) != 1) std::perror("cannot measure");
  if (pipe != nullptr) pclose(pipe);
  return peak;
}

}  // namespace

void print_peak(const fs::path& file) {
  const double before = memory_mb("VmRSS:");
  const Vocabulary vocabulary = Vocabulary::load(file);
  std::printf("%f\n", memory_mb("VmHWM:") - before);
}

void bench_load(const MillionWords& files) {
  std::printf("\nLoading 1,000,000 words (k=10, L=6, 256 bits); files in the page cache\n");
  const Vocabulary once = Vocabulary::load(files.text);
  const double peak = peak_of_loading(files.text);
  const std::vector<double> times =
      interleaved(CLOCK_MONOTONIC, 7,
                  {
                      [&] { Vocabulary::load(files.text); },
                      [&] { Vocabulary::load(files.own); },
                      [&] { Vocabulary::load(files.own, {.verify = false}); },
                  });
  const double megabytes = static_cast<double>(fs::file_size(files.text)) / 1e6;
  const double result = static_cast<double>(once.memory_bytes()) / 1e6;
  std::printf("  ORB-SLAM text, %.0f MB            %8.1f ms   (%.0f MB/s)\n", megabytes, times[0],
              megabytes / times[0] * 1e3);
  std::printf("    peak memory %.0f MB for a result of %.0f MB: %.2fx\n", peak, result,
              peak / result);
  std::printf("  looptree, %.0f MB, verified        %8.1f ms\n", result, times[1]);
  std::printf("  looptree, structure only          %8.1f ms\n", times[2]);
  std::printf(
      "  rivals, as published: ORB-SLAM2 text 12,060 ms on an i7, 77,000 ms on ARM; its binary\n"
      "  patch 200 ms and 1000 ms (ORB_SLAM2 PR#21); 180,000 ms on a Raspberry Pi 2 "
      "(ORB_SLAM#99);\n"
      "  DBoW2 YAML an hour for 50 MB (DBoW2#65); ~2 GB peak through FileStorage (ORB_SLAM#49)\n");
}

}  // namespace looptree::bench

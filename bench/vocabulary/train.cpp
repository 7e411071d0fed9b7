// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "looptree/common/parallel.hpp"
#include "looptree/vocabulary/training.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "bench/vocabulary/benches.hpp"
#include "bench/vocabulary/timing.hpp"

namespace looptree::bench {

void bench_train(std::size_t rows) {
  constexpr std::size_t kPerImage = 1000;
  rows = std::max<std::size_t>(1, rows / kPerImage) * kPerImage;
  RandomRows random(4);
  Descriptors descriptors;
  descriptors.bytes.resize(rows * kBytes);
  std::vector<Row> places(rows / 20 + 1);
  for (Row& place : places) place = random.row();
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = random.near(places[random.next() % places.size()], 3);
    std::memcpy(&descriptors.bytes[i * kBytes], row.data(), kBytes);
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  std::uint32_t words = 0;
  const double time = milliseconds(CLOCK_MONOTONIC, [&] {
    words = train_vocabulary(descriptors.view(),
                             std::vector<std::size_t>(rows / kPerImage, kPerImage), {})
                .size();
  });
  std::printf("\nTraining k=10, L=6 on %zu descriptors of 256 bits, %zu threads\n", rows,
              thread_count());
  std::printf("  %u words in %.1f s, %.0f descriptors per second, peak %.0f MB\n", words,
              time / 1e3, static_cast<double>(rows) / time * 1e3, memory_mb("VmHWM:"));
}

}  // namespace looptree::bench

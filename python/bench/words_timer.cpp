// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The C++ side of python/bench/words.py: for every line it reads, quantises the same rows once and
// prints how many nanoseconds of this thread's time that took.
//
//   python_words_timer VOCABULARY ROWS.u8 HOW_MANY
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <time.h>

#include "looptree/vocabulary/descriptor_file.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace {

using namespace looptree;

long long thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void run(const char* vocabulary_path, const char* rows_path, std::size_t count) {
  const Vocabulary vocabulary = Vocabulary::load(vocabulary_path);
  const ImageDescriptors images = read_descriptor_file(rows_path);
  const DescriptorView rows = images.descriptors.view().rows(0, count);
  while (true) {
    const int c = std::getchar();
    if (c == EOF) return;
    if (c != '\n') continue;
    const long long start = thread_ns();
    const std::vector<WordId> words = vocabulary.words(rows);
    const long long end = thread_ns();
    std::printf("%lld %u\n", end - start, words.back().value);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    run(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

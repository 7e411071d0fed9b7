// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// An insertion that runs out of memory, at whichever allocation, changes nothing: the index answers
// as before, and the next frame gets the id that this one would have got.
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/pooled_index.hpp"

#include "tests/allocations.hpp"

namespace looptree {
namespace {

// Allocations until one fails; negative: none does.
thread_local std::int64_t allocations_left = -1;

void fail_the_last(std::size_t) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
}

class OutOfMemory : public testing::TestWithParam<const char*> {};

TEST_P(OutOfMemory, InsertsAllOrNone) {
  WordStreamOptions options;
  options.vocabulary_size = 2000;
  options.landmarks = 60;
  const WordStream words(options);
  const std::vector<double> weights(words.word_weights().begin(), words.word_weights().end());
  const auto frame = [&](std::uint64_t i) {
    return make_histogram(words.frame(i), words.word_weights());
  };
  PooledIndex index({options.vocabulary_size, Topology::parse(GetParam()), weights});
  ExhaustiveIndex oracle(options.vocabulary_size);
  std::size_t failures = 0;
  test::on_allocation = fail_the_last;
  // Across the first rows (512 frames) and the end of a chunk of sessions (1024).
  for (std::uint32_t next = 0; next < 1040;) {
    const bool hard = next < 4 || (next > 508 && next < 516) || (next > 1020 && next < 1030);
    const std::vector<Histogram> both = {frame(next), frame(next + 1)};
    for (std::int64_t left = hard ? 0 : -1;; ++left) {
      allocations_left = left;
      try {
        index.insert(both);
        allocations_left = -1;
        break;
      } catch (const std::bad_alloc&) {
        allocations_left = -1;
        ++failures;
        ASSERT_EQ(index.size(), next);
        ASSERT_EQ(index.next_id(), FrameId{next});
      }
    }
    for (const Histogram& one : both) oracle.insert(one);
    next += 2;
    if (!hard && next % 100 != 0) continue;
    const QueryOptions query{.top_k = 20};
    ASSERT_EQ(index.query(frame(next - 1), query).matches,
              oracle.query(frame(next - 1), query).matches);
  }
  EXPECT_GT(failures, 100u);
}

INSTANTIATE_TEST_SUITE_P(Topologies, OutOfMemory, testing::Values("d1", "d2b4-max", "d3b4-sum"));

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// A filter may ask a second index while the first is searched: the answers are those of a filter
// that was made up beforehand.
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree {
namespace {

struct TwoDrives {
  explicit TwoDrives(const WordStreamOptions& options)
      : words(options),
        first({options.vocabulary_size, {}, weights()}),
        second({options.vocabulary_size, Topology::parse("d2b4-max"), weights()}) {
    for (std::uint32_t i = 0; i < 3000; ++i) first.insert(frame(i));
    for (std::uint32_t i = 0; i < 900; ++i) second.insert(frame(3 * i));
  }

  std::vector<double> weights() const {
    return {words.word_weights().begin(), words.word_weights().end()};
  }
  Histogram frame(std::uint64_t i) const {
    return make_histogram(words.frame(i), words.word_weights());
  }
  /// Whether the second index knows a place like this one.
  bool known(FrameId frame_id) const {
    const QueryOptions options{.top_k = 3, .threshold = 0.15};
    return second.query(frame(frame_id.value), options).matches.size() % 2 == 1;
  }

  WordStream words;
  PooledIndex first;
  PooledIndex second;
};

TEST(NestedQuery, AFilterThatAsksAnotherIndexDoesNotDisturbTheSearch) {
  for (const std::uint32_t vocabulary : {500u, 200'000u}) {
    WordStreamOptions options;
    options.vocabulary_size = vocabulary;
    options.landmarks = 80;
    options.new_frames = 1000;
    options.revisit_frames = 200;
    const TwoDrives drives(options);
    std::set<FrameId> known;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      if (drives.known(FrameId{i})) known.insert(FrameId{i});
    }
    for (const std::uint64_t asked : {30u, 1400u, 2500u, 5000u}) {
      for (const double threshold : {0.0, 0.15, 0.2}) {
        for (const std::size_t top_k : {std::size_t{10}, QueryOptions::kUnlimited}) {
          QueryOptions expected{.top_k = top_k, .threshold = threshold};
          QueryOptions nested = expected;
          expected.filter.accept = [&](FrameId frame) { return known.contains(frame); };
          nested.filter.accept = [&](FrameId frame) { return drives.known(frame); };
          const Histogram query = drives.frame(asked);
          EXPECT_EQ(drives.first.query(query, nested).matches,
                    drives.first.query(query, expected).matches)
              << asked << ", threshold " << threshold << ", top " << top_k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace looptree

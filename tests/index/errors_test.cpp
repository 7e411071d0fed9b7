// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/grouping.hpp"
#include "looptree/index/pooled_index.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::words;

constexpr std::uint32_t kWords = 50;

/// Bad histograms for an index of 50 words, each with a piece of the message it deserves.
std::vector<std::pair<std::string, Histogram>> bad_histograms() {
  return {
      {"at least one word, found none", Histogram()},
      {"words below 50, the size of the vocabulary; found word 50", {words({3, 50}), {0.5, 0.5}}},
      {"weights that sum to 1, found 2", {words({3, 4}), {1, 1}}},
      {"weights that sum to 1, found 0.25", {words({3}), {0.25}}}};
}

std::vector<std::pair<std::string, QueryOptions>> bad_options() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {{"threshold from 0 to 1, found nan", {.threshold = nan}},
          {"threshold from 0 to 1, found -0.1", {.threshold = -0.1}},
          {"threshold from 0 to 1, found 1.5", {.threshold = 1.5}},
          {"slack from 0 to 1, found 2", {.slack = 2}},
          {"top_k of at least 1, found 0", {.top_k = 0}},
          {"beam of at least 1, found 0", {.beam = 0}}};
}

TEST(Errors, LeaveTheIndexAsItWas) {
  for (const char* name : {"d1", "d2b4-mean", "d3b2-max"}) {
    test::RandomRoute route(4, kWords);
    PooledIndex index({kWords, Topology::parse(name)});
    index.insert(route.take(30));
    const Histogram probe = route.next();
    const std::vector<Match> before = index.query(probe).matches;
    for (const auto& [why, bad] : bad_histograms()) {
      expect_error(ErrorKind::invalid_argument, why, [&, &bad = bad] { index.insert(bad); });
      expect_error(ErrorKind::invalid_argument, why, [&, &bad = bad] { index.query(bad); });
      const std::vector<Histogram> batch = {probe, bad};
      expect_error(ErrorKind::invalid_argument, why, [&] { index.insert(batch); });
      expect_error(ErrorKind::invalid_argument, why, [&] { index.query(batch); });
    }
    for (const auto& [why, options] : bad_options()) {
      expect_error(ErrorKind::invalid_argument, why,
                   [&, &options = options] { index.query(probe, options); });
    }
    EXPECT_EQ(index.size(), 30u);
    EXPECT_EQ(index.next_id(), FrameId{30});
    EXPECT_EQ(index.query(probe).matches, before);
  }
}

TEST(Errors, TheOracleRefusesTheSame) {
  ExhaustiveIndex index(kWords);
  const Histogram good(words({1}), {1});
  index.insert(good);
  for (const auto& [why, bad] : bad_histograms()) {
    expect_error(ErrorKind::invalid_argument, why, [&, &bad = bad] { index.insert(bad); });
    expect_error(ErrorKind::invalid_argument, why, [&, &bad = bad] { index.query(bad); });
  }
  for (const auto& [why, options] : bad_options()) {
    expect_error(ErrorKind::invalid_argument, why,
                 [&, &options = options] { index.query(good, options); });
  }
  EXPECT_EQ(index.size(), 1u);
}

TEST(Errors, AnIndexNeedsAVocabulary) {
  expect_error(ErrorKind::invalid_argument, "vocabulary_size 0", [] { PooledIndex index({}); });
  expect_error(ErrorKind::invalid_argument, "vocabulary_size 0", [] { ExhaustiveIndex index(0); });
  expect_error(ErrorKind::invalid_argument, "each of the 50 words, found 1", [] {
    PooledIndex index({kWords, {}, {1.0}});
  });
}

TEST(Errors, GivenGroupsPlaceOnlySoManyFrames) {
  PooledIndex index({kWords, Topology::grouped({{0, 0, 1}}, Pooling::max)});
  const Histogram frame(words({1}), {1});
  for (int i = 0; i < 3; ++i) index.insert(frame);
  expect_error(ErrorKind::invalid_argument, "the 3 frames that the given groups place",
               [&] { index.insert(frame); });
  EXPECT_EQ(index.size(), 3u);
}

}  // namespace
}  // namespace looptree

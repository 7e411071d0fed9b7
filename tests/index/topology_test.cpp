// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/topology.hpp"

#include <gtest/gtest.h>

#include "looptree/histogram/scores.hpp"
#include "looptree/index/grouping.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::words;

TEST(Topology, NamesAreParsedAndPrintedAlike) {
  for (const char* name : {"d1", "d2b4-mean", "d2b16-sum", "d3b8-max", "d32b2-max"}) {
    EXPECT_EQ(Topology::parse(name).name(), name);
  }
  const Topology topology = Topology::parse("d3b8-mean");
  EXPECT_EQ(topology.depth(), 3u);
  EXPECT_EQ(topology.branching(), 8u);
  EXPECT_EQ(topology.pooling(), Pooling::mean);
  EXPECT_FALSE(topology.is_exact());
  EXPECT_TRUE(Topology::parse("d1").is_exact());
  EXPECT_EQ(Topology(), Topology::parse("d1"));
}

TEST(Topology, RefusesOtherNames) {
  for (const char* name :
       {"", "d", "d2", "d2b", "d2b4", "d2b4-", "d2b4-min", "d2b4-mean ", "b4d2-max", "d2b4mean",
        "d-2b4-max", "D2B4-MAX", "d1b4-max-", "d99999999999999999999"}) {
    expect_error(ErrorKind::invalid_argument, "d2b16-mean", [&] { Topology::parse(name); });
  }
  expect_error(ErrorKind::invalid_argument, "found 0", [] { Topology::parse("d0b4-max"); });
  expect_error(ErrorKind::invalid_argument, "found 33", [] { Topology::parse("d33b4-max"); });
  expect_error(ErrorKind::invalid_argument, "found 1", [] { Topology::parse("d2b1-max"); });
}

TEST(Topology, GivenGroupsMustFit) {
  const auto refused = [](const std::string& why, std::vector<Groups> layers) {
    expect_error(ErrorKind::invalid_argument, why,
                 [&] { Topology::grouped(std::move(layers), Pooling::max); });
  };
  refused("found 0", {});
  refused("groups for layer 0, found none", {{}});
  refused("found group 0 of 2 empty", {{1, 1}});
  refused("found group number 7", {{0, 7}});
  refused("place the 2 groups below it, found 3", {{0, 1, 1}, {0, 0, 0}});
  const Topology topology = Topology::grouped({{0, 1, 1}, {0, 0}}, Pooling::sum);
  EXPECT_EQ(topology.depth(), 3u);
  EXPECT_EQ(topology.name(), "grouped(3)-sum");
}

TEST(Groups, RandomOnesHaveTheSizeAskedForAndFollowTheSeed) {
  const Groups groups = random_groups(103, 16, 1);
  std::vector<int> sizes(7);
  for (const std::uint32_t group : groups) ++sizes.at(group);
  EXPECT_EQ(sizes, (std::vector<int>{16, 16, 16, 16, 16, 16, 7}));
  EXPECT_EQ(groups, random_groups(103, 16, 1));
  EXPECT_NE(groups, random_groups(103, 16, 2));
  expect_error(ErrorKind::invalid_argument, "found 0", [] { random_groups(5, 0, 1); });
}

TEST(Groups, AffinityTakesTheNearestFreeOnes) {
  test::RandomRoute route(2, 40);
  const std::vector<Histogram> items = route.take(60);
  const Groups groups = affinity_groups(items, 4);
  Groups expected(items.size(), ~0u);
  std::uint32_t group = 0;
  for (std::size_t leader = 0; leader < items.size(); ++leader) {
    if (expected[leader] != ~0u) continue;
    expected[leader] = group;
    for (int taken = 1; taken < 4; ++taken) {
      double best = -1;
      std::size_t nearest = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (expected[i] != ~0u || intersection(items[leader], items[i]) <= best) continue;
        best = intersection(items[leader], items[i]);
        nearest = i;
      }
      if (best >= 0) expected[nearest] = group;
    }
    ++group;
  }
  EXPECT_EQ(groups, expected);
  Topology::grouped({groups}, Pooling::max);  // without gaps
}

TEST(Groups, LabelsAreNumberedAsTheyAppear) {
  const std::vector<std::uint32_t> labels = {7, 7, 3, 9, 3};
  EXPECT_EQ(label_groups(labels), (Groups{0, 0, 1, 2, 1}));
}

TEST(Groups, PoolWordByWord) {
  const std::vector<Histogram> items = {
      {words({1, 2}), {0.5, 0.5}}, {words({2}), {1}}, {words({4}), {1}}};
  const Groups groups = {0, 0, 1};
  EXPECT_EQ(pool(items, groups, Pooling::max)[0], Histogram(words({1, 2}), {0.5, 1}));
  EXPECT_EQ(pool(items, groups, Pooling::sum)[0], Histogram(words({1, 2}), {0.5, 1.5}));
  EXPECT_EQ(pool(items, groups, Pooling::mean)[0], Histogram(words({1, 2}), {0.25, 0.75}));
  EXPECT_EQ(pool(items, groups, Pooling::mean)[1], items[2]);
  expect_error(ErrorKind::invalid_argument, "found 1 for 3",
               [&] { pool(items, {0}, Pooling::sum); });
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/place_filter.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "looptree/detect/detail/candidates.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

/// Viterbi over every frame of a map, written down plainly: the evidence of each, by direction.
class PlainFilter {
 public:
  explicit PlainFilter(const PlaceFilterOptions& options) : options_(options) {}

  std::map<std::uint32_t, double> update(const std::vector<Match>& matches) {
    std::map<std::uint32_t, double> best;
    for (const int way : {1, -1}) {
      auto& ends = way > 0 ? forwards_ : backwards_;
      std::map<std::uint32_t, End> now;
      for (const Match& match : matches) now[match.frame.value] = {gain(match, matches), 0};
      for (auto& [frame, end] : now) {
        double before = 0;
        for (const auto& [from, last] : ends) {
          const long long step = way * (static_cast<long long>(frame) - from);
          const long long most = options_.max_step * (static_cast<long long>(last.missed) + 1);
          if (step >= 0 && step <= most) before = std::max(before, last.evidence);
        }
        end.evidence += options_.memory * before;
        best[frame] = std::max(best[frame], end.evidence);
      }
      for (const auto& [frame, end] : ends) {
        if (now.contains(frame) || end.missed >= options_.max_missed) continue;
        now[frame] = {options_.memory * end.evidence, end.missed + 1};
      }
      ends = now;
    }
    return best;
  }

 private:
  struct End {
    double evidence = 0;
    std::size_t missed = 0;
  };

  double gain(const Match& match, const std::vector<Match>& matches) const {
    std::vector<double> scores;
    for (const Match& m : matches) scores.push_back(m.score);
    std::sort(scores.begin(), scores.end());
    return std::clamp(match.score / scores[scores.size() / 2] - 1, 0.0, options_.max_gain);
  }

  PlaceFilterOptions options_;
  std::map<std::uint32_t, End> forwards_;
  std::map<std::uint32_t, End> backwards_;
};

/// Matches of chance: `count` of `frames`, with scores near each other.
std::vector<Match> chance(std::uint32_t frames, std::size_t count, std::mt19937& random) {
  std::map<std::uint32_t, double> drawn;
  while (drawn.size() < count) {
    drawn[static_cast<std::uint32_t>(random() % frames)] =
        0.1 + 0.02 * static_cast<double>(random() % 1000) / 1000;
  }
  std::vector<Match> matches;
  for (const auto& [frame, score] : drawn) matches.push_back({FrameId(frame), score});
  std::shuffle(matches.begin(), matches.end(), random);
  return matches;
}

void set_score(std::vector<Match>& matches, std::uint32_t frame, double score) {
  std::erase_if(matches, [&](const Match& m) { return m.frame.value == frame; });
  matches.push_back({FrameId(frame), score});
}

TEST(PlaceFilter, EqualsViterbiOverAllWays) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const PlaceFilterOptions options{
        .memory = 0.8, .max_step = 1 + seed % 4, .max_missed = seed % 3};
    PlaceFilter filter(options);
    PlainFilter plain(options);
    for (int i = 0; i < 30; ++i) {
      const std::size_t count = i % 7 == 3 ? 0 : 1 + random() % 40;
      const std::vector<Match> matches = chance(300, count, random);
      const std::vector<Place> places = filter.update(matches);
      const auto expected = plain.update(matches);
      ASSERT_EQ(places.size(), expected.size());
      for (const Place& place : places) {
        EXPECT_DOUBLE_EQ(place.evidence, expected.at(place.frame.value)) << seed << ", " << i;
      }
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.evidence != b.evidence ? a.evidence > b.evidence : a.frame < b.frame;
      }));
    }
  }
}

/// The true place scores no more than the best of chance, at any speed and in either direction.
TEST(PlaceFilter, FindsThePlaceThatNoSingleImageIsSureOf) {
  for (const double speed : {0.0, 0.5, 1.0, 2.5, 4.0, -1.0, -3.0}) {
    std::mt19937 random(7);
    PlaceFilter filter;
    double at = speed < 0 ? 900 : 300;
    std::size_t first = 0;
    for (int i = 0; i < 60; ++i) {
      auto matches = chance(1200, 100, random);
      const auto here = static_cast<std::uint32_t>(at);
      if (i % 4 != 1) set_score(matches, here, 0.12);  // not every image sees it
      const auto places = apart(filter.update(matches), 5, 1);
      ASSERT_EQ(places.size(), 1U);
      const auto error = std::abs(static_cast<double>(places[0].frame.value) - at);
      if (i >= 30 && error <= 10) ++first;
      at += speed * (i % 10 < 5 ? 0.7 : 1.2);
    }
    EXPECT_GE(first, 27U) << speed;
  }
}

TEST(PlaceFilter, OneStrongImageDoesNotDecideForLong) {
  std::mt19937 random(3);
  PlaceFilter filter({.memory = 0.9, .max_gain = 1});
  auto matches = chance(1200, 100, random);
  set_score(matches, 700, 0.9);
  EXPECT_EQ(filter.update(matches)[0].frame, FrameId(700));
  std::uint32_t at = 100;
  std::vector<Place> places;
  for (int i = 0; i < 25; ++i, ++at) {
    matches = chance(1200, 100, random);
    set_score(matches, at, 0.13);
    places = filter.update(matches);
  }
  EXPECT_NEAR(places[0].frame.value, at, 5);
}

TEST(PlaceFilter, DoesNotDependOnTheOrderOfMatches) {
  std::mt19937 random(5);
  PlaceFilter a;
  PlaceFilter b;
  for (int i = 0; i < 20; ++i) {
    auto matches = chance(400, 60, random);
    const auto of_a = a.update(matches);
    std::reverse(matches.begin(), matches.end());
    EXPECT_EQ(of_a, b.update(matches));
  }
}

TEST(PlaceFilter, RemembersSoManyPlacesAndForgetsThem) {
  std::mt19937 random(6);
  PlaceFilter filter({.max_places = 10});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(filter.update(chance(4000, 200, random)).size(), 200U);
  }
  EXPECT_TRUE(filter.update({}).empty());
  PlaceFilter forgetful({.max_missed = 1});
  const std::vector<Match> two{{FrameId(5), 0.9}, {FrameId(6), 0.1}, {FrameId(9), 0.1}};
  forgetful.update(two);
  forgetful.update({});
  forgetful.update({});
  EXPECT_EQ(forgetful.update(two)[0].hits, 1U);
}

TEST(PlaceFilter, TakesTheFirstAndTheLastFrame) {
  PlaceFilter filter;
  const std::uint32_t last = std::numeric_limits<std::uint32_t>::max() - 1;
  const std::vector<Match> matches{{FrameId(0), 0.3}, {FrameId(last), 0.2}, {FrameId(7), 0.1}};
  filter.update(matches);
  EXPECT_EQ(filter.update(matches)[0].hits, 2U);
}

TEST(PlaceFilter, ChecksOptions) {
  test::expect_error(ErrorKind::invalid_argument, "memory", [] { PlaceFilter({.memory = 1}); });
  test::expect_error(ErrorKind::invalid_argument, "max_gain", [] { PlaceFilter({.max_gain = 0}); });
}

TEST(Apart, KeepsTheBestOfNeighbours) {
  const std::vector<Place> places{{FrameId(10), 5, 0, 1},
                                  {FrameId(13), 4, 0, 1},
                                  {FrameId(20), 3, 0, 1},
                                  {FrameId(5), 2, 0, 1}};
  const auto kept = apart(places, 3, 10);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].frame, FrameId(10));
  EXPECT_EQ(kept[1].frame, FrameId(20));
  EXPECT_EQ(kept[2].frame, FrameId(5));
  EXPECT_EQ(apart(places, 3, 1).size(), 1U);
  EXPECT_TRUE(apart({}, 3, 4).empty());
}

TEST(CandidateSearch, TakesAnIslandAndAPlaceInTurn) {
  detail::CandidateSearch search({}, {});
  const std::vector<Match> matches{{FrameId(50), 0.5},  {FrameId(51), 0.4},  {FrameId(90), 0.3},
                                   {FrameId(200), 0.2}, {FrameId(300), 0.1}, {FrameId(310), 0.1}};
  std::vector<detail::Candidate> found;
  for (int i = 0; i < 3; ++i) found = search.update(matches, 3, 0.25, std::nullopt, 8);
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0].frame, FrameId(50));
  EXPECT_EQ(found[0].consistent, 3U);
  // Those below the threshold come by the sequence, and are new to temporal consistency.
  const auto weak = std::find_if(found.begin(), found.end(), [](const detail::Candidate& c) {
    return c.frame == FrameId(200);
  });
  ASSERT_NE(weak, found.end());
  EXPECT_EQ(weak->consistent, 1U);
  EXPECT_EQ(search.update(matches, 3, 0.25, std::nullopt, 2).size(), 2U);
  const detail::Candidate ahead{FrameId(52), 0.1, 9};
  found = search.update(matches, 3, 0.25, ahead, 8);
  EXPECT_EQ(found[0].frame, FrameId(52));
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const auto& c) { return c.frame.value / 10 == 5; }),
            1);
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/fabmap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/evaluate/protocols/incremental.hpp"

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

Histogram image(const std::vector<std::uint32_t>& words) {
  std::vector<WordId> ids;
  for (const std::uint32_t word : words) ids.emplace_back(word);
  return Histogram(ids, std::vector<double>(ids.size(), 1.0)).normalized();
}

/// Images whose words come in pairs more often than chance has it.
std::vector<Histogram> made_images(std::size_t count, std::uint32_t vocabulary,
                                   std::uint64_t seed) {
  Random random(seed);
  std::vector<Histogram> images;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t word = 0; word < vocabulary; ++word) {
      const bool before = !words.empty() && words.back() + 1 == word;
      if (random.below(10) < (before ? 6u : 2u)) words.push_back(word);
    }
    images.push_back(image(words));
  }
  return images;
}

bool has(const Histogram& image, std::uint32_t word) {
  return std::binary_search(image.words().begin(), image.words().end(), WordId{word});
}

std::size_t count(std::span<const Histogram> images, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::size_t>(
      std::count_if(images.begin(), images.end(),
                    [&](const Histogram& image) { return has(image, a) && has(image, b); }));
}

/// Mutual information as it is defined, from probabilities.
double information(std::span<const Histogram> images, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  const auto total = static_cast<double>(images.size());
  for (const bool x : {false, true}) {
    for (const bool y : {false, true}) {
      double both = 0;
      double first = 0;
      double second = 0;
      for (const Histogram& image : images) {
        both += has(image, a) == x && has(image, b) == y ? 1 / total : 0;
        first += has(image, a) == x ? 1 / total : 0;
        second += has(image, b) == y ? 1 / total : 0;
      }
      if (both > 0) sum += both * std::log(both / (first * second));
    }
  }
  return sum;
}

/// The weight of the best spanning tree, by Kruskal's algorithm over all pairs.
double best_tree(std::span<const Histogram> images, std::uint32_t vocabulary) {
  struct Edge {
    double weight;
    std::uint32_t a;
    std::uint32_t b;
  };
  std::vector<Edge> edges;
  for (std::uint32_t a = 0; a < vocabulary; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) edges.push_back({information(images, a, b), a, b});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.weight > y.weight; });
  std::vector<std::uint32_t> part(vocabulary);
  std::iota(part.begin(), part.end(), 0u);
  double sum = 0;
  for (const Edge& edge : edges) {
    const std::uint32_t from = part[edge.a];
    if (from == part[edge.b]) continue;
    std::replace(part.begin(), part.end(), from, part[edge.b]);
    sum += edge.weight;
  }
  return sum;
}

TEST(ChowLiu, IsTheSpanningTreeOfGreatestInformation) {
  constexpr std::uint32_t kWords = 24;
  const std::vector<Histogram> images = made_images(90, kWords, 1);
  const ChowLiuTree tree = learn_chow_liu(images, kWords, {.min_samples = 1});
  ASSERT_EQ(tree.size(), kWords);
  double sum = 0;
  std::size_t roots = 0;
  for (std::uint32_t word = 0; word < kWords; ++word) {
    const std::uint32_t parent = tree[word].parent;
    roots += parent == WordDependence::kNoParent ? 1 : 0;
    if (parent != WordDependence::kNoParent) sum += information(images, word, parent);
    std::size_t steps = 0;  // no circles
    for (std::uint32_t at = word; tree[at].parent != WordDependence::kNoParent;
         at = tree[at].parent)
      ASSERT_LT(++steps, kWords);
  }
  EXPECT_EQ(roots, 1u);
  EXPECT_NEAR(sum, best_tree(images, kWords), 1e-9);
}

TEST(ChowLiu, ProbabilitiesAreSmoothedShares) {
  // Word 1 goes with word 0; word 2 is in every image and word 3 in none.
  const std::vector<Histogram> images = {image({0, 1, 2}), image({0, 1, 2}), image({0, 2}),
                                         image({2}),       image({2}),       image({1, 2})};
  const ChowLiuTree tree = learn_chow_liu(images, 4, {.min_samples = 2});
  EXPECT_EQ(tree[1].parent, 0u);
  EXPECT_DOUBLE_EQ(tree[1].seen, 3.5 / 7);
  EXPECT_DOUBLE_EQ(tree[1].seen_if_parent_is, (2 + 0.5) / (3 + 1));
  EXPECT_DOUBLE_EQ(tree[1].seen_if_parent_is_not, (1 + 0.5) / (3 + 1));
  for (const std::uint32_t alone : {2u, 3u}) {
    EXPECT_EQ(tree[alone].parent, WordDependence::kNoParent);
    EXPECT_DOUBLE_EQ(tree[alone].seen_if_parent_is, tree[alone].seen);
    EXPECT_GT(tree[alone].seen, 0);
    EXPECT_LT(tree[alone].seen, 1);
  }
}

TEST(ChowLiu, MutualInformationOfCounts) {
  const std::vector<Histogram> images = made_images(50, 12, 3);
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < 12; ++b) {
      EXPECT_NEAR(
          mutual_information(50, count(images, a, a), count(images, b, b), count(images, a, b)),
          information(images, a, b), 1e-12);
    }
  }
  EXPECT_EQ(mutual_information(0, 0, 0, 0), 0);
  expect_error(ErrorKind::invalid_argument, "fit 10 samples",
               [] { mutual_information(10, 4, 3, 5); });
}

TEST(ChowLiu, RefusesWhatItCannotLearnFrom) {
  const std::vector<Histogram> images = {image({0, 7})};
  expect_error(ErrorKind::invalid_argument, "found none", [] { learn_chow_liu({}, 8); });
  expect_error(ErrorKind::invalid_argument, "below 7, found 7", [&] { learn_chow_liu(images, 7); });
  expect_error(ErrorKind::invalid_argument, "at least 1 sample",
               [&] { learn_chow_liu(images, 8, {.min_samples = 0}); });
}

/// p(a word is seen or not | its parent is, what makes it is there), as Cummins and Newman print
/// it: 1 / (1 + alpha / beta).
double observed(const WordDependence& word, bool seen, bool parent, bool exists,
                const FabMapOptions& options) {
  const auto of = [&](bool is_seen, double probability) {
    return is_seen ? probability : 1 - probability;
  };
  const double given = parent ? word.seen_if_parent_is : word.seen_if_parent_is_not;
  const double detected = exists ? options.detection : options.false_detection;
  const double alpha = of(seen, word.seen) * of(!seen, detected) * of(!seen, given);
  const double beta = of(!seen, word.seen) * of(seen, detected) * of(seen, given);
  return 1 / (1 + alpha / beta);
}

/// The likelihood by the published formulas, every word and both states of the world.
double by_hand(const ChowLiuTree& tree, const Histogram& query, const Histogram& place,
               const FabMapOptions& options) {
  double sum = 0;
  for (std::uint32_t word = 0; word < tree.size(); ++word) {
    const WordDependence& own = tree[word];
    const bool parent = own.parent != WordDependence::kNoParent && has(query, own.parent);
    const double hit = has(place, word) ? options.detection : 1 - options.detection;
    const double stray = has(place, word) ? options.false_detection : 1 - options.false_detection;
    const double exists = hit * own.seen / (hit * own.seen + stray * (1 - own.seen));
    double likelihood = 0;
    for (const bool there : {false, true}) {
      likelihood +=
          observed(own, has(query, word), parent, there, options) * (there ? exists : 1 - exists);
    }
    sum += std::log(likelihood);
  }
  return sum;
}

TEST(FabMap, LikelihoodsAreThoseOfTheFormulas) {
  constexpr std::uint32_t kWords = 40;
  const std::vector<Histogram> training = made_images(60, kWords, 4);
  const std::vector<Histogram> images = made_images(30, kWords, 5);
  for (const FabMapOptions& options :
       {FabMapOptions{}, FabMapOptions{.detection = 0.8, .false_detection = 0.05},
        FabMapOptions{.tree = {.min_samples = 20}}}) {
    const auto model = std::make_shared<const FabMapModel>(training, kWords, options);
    FabMap map(model);
    for (const Histogram& place : images) map.insert(place);
    for (const Histogram& query : made_images(10, kWords, 6)) {
      const std::vector<double> fast = map.log_likelihoods(query);
      ASSERT_EQ(fast.size(), images.size());
      for (std::size_t i = 0; i < images.size(); ++i) {
        EXPECT_NEAR(fast[i], model->log_likelihood(query, images[i]), 1e-9);
        EXPECT_NEAR(fast[i], by_hand(model->tree(), query, images[i], options), 1e-9);
      }
      const std::vector<double> some = map.log_likelihoods(query, 12);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), fast.begin(), fast.begin() + 12));
    }
  }
}

TEST(FabMap, BeliefsAreBayesRule) {
  constexpr std::uint32_t kWords = 12;
  const std::vector<Histogram> training = made_images(20, kWords, 7);
  for (const std::size_t same_place : {0u, 2u}) {
    const FabMapOptions options{.new_place = 0.7, .same_place = same_place};
    const auto model = std::make_shared<const FabMapModel>(training, kWords, options);
    FabMap map(model);
    const std::vector<Histogram> images = made_images(9, kWords, 8);
    for (const Histogram& place : images) map.insert(place);
    const Histogram query = images[4];
    double of_new = 0;
    for (const Histogram& sample : training) {
      of_new += 0.7 * std::exp(model->log_likelihood(query, sample)) / 20;
    }
    std::vector<double> frames;
    for (const Histogram& place : images) {
      frames.push_back(0.3 / 9 * std::exp(model->log_likelihood(query, place)));
    }
    const double total = std::accumulate(frames.begin(), frames.end(), of_new);
    const FabMapAnswer answer = map.query(query, 9, 9);
    EXPECT_NEAR(answer.new_place_probability, of_new / total, 1e-12);
    EXPECT_EQ(answer.places[0].frame,
              std::max_element(frames.begin(), frames.end()) - frames.begin());
    for (const PlaceBelief& place : answer.places) {
      double own = 0;
      for (std::uint32_t i = 0; i < 9; ++i) {
        const std::uint32_t apart = i > place.frame ? i - place.frame : place.frame - i;
        if (apart <= same_place) own += frames[i];
      }
      EXPECT_NEAR(place.probability, own / total, 1e-12);
      EXPECT_NEAR(place.log_odds, std::log(own / (total - own)), 1e-9);
    }
    if (same_place == 0) {
      EXPECT_EQ(answer.places.size(), 9u);
    }
    EXPECT_EQ(map.query(query, 9, 1).places.size(), 1u);
    EXPECT_TRUE(map.query(query, 9, 9, 1000).places.empty());
    EXPECT_EQ(map.query(query, 0).new_place_probability, 1);
  }
}

TEST(FabMap, FindsTheLoopsOfARouteByItsOwnThreshold) {
  const MadeRoute elsewhere(90, 90, 21);
  const MadeRoute made(260, 120, 22);
  const auto model = std::make_shared<const FabMapModel>(
      elsewhere.histograms, MadeRoute::kVocabularySize, FabMapOptions{});
  const Route route{"made", made.histograms, GroundTruth::by_poses(made.poses, {3, 180})};
  const std::vector<Variant> variants = {make_variant("d1", MadeRoute::kVocabularySize),
                                         make_fabmap(model)};
  const EvaluationResult result =
      incremental(route, MadeRoute::kVocabularySize, variants, {.exclude_recent = 30, .passes = 1});
  const VariantResult& fabmap = result.variants[1];
  EXPECT_EQ(fabmap.name, "fabmap");
  EXPECT_GT(fabmap.metric("average_precision").value(), 0.9);
  EXPECT_EQ(fabmap.metric("precision"), 1.0) << "its own threshold leaves no false alarm";
  EXPECT_EQ(fabmap.metric("recall"), fabmap.metric("recall_at_full_precision"));
  EXPECT_GT(fabmap.metric("threshold").value(), 0);
  EXPECT_FALSE(fabmap.metric("hits_kept")) << "its scores are not intersections";
}

TEST(FabMap, RefusesOptionsOutOfRange) {
  const std::vector<Histogram> training = made_images(5, 8, 9);
  const auto make = [&](FabMapOptions options) { FabMapModel(training, 8, options); };
  expect_error(ErrorKind::invalid_argument, "false detection < detection",
               [&] { make({.detection = 0.2, .false_detection = 0.3}); });
  expect_error(ErrorKind::invalid_argument, "between 0 and 1", [&] { make({.new_place = 1}); });
  FabMap map(std::make_shared<const FabMapModel>(training, 8, FabMapOptions{}));
  expect_error(ErrorKind::invalid_argument, "below 8, found 8", [&] { map.insert(image({8})); });
  expect_error(ErrorKind::invalid_argument, "below 8, found 9", [&] { map.query(image({9})); });
  EXPECT_EQ(map.size(), 0u);
}

}  // namespace
}  // namespace looptree::evaluate

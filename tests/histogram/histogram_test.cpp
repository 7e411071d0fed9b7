// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/histogram.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/histogram/scores.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

using nlohmann::json;
using test::expect_error;
using test::words;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Histogram, DropsWordsOfWeightZero) {
  const Histogram histogram(words({1, 4, 9}), {0.5, 0, 0.5});
  EXPECT_EQ(histogram, Histogram(words({1, 9}), {0.5, 0.5}));
}

TEST(Histogram, RefusesWhatIsOutOfContract) {
  const auto refused = [](const std::string& why, std::vector<WordId> w, std::vector<double> v) {
    expect_error(ErrorKind::invalid_argument, why, [&] { Histogram(std::move(w), std::move(v)); });
  };
  refused("one weight per word, found 2 words and 1", words({1, 2}), {1});
  refused("strictly ascending order, found word 2 after word 5", words({5, 2}), {0.5, 0.5});
  refused("strictly ascending order, found word 5 after word 5", words({5, 5}), {0.5, 0.5});
  refused("finite weight >= 0 for word 3, found nan", words({3}), {kNan});
  refused("finite weight >= 0 for word 3, found inf", words({3}), {kInfinity});
  refused("finite weight >= 0 for word 3, found -0.5", words({3}), {-0.5});
}

TEST(Histogram, NormalisesByEachNorm) {
  const Histogram raw(words({2, 7}), {3, 4});
  EXPECT_EQ(raw.normalized(Norm::l1), Histogram(words({2, 7}), {3.0 / 7, 4.0 / 7}));
  EXPECT_EQ(raw.normalized(Norm::l2), Histogram(words({2, 7}), {0.6, 0.8}));
  EXPECT_EQ(raw.normalized(Norm::size), Histogram(words({2, 7}), {1.5, 2}));
  EXPECT_TRUE(Histogram().normalized().empty());
}

TEST(MakeHistogram, FollowsEachWeighting) {
  const std::vector<double> idf = {0.5, 2, 0, 1};  // word 2 is stopped
  const std::vector<WordId> seen = words({3, 1, 2, 3, 0, 3});
  const auto made = [&](Weighting weighting) {
    return make_histogram(seen, idf, {weighting, Norm::l1});
  };
  EXPECT_EQ(made(Weighting::tf_idf), Histogram(words({0, 1, 3}), {0.5, 2, 3}).normalized());
  EXPECT_EQ(made(Weighting::tf), Histogram(words({0, 1, 3}), {1, 1, 3}).normalized());
  EXPECT_EQ(made(Weighting::idf), Histogram(words({0, 1, 3}), {0.5, 2, 1}).normalized());
  EXPECT_EQ(made(Weighting::binary), Histogram(words({0, 1, 3}), {1, 1, 1}).normalized());
}

TEST(MakeHistogram, NothingOrOnlyStoppedWordsGiveAnEmptyHistogram) {
  const std::vector<double> idf = {0, 1};
  EXPECT_TRUE(make_histogram(words({}), idf).empty());
  EXPECT_TRUE(make_histogram(words({0, 0}), idf).empty());
}

TEST(MakeHistogram, RefusesWordsPastTheVocabularyAndBadWeights) {
  const std::vector<double> idf = {1, 1, kNan};
  expect_error(ErrorKind::invalid_argument,
               "words below 3, the size of the vocabulary; found word 3", [&] {
                 make_histogram(words({0, 3}), idf);
               });
  expect_error(ErrorKind::invalid_argument, "found nan", [&] { make_histogram(words({2}), idf); });
}

TEST(Scores, NoCommonWord) {
  const Histogram a(words({1}), {1});
  const Histogram b(words({2}), {1});
  for (const Score kind :
       {Score::l1, Score::l2, Score::chi_square, Score::bhattacharyya, Score::dot_product}) {
    EXPECT_EQ(score(kind, a, b), 0) << to_string(kind);
    EXPECT_FALSE(std::signbit(score(kind, a, b))) << to_string(kind);
  }
  EXPECT_EQ(intersection(a, b), 0);
}

TEST(Scores, IntersectionOfAHistogramWithItselfIsOne) {
  EXPECT_EQ(intersection(Histogram(words({5}), {1}), Histogram(words({5}), {1})), 1);
  const Histogram thirds(words({1, 2, 3}), {1.0 / 3, 1.0 / 3, 1.0 / 3});
  EXPECT_NEAR(intersection(thirds, thirds), 1, 3e-9);
  EXPECT_LE(intersection(thirds, thirds), 1);
}

/// What DBoW2 computed on golden descriptors: vectors, and scores of every pair.
class Golden : public testing::TestWithParam<std::string> {
 protected:
  static Histogram made(const json& golden, std::size_t image, HistogramOptions options) {
    std::vector<WordId> seen;
    for (const json& word : golden["words_per_descriptor"][image]) {
      seen.emplace_back(word.get<std::uint32_t>());
    }
    return make_histogram(seen, golden["word_weights"].get<std::vector<double>>(), options);
  }

  static Weighting weighting(const json& golden) {
    const std::string name = golden["weighting"];
    if (name == "TF") return Weighting::tf;
    if (name == "IDF") return Weighting::idf;
    if (name == "BINARY") return Weighting::binary;
    return Weighting::tf_idf;
  }

  static void expect_vector(const json& expected, const Histogram& histogram) {
    ASSERT_EQ(histogram.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(histogram.words()[i].value, expected[i][0].get<std::uint32_t>());
      EXPECT_NEAR(histogram.weights()[i], expected[i][1].get<double>(), 1e-12);
    }
  }

  static void expect_scores(const json& golden, const json& section, Score kind) {
    const std::size_t images = golden["words_per_descriptor"].size();
    std::vector<Histogram> histograms;
    for (std::size_t i = 0; i < images; ++i) {
      histograms.push_back(made(golden, i, {weighting(golden), norm_of(kind)}));
      if (section.contains("bow")) expect_vector(section["bow"][i], histograms.back());
    }
    for (std::size_t i = 0; i < images; ++i) {
      for (std::size_t j = 0; j < images; ++j) {
        const double expected = section["scores"][i][j];
        // The square root of l2 magnifies the last bit of a self score to 1e-8.
        EXPECT_NEAR(score(kind, histograms[i], histograms[j]), expected, 1e-7);
        if (kind == Score::l1) {
          EXPECT_NEAR(intersection(histograms[i], histograms[j]), expected, 1e-7);
        }
      }
    }
  }
};

TEST_P(Golden, VectorsAndScoresAreDbow2s) {
  const json golden = test::golden_json(GetParam());
  expect_scores(golden, golden, Score::l1);
  if (!golden.contains("by_scoring")) return;
  const std::vector<std::pair<std::string, Score>> kinds = {{"L1_NORM", Score::l1},
                                                            {"L2_NORM", Score::l2},
                                                            {"CHI_SQUARE", Score::chi_square},
                                                            {"KL", Score::kl},
                                                            {"BHATTACHARYYA", Score::bhattacharyya},
                                                            {"DOT_PRODUCT", Score::dot_product}};
  for (const auto& [name, kind] : kinds) {
    SCOPED_TRACE(name);
    expect_scores(golden, golden["by_scoring"][name], kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Dbow2, Golden,
                         testing::Values("dbow2_orb.json", "dbow2_orb_TF.json",
                                         "dbow2_orb_IDF.json", "dbow2_orb_BINARY.json",
                                         "dbow2_orb_stopped.json", "dbow2_irregular.json"));

}  // namespace
}  // namespace looptree

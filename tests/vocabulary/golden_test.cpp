// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

// What the original libraries answered after loading the same file: words must be equal, weights,
// vectors and scores to 1e-6.
namespace looptree {
namespace {

using nlohmann::json;
using test::Images;

struct Case {
  std::string vocabulary;
  std::string expected;
  std::string bow = "bow";
  std::string scores = "scores";
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.vocabulary << " against " << each.expected;
}

class GoldenVocabulary : public testing::TestWithParam<Case> {
 protected:
  GoldenVocabulary()
      : vocabulary(Vocabulary::load(test::golden("voc/" + GetParam().vocabulary))),
        expected(test::golden_json(GetParam().expected)),
        images(test::golden_images(vocabulary.descriptor_type())) {
    if (GetParam().vocabulary == "dbow3_float_unit.bin") images.scale(1.0F / 512);
  }

  /// Our number for a word of the file.
  WordId ours(std::uint32_t theirs) const {
    const auto& ids = vocabulary.origin().word_ids;
    if (ids.empty()) return WordId(theirs);
    const auto found = std::lower_bound(ids.begin(), ids.end(), theirs);
    EXPECT_TRUE(found != ids.end() && *found == theirs) << "word " << theirs << " is unknown";
    return WordId(static_cast<std::uint32_t>(found - ids.begin()));
  }

  Histogram histogram(std::size_t image) const {
    return make_histogram(vocabulary.words(images.view(image)), vocabulary.word_weights(),
                          {vocabulary.weighting(), norm_of(vocabulary.scoring())});
  }

  Vocabulary vocabulary;
  json expected;
  Images images;
};

TEST_P(GoldenVocabulary, WordsAreTheLibrarys) {
  if (GetParam().bow != "bow") GTEST_SKIP() << "the library's words carry its documented defect";
  const json& words = expected["words_per_descriptor"];
  ASSERT_EQ(words.size(), images.count());
  for (const std::string& level : simd_levels()) {
    SCOPED_TRACE(level);
    force_simd_level(level);
    for (std::size_t image = 0; image < images.count(); ++image) {
      const std::vector<WordId> found = vocabulary.words(images.view(image));
      ASSERT_EQ(found.size(), words[image].size());
      for (std::size_t row = 0; row < found.size(); ++row) {
        ASSERT_EQ(found[row], ours(words[image][row])) << "image " << image << " row " << row;
      }
    }
  }
  force_simd_level("");
}

TEST_P(GoldenVocabulary, WordWeightsAreTheLibrarys) {
  if (!expected.contains("word_weights")) {  // FBoW has none of its own
    for (const double weight : vocabulary.word_weights()) EXPECT_EQ(weight, 1);
    return;
  }
  ASSERT_EQ(vocabulary.size(), expected["word_weights"].size());
  for (std::size_t word = 0; word < vocabulary.size(); ++word) {
    EXPECT_NEAR(vocabulary.word_weights()[word], expected["word_weights"][word].get<double>(),
                1e-6);
  }
}

TEST_P(GoldenVocabulary, HistogramsAreTheLibrarys) {
  const json& bow = expected[GetParam().bow];
  for (std::size_t image = 0; image < images.count(); ++image) {
    const Histogram found = histogram(image);
    ASSERT_EQ(found.size(), bow[image].size()) << "image " << image;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found.words()[i], ours(bow[image][i][0]));
      EXPECT_NEAR(found.weights()[i], bow[image][i][1].get<double>(), 1e-6);
    }
  }
}

TEST_P(GoldenVocabulary, ScoresAreTheLibrarys) {
  if (GetParam().scores.empty()) GTEST_SKIP() << "scores carry the library's documented defect";
  std::vector<Histogram> histograms;
  for (std::size_t i = 0; i < images.count(); ++i) histograms.push_back(histogram(i));
  for (std::size_t i = 0; i < images.count(); ++i) {
    for (std::size_t j = 0; j < images.count(); ++j) {
      const double theirs = expected[GetParam().scores][i][j];
      // FBoW rounds vectors to single precision, and 1 - sqrt(1 - dot) magnifies that where an
      // image meets itself: of a dot product short of 1 by 1e-7 it makes 3e-4.
      const bool magnified = vocabulary.scoring() == Score::l2 && theirs > 0.99;
      EXPECT_NEAR(score(vocabulary.scoring(), histograms[i], histograms[j]), theirs,
                  magnified ? 1e-3 : 1e-6);
    }
  }
}

/// Features grouped by node, as their rows: the numbers of nodes are each library's own.
std::vector<std::vector<std::size_t>> groups(const json& feature_vector) {
  std::vector<std::vector<std::size_t>> result;
  for (const json& entry : feature_vector) result.push_back(entry[1]);
  std::sort(result.begin(), result.end());
  return result;
}

void expect_groups(const Vocabulary& vocabulary, const Images& images, const json& expected,
                   std::size_t levels_up) {
  for (std::size_t image = 0; image < images.count(); ++image) {
    const Quantized found = vocabulary.quantize(images.view(image), levels_up);
    std::map<std::uint32_t, std::vector<std::size_t>> by_node;
    for (std::size_t row = 0; row < found.nodes.size(); ++row) {
      EXPECT_EQ(found.weights[row], vocabulary.word_weights()[found.words[row].value]);
      if (found.weights[row] > 0) by_node[found.nodes[row]].push_back(row);
    }
    std::vector<std::vector<std::size_t>> ours;
    for (const auto& [node, rows] : by_node) ours.push_back(rows);
    std::sort(ours.begin(), ours.end());
    EXPECT_EQ(ours, groups(expected[image])) << "image " << image << " up " << levels_up;
  }
}

TEST_P(GoldenVocabulary, NodesGroupFeaturesAsTheLibrarysDo) {
  for (std::size_t up = 0; up <= 2; ++up) {
    const std::string key = "levelsup_" + std::to_string(up);
    if (expected.contains("feature_vectors") && expected["feature_vectors"].contains(key)) {
      expect_groups(vocabulary, images, expected["feature_vectors"][key], up);
    }
  }
  if (expected.contains("feature_vectors_levelsup_1")) {
    expect_groups(vocabulary, images, expected["feature_vectors_levelsup_1"], 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, GoldenVocabulary,
    testing::Values(
        Case{"dbow2_orb.yml", "dbow2_orb.json"}, Case{"dbow2_orb.yml.gz", "dbow2_orb.json"},
        Case{"dbow2_orb_TF.yml.gz", "dbow2_orb_TF.json"},
        Case{"dbow2_orb_IDF.yml.gz", "dbow2_orb_IDF.json"},
        Case{"dbow2_orb_BINARY.yml.gz", "dbow2_orb_BINARY.json"},
        Case{"dbow2_orb_stopped.yml.gz", "dbow2_orb_stopped.json"},
        Case{"dbow2_irregular.yml", "dbow2_irregular.json"},
        // A database file begins with its vocabulary, here that of dbow2_orb.
        Case{"dbow2_db_nodi.yml.gz", "dbow2_orb.json"},
        Case{"dbow2_db_di1.yml.gz", "dbow2_orb.json"},
        Case{"orbslam2_orb.txt", "orbslam2_orb.json"},
        Case{"orbslam2_irregular.txt", "orbslam2_irregular.json"},
        Case{"openvslam_orb.dbow2", "openvslam_orb.json"},
        Case{"openvslam_irregular.dbow2", "openvslam_irregular.json"},
        Case{"dbow3_orb.bin", "dbow3_orb.json"}, Case{"dbow3_orb.yml", "dbow3_orb.json"},
        Case{"dbow3_float.bin", "dbow3_float.json"},
        Case{"dbow3_float.yml", "dbow3_float_yml.json"},
        // DBoW3 cuts distances to whole numbers, except in the overload with a FeatureVector.
        Case{"dbow3_float_unit.bin", "dbow3_float_unit.json", "bow_featurevector_overload", ""},
        Case{"dbow2_orb.yml", "cross_dbow3_loads_dbow2_orb.yml.json"},
        Case{"orbslam2_orb.txt", "cross_dbow3_loads_orbslam2_orb.txt.json"},
        Case{"fbow_orb.fbow", "fbow_orb.json"}, Case{"fbow_float.fbow", "fbow_float.json"},
        Case{"fbow_irregular.fbow", "fbow_irregular.json"},
        Case{"fbow_orb.fbow", "stella_fbow_orb.json"},
        Case{"fbow_float.fbow", "stella_fbow_float.json"},
        Case{"fbow_irregular.fbow", "stella_fbow_irregular.json"}));

TEST(GoldenVocabularyFiles, QuickLzIsRefusedWithTheWayOut) {
  for (const char* name : {"voc/dbow3_orb_qlz.bin", "voc/dbow3_float_qlz.bin"}) {
    test::expect_error(ErrorKind::unsupported, "save it again with voc.save(\"name.bin\", false)",
                       [&] { Vocabulary::load(test::golden(name)); });
  }
}

TEST(GoldenVocabularyFiles, RenumberedWordsAreReported) {
  const Vocabulary sparse = Vocabulary::load(test::golden("voc/fbow_irregular.fbow"));
  EXPECT_EQ(sparse.size(), 133U);
  EXPECT_EQ(sparse.origin().word_ids.size(), 133U);
  std::size_t leaves = 0;
  for (const std::size_t level : sparse.leaves_by_level()) leaves += level;
  EXPECT_EQ(leaves, 165U);
  EXPECT_TRUE(Vocabulary::load(test::golden("voc/fbow_orb.fbow")).origin().word_ids.empty());
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What DBoW2 and DBoW3 answered, asked through the drop-ins in their own words.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/compat/dbow2.hpp"
#include "looptree/compat/dbow3.hpp"

#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

namespace looptree {
namespace {

using nlohmann::json;
using test::expect_error;
using test::golden;
using Bytes = dbow2::FBytes<32>;
using OrbVocabulary = dbow2::TemplatedVocabulary<Bytes::TDescriptor, Bytes>;
using OrbDatabase = dbow2::TemplatedDatabase<Bytes::TDescriptor, Bytes>;

/// The part of cv::Mat that the drop-ins touch.
struct Mat {
  int rows = 0;
  int cols = 0;
  int type = 0;
  unsigned char* data = nullptr;
  std::vector<unsigned char> memory = {};
  int depth() const { return type; }
  template <typename T>
  const T* ptr(int row) const {
    const std::ptrdiff_t width = std::ptrdiff_t{cols} * (type == 5 ? 4 : 1);
    return reinterpret_cast<const T*>(memory.data() + row * width);
  }
};

std::vector<Bytes::TDescriptor> features(const test::Images& images, std::size_t image) {
  std::vector<Bytes::TDescriptor> result;
  const DescriptorView view = images.view(image);
  for (std::size_t row = 0; row < view.size(); ++row) {
    auto& descriptor = result.emplace_back();
    std::copy(view.bytes(row).begin(), view.bytes(row).end(), descriptor.begin());
  }
  return result;
}

Mat matrix(const test::Images& images, std::size_t image) {
  const DescriptorView view = images.view(image);
  const bool real = view.type() == DescriptorType::real;
  Mat mat;
  mat.rows = static_cast<int>(view.size());
  mat.cols = static_cast<int>(view.width());
  mat.type = real ? 5 : 0;
  mat.memory.resize(view.size() * view.width() * (real ? 4 : 1));
  const void* from = real ? static_cast<const void*>(view.floats(0).data())
                          : static_cast<const void*>(view.bytes(0).data());
  std::memcpy(mat.memory.data(), from, mat.memory.size());
  mat.data = mat.memory.data();
  return mat;
}

void expect_vector(const compat::BowVector& found, const json& expected) {
  ASSERT_EQ(found.size(), expected.size());
  std::size_t i = 0;
  for (const auto& [word, weight] : found) {
    EXPECT_EQ(word, expected[i][0].get<unsigned>());
    EXPECT_NEAR(weight, expected[i++][1].get<double>(), 1e-6);
  }
}

void expect_results(const compat::QueryResults& found, const json& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].Score, expected[i][1].get<double>(), 1e-6);
    if (found[i].Id == expected[i][0].get<unsigned>()) continue;
    // One unit in DBoW2's last place may order near ties otherwise: then the ids swap places.
    const bool near = std::any_of(expected.begin(), expected.end(), [&](const json& other) {
      return other[0] == found[i].Id &&
             std::abs(other[1].get<double>() - expected[i][1].get<double>()) < 1e-12;
    });
    EXPECT_TRUE(near) << "place " << i << ", id " << found[i].Id;
  }
}

/// "max_results_5_max_id_-1" as numbers.
std::pair<int, int> limits(const std::string& name) {
  int results = 0;
  int id = 0;
  EXPECT_EQ(std::sscanf(name.c_str(), "max_results_%d_max_id_%d", &results, &id), 2);
  return {results, id};
}

struct Case {
  std::string vocabulary;
  std::string expected;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.vocabulary;
}

class Dbow2DropIn : public testing::TestWithParam<Case> {
 protected:
  json expected_ = test::golden_json(GetParam().expected);
  test::Images images_ = test::golden_images(DescriptorType::binary);
  OrbVocabulary voc_{golden("voc/" + GetParam().vocabulary).string()};
};

TEST_P(Dbow2DropIn, VectorsAndScoresAreTheirs) {
  std::vector<dbow2::BowVector> vectors(images_.count());
  for (std::size_t i = 0; i < images_.count(); ++i) {
    voc_.transform(features(images_, i), vectors[i]);
    expect_vector(vectors[i], expected_["bow"][i]);
    EXPECT_EQ(voc_.transform(features(images_, i)[3]),
              expected_["words_per_descriptor"][i][3].get<unsigned>());
  }
  for (std::size_t i = 0; i < images_.count(); ++i) {
    for (std::size_t j = 0; j < images_.count(); ++j) {
      EXPECT_NEAR(voc_.score(vectors[i], vectors[j]), expected_["scores"][i][j].get<double>(),
                  1e-12);
    }
  }
}

TEST_P(Dbow2DropIn, QueriesAreTheirs) {
  for (const bool use_di : {false, true}) {
    OrbDatabase db(voc_, use_di, 1);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(db.add(features(images_, i)), i);
    ASSERT_EQ(db.size(), 8u);
    const OrbDatabase copy = db;
    for (const auto& [name, queries] : expected_["database_images_0_7_query"].items()) {
      const auto [max_results, max_id] = limits(name);
      for (const auto& [query, expected] : queries.items()) {
        SCOPED_TRACE(name + " query " + query);
        dbow2::QueryResults ret;
        db.query(features(images_, std::stoul(query)), ret, max_results, max_id);
        expect_results(ret, expected);
        copy.query(features(images_, std::stoul(query)), ret, max_results, max_id);
        expect_results(ret, expected);
      }
    }
  }
}

TEST_P(Dbow2DropIn, FeatureVectorsGroupAsTheirs) {
  if (!expected_.contains("feature_vectors")) GTEST_SKIP() << "undefined in DBoW2 for this tree";
  for (int up = 0; up <= 2; ++up) {
    for (std::size_t i = 0; i < images_.count(); ++i) {
      dbow2::BowVector v;
      dbow2::FeatureVector fv;
      voc_.transform(features(images_, i), v, fv, up);
      std::vector<std::vector<unsigned>> ours;
      for (const auto& [node, rows] : fv) ours.push_back(rows);
      std::vector<std::vector<unsigned>> theirs;
      for (const json& entry : expected_["feature_vectors"]["levelsup_" + std::to_string(up)][i]) {
        theirs.push_back(entry[1]);
      }
      std::sort(ours.begin(), ours.end());
      std::sort(theirs.begin(), theirs.end());
      EXPECT_EQ(ours, theirs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dbow2, Dbow2DropIn,
                         testing::Values(Case{"dbow2_orb.yml", "dbow2_orb.json"},
                                         Case{"dbow2_orb_TF.yml.gz", "dbow2_orb_TF.json"},
                                         Case{"dbow2_orb_IDF.yml.gz", "dbow2_orb_IDF.json"},
                                         Case{"dbow2_orb_BINARY.yml.gz", "dbow2_orb_BINARY.json"},
                                         Case{"dbow2_orb_stopped.yml.gz", "dbow2_orb_stopped.json"},
                                         Case{"dbow2_irregular.yml", "dbow2_irregular.json"}));

TEST(Dbow2DropInDetails, OtherScoresAreTheirsPairwiseAndRefusedByTheDatabase) {
  const json golden_scores = test::golden_json("dbow2_orb.json")["by_scoring"];
  const test::Images images = test::golden_images(DescriptorType::binary);
  OrbVocabulary voc(golden("voc/dbow2_orb.yml").string());
  const std::vector<std::pair<std::string, dbow2::ScoringType>> types = {
      {"L2_NORM", dbow2::L2_NORM},
      {"CHI_SQUARE", dbow2::CHI_SQUARE},
      {"KL", dbow2::KL},
      {"BHATTACHARYYA", dbow2::BHATTACHARYYA},
      {"DOT_PRODUCT", dbow2::DOT_PRODUCT}};
  for (const auto& [name, type] : types) {
    SCOPED_TRACE(name);
    voc.setScoringType(type);
    dbow2::BowVector a;
    dbow2::BowVector b;
    voc.transform(features(images, 2), a);
    voc.transform(features(images, 9), b);
    EXPECT_NEAR(voc.score(a, b), golden_scores[name]["scores"][2][9].get<double>(), 1e-9);
    expect_error(ErrorKind::unsupported, "by L1", [&] { OrbDatabase(voc, false, 0); });
  }
}

TEST(Dbow2DropInDetails, StopsWordsAsDbow2Does) {
  OrbVocabulary voc(golden("voc/dbow2_orb.yml").string());
  EXPECT_EQ(voc.stopWords(1.7), 127);
  const OrbVocabulary stopped(golden("voc/dbow2_orb_stopped.yml.gz").string());
  for (unsigned word = 0; word < voc.size(); ++word) {
    EXPECT_EQ(voc.getWordWeight(word), stopped.getWordWeight(word));
  }
  EXPECT_EQ(voc.stopWords(0), 0);
}

TEST(Dbow2DropInDetails, KeepsOrRefusesTheQuirks) {
  const test::Images images = test::golden_images(DescriptorType::binary);
  const OrbVocabulary voc(golden("voc/orbslam2_orb.txt").string());
  OrbDatabase db(voc, true, 2);
  EXPECT_EQ(db.add(dbow2::BowVector()), 0u);  // an image without words has an id
  dbow2::BowVector v;
  dbow2::FeatureVector fv;
  EXPECT_EQ(db.add(features(images, 0), &v, &fv), 1u);
  EXPECT_EQ(db.retrieveFeatures(1), fv);
  EXPECT_TRUE(db.retrieveFeatures(0).empty());
  dbow2::QueryResults ret;
  db.query(v, ret, 0, 1);
  EXPECT_TRUE(ret.empty());  // max_id is exclusive
  db.query(v, ret, 0, 2);
  ASSERT_EQ(ret.size(), 1u);
  EXPECT_EQ(ret[0].Id, 1u);
  EXPECT_NEAR(ret[0].Score, 1, 1e-6);
  db.query(dbow2::BowVector(), ret, 0);
  EXPECT_TRUE(ret.empty());
  expect_error(ErrorKind::invalid_argument, "-1 for all", [&] { db.query(v, ret, 1, -2); });
  for (auto& [word, weight] : v) weight *= 3;
  expect_error(ErrorKind::invalid_argument, "sum to 1", [&] { db.add(v); });
  EXPECT_EQ(db.size(), 2u);
  expect_error(ErrorKind::invalid_argument, "an entry below 2", [&] { db.retrieveFeatures(2); });
  db.clear();
  EXPECT_EQ(db.size(), 0u);
  const OrbDatabase none(false);
  expect_error(ErrorKind::invalid_argument, "setVocabulary",
               [&] { none.query(dbow2::BowVector(), ret); });
  expect_error(ErrorKind::invalid_argument, "load() or create()",
               [&] { OrbVocabulary().transform(features(images, 0), v); });
  OrbVocabulary absent;
  EXPECT_FALSE(absent.loadFromTextFile("/no/such/vocabulary"));
}

TEST(Dbow2DropInDetails, TrainsSavesAndPrints) {
  const test::Images training = test::golden_training(DescriptorType::binary);
  std::vector<std::vector<Bytes::TDescriptor>> all;
  for (std::size_t i = 0; i < training.count(); ++i) all.push_back(features(training, i));
  OrbVocabulary voc(6, 3, dbow2::TF_IDF, dbow2::L1_NORM);
  voc.create(all);
  EXPECT_GT(voc.size(), 150u);
  const test::TemporaryFolder folder;
  voc.save((folder / "a.yml.gz").string());
  EXPECT_EQ(OrbVocabulary((folder / "a.yml.gz").string()).size(), voc.size());
  std::ostringstream text;
  OrbDatabase db(voc, false, 0);
  db.add(all[0]);
  dbow2::QueryResults ret;
  db.query(all[0], ret, 4);
  text << voc << "\n" << db << "\n" << ret;
  EXPECT_NE(text.str().find("number of words = "), std::string::npos);
  EXPECT_NE(text.str().find("Entries = 1, Using direct index = no"), std::string::npos);
  EXPECT_NE(text.str().find("<EntryId: 0, Score: "), std::string::npos);
}

TEST(Dbow2DropInDetails, TakesBitsAndFloats) {
  const test::Images images = test::golden_images(DescriptorType::binary);
  dbow2::BriefVocabulary voc(golden("voc/dbow2_orb.yml").string());
  const DescriptorView view = images.view(0);
  std::bitset<256> bits;
  for (std::size_t i = 0; i < 256; ++i) bits[i] = (view.bytes(5)[i / 8] >> (i % 8) & 1) != 0;
  EXPECT_EQ(voc.transform(bits), voc.transform_one(view.rows(5, 1)));
  const test::Images real = test::golden_images(DescriptorType::real);
  dbow2::TemplatedVocabulary<std::vector<float>, dbow2::FFloat> floats(
      golden("voc/dbow3_float.bin").string());
  const auto row = real.view(0).floats(7);
  EXPECT_EQ(floats.transform(std::vector<float>(row.begin(), row.end())),
            floats.transform_one(real.view(0).rows(7, 1)));
  expect_error(ErrorKind::invalid_argument, "one length", [&] {
    dbow2::BowVector v;
    floats.transform(std::vector<std::vector<float>>{{1, 2}, {1}}, v);
  });
}

TEST(Dbow3DropIn, AnswersAreTheirs) {
  for (const bool real : {false, true}) {
    const json expected = test::golden_json(real ? "dbow3_float.json" : "dbow3_orb.json");
    const test::Images images =
        test::golden_images(real ? DescriptorType::real : DescriptorType::binary);
    const dbow3::Vocabulary voc(
        golden(real ? "voc/dbow3_float.bin" : "voc/dbow3_orb.bin").string());
    dbow3::Database db(voc, false, 0);
    std::vector<dbow3::BowVector> vectors(images.count());
    for (std::size_t i = 0; i < images.count(); ++i) {
      db.add(matrix(images, i), &vectors[i]);
      expect_vector(vectors[i], expected["bow"][i]);
    }
    for (std::size_t i = 0; i < images.count(); ++i) {
      dbow3::QueryResults ret;
      db.query(matrix(images, i), ret, 1);
      ASSERT_EQ(ret.size(), 1u);
      EXPECT_EQ(ret[0].Id, i);
      EXPECT_NEAR(voc.score(vectors[i], vectors[0]), expected["scores"][i][0].get<double>(), 1e-9);
    }
  }
}

TEST(DropIn, MatricesOfOneRowAreDescriptors) {
  const test::Images images = test::golden_images(DescriptorType::binary);
  dbow2::TemplatedVocabulary<Mat, dbow2::FORB> voc(golden("voc/dbow2_orb.yml").string());
  std::vector<Mat> rows;
  for (std::size_t row = 0; row < 3; ++row) {
    Mat mat;
    mat.rows = 1;
    mat.cols = 32;
    const auto bytes = images.view(0).bytes(row);
    mat.memory.assign(bytes.begin(), bytes.end());
    mat.data = mat.memory.data();
    rows.push_back(mat);
    rows.back().data = rows.back().memory.data();
    EXPECT_EQ(voc.transform(rows.back()), voc.transform_one(images.view(0).rows(row, 1)));
  }
  rows[0].rows = 2;
  expect_error(ErrorKind::invalid_argument, "one row of bytes", [&] { voc.transform(rows[0]); });
}

}  // namespace
}  // namespace looptree

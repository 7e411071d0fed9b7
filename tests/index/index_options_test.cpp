// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/index_options.hpp"

#include <algorithm>
#include <vector>

#include "tests/support.hpp"

namespace looptree {
namespace {

TEST(IndexOptions, OfAVocabularyAreComplete) {
  const auto vocabulary = Vocabulary::load(test::golden("voc/dbow2_orb.yml.gz"));
  const IndexOptions options = index_options(vocabulary, Topology::parse("d2b4-max"));
  EXPECT_EQ(options.vocabulary_size, vocabulary.size());
  EXPECT_EQ(options.topology.name(), "d2b4-max");
  EXPECT_TRUE(std::equal(options.word_weights.begin(), options.word_weights.end(),
                         vocabulary.word_weights().begin(), vocabulary.word_weights().end()));
  EXPECT_EQ(index_options(vocabulary).topology.name(), "d1");
}

TEST(IndexOptions, HaveNoWeightsWhereHistogramsHaveNone) {
  for (const char* file : {"voc/dbow2_orb_TF.yml.gz", "voc/dbow2_orb_BINARY.yml.gz"}) {
    const auto vocabulary = Vocabulary::load(test::golden(file));
    const IndexOptions options = index_options(vocabulary);
    EXPECT_EQ(options.vocabulary_size, vocabulary.size()) << file;
    EXPECT_TRUE(options.word_weights.empty()) << file;
  }
}

TEST(IndexOptions, OfWeightsAreComplete) {
  const std::vector<float> narrow = {0.5F, 0, 2};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  for (const IndexOptions& options : {index_options(narrow, Topology::parse("d2b4-max")),
                                      index_options(wide, Topology::parse("d2b4-max"))}) {
    EXPECT_EQ(options.vocabulary_size, 3U);
    EXPECT_EQ(options.topology.name(), "d2b4-max");
    EXPECT_EQ(options.word_weights, wide);
  }
}

}  // namespace
}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What the drop-ins for DBoW2 and DBoW3 refuse: at compile time where they can.
#include <array>
#include <type_traits>

#include <gtest/gtest.h>

#include "looptree/compat/dbow2.hpp"
#include "looptree/compat/dbow3.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

template <class Database, class Vocabulary>
constexpr bool refuses_files() {
  return !std::is_constructible_v<Database, const char(&)[12]> &&
         !std::is_constructible_v<Database, const char*> &&
         !std::is_constructible_v<Database, char*> &&
         !std::is_constructible_v<Database, std::string> &&
         !std::is_constructible_v<Database, const Vocabulary*> &&
         !std::is_constructible_v<Database, Vocabulary*, bool, int>;
}
template <class Database, class Vocabulary>
constexpr bool takes_what_is_right() {
  return std::is_constructible_v<Database> && std::is_constructible_v<Database, bool> &&
         std::is_constructible_v<Database, bool, int> &&
         std::is_constructible_v<Database, const Vocabulary&> &&
         std::is_constructible_v<Database, Vocabulary&, bool, int>;
}

static_assert(refuses_files<dbow2::OrbDatabase, dbow2::OrbVocabulary>());
static_assert(refuses_files<dbow2::BriefDatabase, dbow2::BriefVocabulary>());
static_assert(refuses_files<dbow3::Database, dbow3::Vocabulary>());
static_assert(takes_what_is_right<dbow2::OrbDatabase, dbow2::OrbVocabulary>());
static_assert(takes_what_is_right<dbow2::BriefDatabase, dbow2::BriefVocabulary>());
static_assert(takes_what_is_right<dbow3::Database, dbow3::Vocabulary>());
// A vocabulary is read from a file.
static_assert(std::is_constructible_v<dbow2::OrbVocabulary, const char*>);

TEST(CompatRefuses, AVocabularyThatDoesNotScoreByL1) {
  using Bytes = compat::FBytes<4>;
  dbow2::TemplatedVocabulary<Bytes::TDescriptor, Bytes> vocabulary(2, 1);
  std::vector<std::vector<Bytes::TDescriptor>> images(1);
  for (unsigned char i = 0; i < 8; ++i) images[0].push_back({i, 0, 255, i});
  vocabulary.create(images);
  for (const auto scoring :
       {dbow2::L2_NORM, dbow2::CHI_SQUARE, dbow2::KL, dbow2::BHATTACHARYYA, dbow2::DOT_PRODUCT}) {
    vocabulary.setScoringType(scoring);
    test::expect_error(ErrorKind::unsupported, "scores by L1", [&] {
      dbow2::TemplatedDatabase<Bytes::TDescriptor, Bytes> database(vocabulary);
    });
  }
  vocabulary.setScoringType(dbow2::L1_NORM);
  dbow2::TemplatedDatabase<Bytes::TDescriptor, Bytes> database(vocabulary);
  EXPECT_EQ(database.add(images[0]), 0u);
}

}  // namespace
}  // namespace looptree

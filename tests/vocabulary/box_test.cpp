// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/box.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace looptree {
namespace {

TEST(BoxVocabulary, EveryOneIsTheFileItWasMadeOf) {
  ASSERT_FALSE(box_vocabularies().empty());
  for (const std::string_view kind : box_vocabularies()) {
    const Vocabulary box = box_vocabulary(kind);
    const Vocabulary file = Vocabulary::load(std::filesystem::path(LOOPTREE_BOX_DIR) /
                                             (std::string(kind) + ".looptree"));
    EXPECT_EQ(box.content_hash(), file.content_hash()) << kind;
    EXPECT_EQ(box.descriptor_type(), DescriptorType::binary) << kind;
    EXPECT_EQ(box.descriptor_width(), 32u) << kind;
    EXPECT_EQ(box.scoring(), Score::l1) << kind;
    EXPECT_GE(box.size(), 9'500u) << kind;
    EXPECT_LE(box.size(), 10'000u) << kind;
    // A word that hardly any image has, and one that most have: trained on many images.
    const auto [least, most] =
        std::minmax_element(box.word_weights().begin(), box.word_weights().end());
    EXPECT_LT(*least, 2) << kind;
    EXPECT_GT(*most, 5) << kind;
  }
}

TEST(BoxVocabulary, CallsShareOne) {
  const Vocabulary first = box_vocabulary("orb");
  const Vocabulary second = box_vocabulary("orb");
  EXPECT_EQ(first.word_weights().data(), second.word_weights().data());
}

TEST(BoxVocabulary, AnotherKindIsRefusedByName) {
  test::expect_error(ErrorKind::not_found, "(orb", [] { box_vocabulary("sift"); });
  test::expect_error(ErrorKind::not_found, "found sift", [] { box_vocabulary("sift"); });
}

}  // namespace
}  // namespace looptree

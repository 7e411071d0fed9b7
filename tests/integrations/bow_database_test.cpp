// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "stella_vslam/data/bow_database.h"

#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"

#include "stella_vslam/data/keyframe.h"
#include "tests/support.hpp"

namespace stella_vslam::data {
namespace {

using looptree::ErrorKind;
using looptree::test::expect_error;
using Keyframes = std::vector<std::shared_ptr<keyframe>>;
using Rejected = std::set<std::shared_ptr<keyframe>>;

/// What stella_vslam answers, the slow way: the oracle. In order of adding.
Keyframes acquire(const Keyframes& stored, const bow_vector& query, float min_score, float ratio,
                  const Rejected& rejected) {
  std::vector<std::pair<std::shared_ptr<keyframe>, unsigned>> sharing;
  unsigned most = 0;
  for (const auto& one : stored) {
    if (rejected.count(one) > 0) continue;
    unsigned common = 0;
    for (const auto& [word, weight] : query) {
      common += static_cast<unsigned>(one->bow_vec_.count(word));
    }
    if (common > 0) sharing.emplace_back(one, common);
    most = std::max(most, common);
  }
  const auto least = static_cast<unsigned>(ratio * static_cast<float>(most));
  Keyframes result;
  for (const auto& [one, common] : sharing) {
    if (common <= least) continue;
    if (bow_vocabulary_util::score(nullptr, query, one->bow_vec_) >= min_score) {
      result.push_back(one);
    }
  }
  return result;
}

Keyframes in_order(Keyframes keyframes) {
  std::sort(keyframes.begin(), keyframes.end(),
            [](const auto& a, const auto& b) { return a->id_ < b->id_; });
  return keyframes;
}

class Session {
 public:
  /// Words are numbered in steps of `gap`.
  explicit Session(std::uint64_t seed, unsigned gap = 1)
      : random_(seed), gap_(gap), database_(&vocabulary_) {}

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
  }
  std::size_t found() const { return found_; }

 private:
  void step() {
    const std::uint64_t dice = random_.below(40);
    if (dice == 0 && random_.below(8) == 0) {
      database_.clear();
      stored_.clear();
    } else if (dice < 4 && !stored_.empty()) {
      const auto at = stored_.begin() + static_cast<std::ptrdiff_t>(random_.below(stored_.size()));
      const std::shared_ptr<keyframe> gone = *at;
      database_.erase_keyframe(gone);
      database_.erase_keyframe(gone);
      stored_.erase(at);
    } else {
      ask();
      auto one = std::make_shared<keyframe>();
      one->id_ = ++id_;
      one->bow_vec_ = some_words();
      database_.add_keyframe(one);
      database_.add_keyframe(one);
      stored_.push_back(one);
    }
  }

  void ask() {
    const bow_vector query = some_words();
    Rejected rejected;
    for (const auto& one : stored_) {
      if (random_.below(6) == 0) rejected.insert(one);
    }
    const float min_score = 0.02f * static_cast<float>(random_.below(6));
    const float ratio = 0.1f * static_cast<float>(random_.below(10));
    const Keyframes right = acquire(stored_, query, min_score, ratio, rejected);
    const Keyframes found = database_.acquire_keyframes(query, min_score, ratio, rejected);
    EXPECT_EQ(in_order(found), in_order(right));
    found_ += found.size();
  }

  /// Not normalised by L1; now and then a word weighs nothing, which FBoW counts all the same.
  bow_vector some_words() {
    using Weight = bow_vector::mapped_type;
    bow_vector result;
    double sum = 0;
    for (std::uint64_t n = 1 + random_.below(25); n > 0; --n) {
      const auto weight = static_cast<Weight>(random_.below(9));
      result[gap_ * static_cast<unsigned>(random_.below(vocabulary_.words))] = weight;
    }
    for (const auto& [word, weight] : result) sum += static_cast<double>(weight * weight);
    const auto length = static_cast<Weight>(std::sqrt(std::max(sum, 1.0)));
    for (auto& [word, weight] : result) weight /= length;
    return result;
  }

  looptree::Random random_;
  unsigned gap_;
  bow_vocabulary vocabulary_{95};
  bow_database database_;
  Keyframes stored_;
  unsigned id_ = 0;
  std::size_t found_ = 0;
};

TEST(StellaDatabase, FindsWhatStellaFinds) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Session session(seed);
    session.run(400);  // a time or two past the end of a block of frames, less what is erased
    found += session.found();
  }
  EXPECT_GT(found, 1000u);
}

TEST(StellaDatabase, GoesOnAfterABlockOf512) {
  Session session(77);
  session.run(1200);
  EXPECT_GT(session.found(), 1000u);
}

/// FBoW numbers some words by the descriptors they were trained from, of which there are millions.
TEST(StellaDatabase, WordsMayBeNumberedWithGaps) {
  Session session(31, 20'000'003);
  session.run(400);
  EXPECT_GT(session.found(), 100u);
}

std::shared_ptr<keyframe> with(std::initializer_list<unsigned> words) {
  auto one = std::make_shared<keyframe>();
  for (const unsigned word : words) one->bow_vec_[word] = 0.5;
  return one;
}

TEST(StellaDatabase, HoldsItsKeyframesAndLetsThemGo) {
  bow_vocabulary vocabulary{100};
  bow_database database(&vocabulary);
  std::weak_ptr<keyframe> watched;
  {
    const auto one = with({1, 2, 3});
    watched = one;
    database.add_keyframe(one);
  }
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(database.acquire_keyframes(with({2})->bow_vec_).size(), 1u);
  EXPECT_TRUE(database.acquire_keyframes({}).empty());
  database.clear();
  EXPECT_TRUE(watched.expired());
}

TEST(StellaDatabase, RefusesWhatItCannotAnswer) {
  bow_vocabulary vocabulary{100};
  bow_database database(&vocabulary);
  for (unsigned word = 0; word < 100; ++word) database.add_keyframe(with({word}));
  expect_error(ErrorKind::invalid_argument, "words below 100", [&] {
    database.add_keyframe(with({1, 100}));
  });
  expect_error(ErrorKind::invalid_argument, "fraction",
               [&] { database.acquire_keyframes(with({1})->bow_vec_, 0.0f, 1.5f); });
  EXPECT_EQ(database.acquire_keyframes(with({1, 100})->bow_vec_).size(), 1u);
  bow_database none(nullptr);
  expect_error(ErrorKind::invalid_argument, "vocabulary", [&] { none.add_keyframe(with({1})); });
}

TEST(StellaDatabase, QueriesAndChangesRunTogether) {
  bow_vocabulary vocabulary{100};
  bow_database database(&vocabulary);
  const auto always = with({1, 2, 3});
  const auto sometimes = with({1, 50});
  database.add_keyframe(always);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i) {
      database.add_keyframe(sometimes);
      database.erase_keyframe(sometimes);
    }
    stop = true;
  });
  while (!stop) {
    EXPECT_EQ(database.acquire_keyframes(with({1, 2, 3})->bow_vec_), Keyframes{always});
  }
  writer.join();
}

}  // namespace
}  // namespace stella_vslam::data

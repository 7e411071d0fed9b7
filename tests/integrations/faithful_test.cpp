// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The drop-in against the oracle, call by call, on made-up sessions: with the scores that earlier
// queries left behind, and without.
#include <deque>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"

#include "KeyFrameDatabase.h"
#include "tests/integrations/original_database.hpp"

namespace LOOPTREE_ORB_SLAM_NAMESPACE {
namespace {

using Answer = std::vector<KeyFrame*>;

/// A made-up session of a SLAM system: keyframes come, see each other, and go.
class Session {
 public:
  Session(std::uint64_t seed, std::uint32_t words, KeyFrameDatabase::Scores scores)
      : random_(seed),
        words_(words),
        scores_(scores),
        vocabulary_(std::vector<double>(words, 1.0)),
        database_(vocabulary_) {
    database_.SetScores(scores);
    maps_[2].bad = true;
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
  }
  std::size_t questions() const { return questions_; }
  std::size_t stale() const { return stale_; }
  std::size_t keyframes() const { return database_.size(); }

 private:
  void step() {
    const std::uint64_t dice = random_.below(60);
    if (dice == 0) {
      database_.clear();
      original_.clear();
      in_.clear();
    } else if (dice < 4 && !in_.empty()) {
      erase(in_[random_.below(in_.size())]);
    } else if (dice < 20) {
      Frame frame;
      frame.mnId = ++id_;
      frame.mBowVec = some_words();
      relocalize(frame);
    } else {
      KeyFrame& keyframe = make();
      ask(keyframe);
      add(&keyframe);
    }
  }

  void erase(KeyFrame* keyframe) {
    database_.erase(keyframe);
    original_.erase(keyframe);
    std::erase(in_, keyframe);
    if (random_.below(3) == 0) add(keyframe);  // and comes back, with the score it has
  }

  void add(KeyFrame* keyframe) {
    database_.add(keyframe);
    original_.add(keyframe);
    in_.push_back(keyframe);
  }

  KeyFrame& make() {
    KeyFrame& keyframe = all_.emplace_back();
    keyframe.mnId = ++id_;
    keyframe.mBowVec = some_words();
    keyframe.map = &maps_[random_.below(3)];
    keyframe.bad = random_.below(12) == 0;
    for (KeyFrame* other : in_) {
      if (random_.below(8) == 0) keyframe.connected.insert(other);
      if (random_.below(4) == 0 && keyframe.neighbours.size() < 12) {
        keyframe.neighbours.push_back(other);
        other->neighbours.insert(other->neighbours.begin(), &keyframe);
      }
    }
    return keyframe;
  }

  DBoW2::BowVector some_words() {
    DBoW2::BowVector result;
    double sum = 0;
    for (std::uint64_t n = 2 + random_.below(25); n > 0; --n) {
      const double weight = 0.25 * static_cast<double>(1 + random_.below(20));
      result[static_cast<unsigned>(random_.below(words_))] += weight;
      sum += weight;
    }
    for (auto& [word, weight] : result) weight /= sum;
    return result;
  }

  /// Asks both, the oracle also without memory. In sound answers nothing is remembered.
  template <typename Ask>
  auto expected(Ask ask) {
    OriginalDatabase without = original_;
    without.forget();
    const auto sound = ask(without);
    const auto faithful = ask(original_);
    ++questions_;
    if (!(sound == faithful)) ++stale_;
    return scores_ == KeyFrameDatabase::sound ? sound : faithful;
  }

  void relocalize(Frame& frame) {
    Answer right = expected([&](auto& oracle) { return oracle.relocalize(frame); });
#if LOOPTREE_ORB_SLAM == 2
    EXPECT_EQ(database_.DetectRelocalizationCandidates(&frame), right);
#else
    Map* const map = &maps_[random_.below(3)];
    std::erase_if(right, [map](KeyFrame* one) { return one->map != map; });
    EXPECT_EQ(database_.DetectRelocalizationCandidates(&frame, map), right);
#endif
  }

#if LOOPTREE_ORB_SLAM == 2
  void ask(KeyFrame&) {}
#else
  void ask(KeyFrame& query) {
    if (random_.below(4) == 0) return ask_best(query);
    const std::size_t count = 1 + random_.below(4);
    const auto right = expected([&](auto& oracle) { return oracle.n_best(query, count); });
    OriginalDatabase::Best found;
    database_.DetectNBestCandidates(&query, found.loops, found.merges, static_cast<int>(count));
    EXPECT_EQ(found.loops, right.loops);
    EXPECT_EQ(found.merges, right.merges);
  }

  void ask_best(KeyFrame& query) {
    const int least = static_cast<int>(random_.below(6));
    const Answer right = expected([&](auto& oracle) { return oracle.best(query, least); });
    Answer loops;
    Answer merges;
    database_.DetectBestCandidates(&query, loops, merges, least);
    Answer right_loops;
    Answer right_merges;
    for (KeyFrame* one : right) (one->map == query.map ? right_loops : right_merges).push_back(one);
    EXPECT_EQ(loops, right_loops);
    EXPECT_EQ(merges, right_merges);
  }
#endif

  looptree::Random random_;
  std::uint32_t words_;
  KeyFrameDatabase::Scores scores_;
  ORBVocabulary vocabulary_;
  KeyFrameDatabase database_;
  OriginalDatabase original_;
  Map maps_[3];
  std::deque<KeyFrame> all_;
  std::vector<KeyFrame*> in_;
  unsigned long id_ = 0;
  std::size_t questions_ = 0;
  std::size_t stale_ = 0;
};

TEST(OrbSlamScores, FaithfulAnswersAreTheOriginalsCallByCall) {
  std::size_t stale = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Session session(seed, seed % 2 == 0 ? 60 : 400, KeyFrameDatabase::faithful);
    session.run(300);
    EXPECT_GT(session.questions(), 50u);
    stale += session.stale();
  }
  EXPECT_GT(stale, 100u);  // or the test would show nothing
}

TEST(OrbSlamScores, SoundAnswersRememberNothing) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Session session(seed, seed % 2 == 0 ? 60 : 400, KeyFrameDatabase::sound);
    session.run(300);
  }
}

TEST(OrbSlamScores, SoundAnswersLeaveTheKeyframesAlone) {
  const ORBVocabulary vocabulary(std::vector<double>(4, 1.0));
  for (const auto scores : {KeyFrameDatabase::sound, KeyFrameDatabase::faithful}) {
    KeyFrameDatabase database(vocabulary);
    database.SetScores(scores);
    KeyFrame keyframe;
    keyframe.mBowVec[1] = 1;
    keyframe.mRelocScore = 0.5f;
    database.add(&keyframe);
    Frame frame;
    frame.mnId = 1;
    frame.mBowVec[1] = 1;
#if LOOPTREE_ORB_SLAM == 2
    database.DetectRelocalizationCandidates(&frame);
#else
    database.DetectRelocalizationCandidates(&frame, nullptr);
#endif
    EXPECT_EQ(keyframe.mRelocScore, scores == KeyFrameDatabase::sound ? 0.5f : 1.0f);
  }
}

}  // namespace
}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

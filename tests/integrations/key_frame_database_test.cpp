// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unordered_map>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/dataset/keyframe_trace.hpp"

#include "KeyFrameDatabase.h"
#include "tests/dataset/made_trace.hpp"
#include "tests/integrations/original_database.hpp"
#include "tests/support.hpp"

namespace LOOPTREE_ORB_SLAM_NAMESPACE {
namespace {

using looptree::ErrorKind;
using looptree::Histogram;
using looptree::KeyframeNumber;
using looptree::test::expect_error;
using looptree::test::MadeTrace;

DBoW2::BowVector to_map(const Histogram& histogram) {
  DBoW2::BowVector result;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    result[histogram.words()[i].value] = histogram.weights()[i];
  }
  return result;
}

DBoW2::BowVector words(std::initializer_list<unsigned> seen) {
  DBoW2::BowVector result;
  for (const unsigned word : seen) result[word] = 1.0 / static_cast<double>(seen.size());
  return result;
}

std::vector<KeyFrame*> relocalize(KeyFrameDatabase& database, Frame& frame, Map* map = nullptr) {
#if LOOPTREE_ORB_SLAM == 2
  static_cast<void>(map);
  return database.DetectRelocalizationCandidates(&frame);
#else
  return database.DetectRelocalizationCandidates(&frame, map);
#endif
}

/// Plays a trace to the class as ORB-SLAM would, and compares the loop candidates.
class Player {
 public:
  /// `known_scores`: the left-over scores that the trace names come from its own queries, except
  /// the first of each keyframe.
  Player(const std::filesystem::path& path, bool known_scores)
      : known_scores_(known_scores),
        reader_(path),
        vocabulary_({reader_.word_weights().begin(), reader_.word_weights().end()}),
        database_(vocabulary_) {}

  std::size_t run() {
    while (auto record = reader_.next()) std::visit([this](auto& one) { play(one); }, *record);
    return loops_;
  }

 private:
  void play(const looptree::TraceKeyframe& record) {
    KeyFrame& keyframe = this->keyframe(record.keyframe);
    keyframe.mBowVec = to_map(record.histogram);
  }
  void play(const looptree::TraceAdd& record) { database_.add(&keyframe(record.keyframe)); }
  void play(const looptree::TraceErase& record) { database_.erase(&keyframe(record.keyframe)); }
  void play(const looptree::TraceClear&) {
    database_.clear();
    keyframes_.clear();
    relocalized_.clear();
  }
  void play(const looptree::TraceNeighbours& record) {
    KeyFrame& one = keyframe(record.keyframe);
    if (record.next_query_only) before_.emplace_back(&one, one.neighbours);
    one.neighbours.clear();
    for (const KeyframeNumber number : record.neighbours) {
      one.neighbours.push_back(&keyframe(number));
    }
  }
  void play(const looptree::TraceLoopQuery& record) {
    KeyFrame& query = keyframe(record.keyframe);
    query.connected.clear();
    for (const KeyframeNumber number : record.excluded) query.connected.insert(&keyframe(number));
    EXPECT_EQ(numbers(database_.DetectLoopCandidates(&query, record.min_score)),
              record.answer.returned)
        << "line " << reader_.line();
    ++loops_;
  }
  void play(const looptree::TraceConnected&) {}
  void play(const looptree::TraceFrame& record) {
    frame_.mnId = record.frame;
    frame_.mBowVec = to_map(record.histogram);
  }
  /// What is left in a keyframe that no query has scored is not ours to know: the trace says it.
  /// From then on the drop-in must have left there what ORB-SLAM found there.
  void play(const looptree::TraceRelocalization& record) {
    for (const looptree::TraceScore& left : record.left_over) {
      float& its = keyframe(left.keyframe).mRelocScore;
      if (relocalized_.insert(left.keyframe).second) its = left.score;
      if (known_scores_) {
        EXPECT_EQ(its, left.score) << "line " << reader_.line();
      }
      its = left.score;
    }
    for (const looptree::TraceScore& one : record.answer.scored) relocalized_.insert(one.keyframe);
    const auto found = relocalize(database_, frame_, &map_);
    EXPECT_EQ(numbers(found), record.answer.returned) << "line " << reader_.line();
    for (auto& [keyframe, neighbours] : before_) keyframe->neighbours = neighbours;
    before_.clear();
  }

  static std::vector<KeyframeNumber> numbers(const std::vector<KeyFrame*>& keyframes) {
    std::vector<KeyframeNumber> result;
    for (const KeyFrame* keyframe : keyframes) result.push_back(keyframe->mnId);
    return result;
  }

  KeyFrame& keyframe(KeyframeNumber number) {
    auto& keyframe = keyframes_[number];
    if (!keyframe) {
      keyframe = std::make_unique<KeyFrame>();
      keyframe->mnId = number;
      keyframe->map = &map_;
    }
    return *keyframe;
  }

  bool known_scores_;
  looptree::KeyframeTraceReader reader_;
  ORBVocabulary vocabulary_;
  KeyFrameDatabase database_;
  Map map_;
  std::unordered_map<KeyframeNumber, std::unique_ptr<KeyFrame>> keyframes_;
  Frame frame_;
  std::vector<std::pair<KeyFrame*, std::vector<KeyFrame*>>> before_;  // neighbours to come back
  std::set<KeyframeNumber> relocalized_;
  std::size_t loops_ = 0;
};

TEST(OrbSlamDatabase, GivesOrbSlamsAnswersToMadeSessions) {
  for (std::uint64_t seed = 31; seed < 35; ++seed) {
    MadeTrace made(seed, seed % 2 == 0 ? 60 : 500, false);
    made.run(300);
    const looptree::test::TemporaryFolder folder;
    MadeTrace::write_gzip(folder / "trace", made.text());
    EXPECT_EQ(Player(folder / "trace", false).run(), made.loops());
  }
}

TEST(OrbSlamDatabase, GivesOrbSlam2sOwnAnswers) {
  LOOPTREE_SKIP_WITHOUT_DATA("orbslam2/tum_fr1rpy_mono.trace.gz");
  const auto trace = looptree::test::data_dir() / "orbslam2/tum_fr1rpy_mono.trace.gz";
  EXPECT_EQ(Player(trace, true).run(), 183u);
}

/// The index seals a block of 512 frames and goes on in the next: answers are the same before, at
/// and after it, also where keyframes of the full block were erased.
TEST(OrbSlamDatabase, AnswersAreRightAcrossBlocks) {
  looptree::Random random(512);
  const ORBVocabulary vocabulary(std::vector<double>(300, 1.0));
  KeyFrameDatabase database(vocabulary);
  OriginalDatabase original;
  std::deque<KeyFrame> keyframes;
  for (unsigned long id = 1; id <= 1100; ++id) {
    KeyFrame& keyframe = keyframes.emplace_back();
    keyframe.mnId = id;
    std::set<unsigned> seen;
    while (seen.size() < 12) seen.insert(static_cast<unsigned>(random.below(300)));
    for (const unsigned word : seen) keyframe.mBowVec[word] = 1.0 / 12;
    for (unsigned long back = 1; back < 6 && back < id; ++back) {
      keyframe.neighbours.push_back(&keyframes[id - 1 - back]);
    }
    const unsigned long place = id % 512;  // dense where a block ends and the next begins
    if (place > 500 || place < 12 || id % 32 == 0) {
      Frame frame;
      frame.mnId = id;
      frame.mBowVec = keyframe.mBowVec;
      EXPECT_EQ(relocalize(database, frame), original.relocalize(frame)) << "keyframe " << id;
    }
    database.add(&keyframe);
    original.add(&keyframe);
    if (id % 7 == 0) {
      KeyFrame* const gone = &keyframes[id - 1 - random.below(std::min(id, 600ul))];
      database.erase(gone);
      original.erase(gone);
    }
  }
}

/// Five keyframes, alike to a degree.
class Five : public testing::Test {
 protected:
  Five() : vocabulary_(std::vector<double>(20, 1.0)), database_(vocabulary_) {
    const std::vector<DBoW2::BowVector> seen = {words({0, 1, 2, 3, 9}), words({0, 1, 2, 3}),
                                                words({0, 1, 2, 3, 7, 8}), words({0, 1, 2, 11}),
                                                words({15, 16})};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      keyframes_[i].mnId = i;
      keyframes_[i].mBowVec = seen[i];
      keyframes_[i].map = &map_;
      database_.add(&keyframes_[i]);
    }
    query_.mnId = 77;
    query_.mBowVec = words({0, 1, 2, 3});
    query_.map = &map_;
  }

  KeyFrame* kf(std::size_t i) { return &keyframes_[i]; }
  std::vector<KeyFrame*> relocalize(Frame& frame) {
    return LOOPTREE_ORB_SLAM_NAMESPACE::relocalize(database_, frame, &map_);
  }

  ORBVocabulary vocabulary_;
  KeyFrameDatabase database_;
  Map map_;
  Map other_;
  KeyFrame keyframes_[5];
  KeyFrame query_;
};

using Answer = std::vector<KeyFrame*>;

TEST_F(Five, LoopsAreFoundUnlessConnected) {
  EXPECT_EQ(database_.size(), 5u);
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.5f), (Answer{kf(0), kf(1)}));
  query_.connected = {kf(0), kf(1), kf(2)};
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.5f), Answer{kf(3)});
  EXPECT_TRUE(database_.DetectLoopCandidates(&query_, 0.9f).empty());
}

TEST_F(Five, NeighboursStandTogether) {
  kf(2)->neighbours = {kf(1), kf(0)};
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.1f), Answer{kf(1)});
}

TEST_F(Five, RelocalisationHasNoExclusion) {
  Frame frame;
  frame.mBowVec = words({0, 1, 2, 3});
  EXPECT_EQ(relocalize(frame), (Answer{kf(0), kf(1)}));
  frame.mBowVec = DBoW2::BowVector();
  EXPECT_TRUE(relocalize(frame).empty());
}

TEST_F(Five, AddsOnceErasesOnceClears) {
  database_.add(kf(1));  // is in already
  EXPECT_EQ(database_.size(), 5u);
  database_.erase(kf(1));
  database_.erase(kf(1));
  EXPECT_EQ(database_.size(), 4u);
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.5f), (Answer{kf(0), kf(2)}));
  database_.add(kf(1));
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.7f), (Answer{kf(0), kf(1)}));
  KeyFrame without;
  database_.add(&without);  // no words: nothing to find
  EXPECT_EQ(database_.size(), 5u);
  database_.clear();
  EXPECT_EQ(database_.size(), 0u);
  EXPECT_TRUE(database_.DetectLoopCandidates(&query_, 0).empty());
}

TEST_F(Five, RefusesWhatWouldCorruptTheOriginal) {
  KeyFrame wrong;
  wrong.mBowVec = words({25});
  expect_error(ErrorKind::invalid_argument, "words below 20", [&] { database_.add(&wrong); });
  wrong.mBowVec = words({1, 2});
  wrong.mBowVec[1] = 5;
  expect_error(ErrorKind::invalid_argument, "sum to 1", [&] { database_.add(&wrong); });
  KeyFrameDatabase none;
  expect_error(ErrorKind::invalid_argument, "set the vocabulary", [&] { none.add(kf(0)); });
  none.SetORBVocabulary(&vocabulary_);
  none.add(kf(0));
  EXPECT_EQ(none.size(), 1u);
  none.SetORBVocabulary(&vocabulary_);
  EXPECT_EQ(none.size(), 0u);
}

TEST_F(Five, RefusesVocabulariesThatDoNotScoreByL1) {
  for (const auto scoring :
       {DBoW2::L2_NORM, DBoW2::CHI_SQUARE, DBoW2::KL, DBoW2::BHATTACHARYYA, DBoW2::DOT_PRODUCT}) {
    ORBVocabulary other(std::vector<double>(20, 1.0), scoring);
    expect_error(ErrorKind::unsupported, "scores by L1", [&] { KeyFrameDatabase refused(other); });
    expect_error(ErrorKind::unsupported, "scores by L1",
                 [&] { database_.SetORBVocabulary(&other); });
  }
  EXPECT_EQ(database_.size(), 5u);  // as it was
  const ORBVocabulary none({});
  expect_error(ErrorKind::invalid_argument, "load it", [&] { KeyFrameDatabase refused(none); });
}

TEST_F(Five, QueriesAndChangesRunTogether) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i) {
      database_.erase(kf(4));
      database_.erase(kf(0));
      database_.add(kf(0));
      database_.add(kf(4));
    }
    stop = true;
  });
  while (!stop) {
    // 1 is always in and best; 0 may be in or not.
    const Answer found = database_.DetectLoopCandidates(&query_, 0.9f);
    EXPECT_EQ(found, Answer{kf(1)});
  }
  writer.join();
}

#if LOOPTREE_ORB_SLAM == 3

TEST_F(Five, LoopsStayInTheMap) {
  kf(1)->map = &other_;
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.5f), (Answer{kf(0), kf(2)}));
  Frame frame;
  frame.mBowVec = words({0, 1, 2, 3});
  EXPECT_EQ(database_.DetectRelocalizationCandidates(&frame, &other_), Answer{kf(1)});
  EXPECT_EQ(database_.DetectRelocalizationCandidates(&frame, &map_), Answer{kf(0)});
}

TEST_F(Five, CandidatesAreSplitByMap) {
  kf(1)->map = &other_;
  Answer loops;
  Answer merges;
  database_.DetectCandidates(&query_, 0.5f, loops, merges);
  EXPECT_EQ(loops, (Answer{kf(0), kf(2)}));
  EXPECT_EQ(merges, Answer{kf(1)});
  other_.bad = true;
  loops.clear();
  merges.clear();
  database_.DetectCandidates(&query_, 0.5f, loops, merges);
  EXPECT_TRUE(merges.empty());
}

TEST_F(Five, BestCandidatesNeedWords) {
  kf(1)->map = &other_;
  Answer loops;
  Answer merges;
  database_.DetectBestCandidates(&query_, loops, merges, 3);
  EXPECT_EQ(loops, Answer{kf(0)});
  EXPECT_EQ(merges, Answer{kf(1)});
  database_.DetectBestCandidates(&query_, loops, merges, 4);  // none has more than 4
  EXPECT_EQ(loops.size() + merges.size(), 2u);
}

TEST_F(Five, TheBestOfEitherKind) {
  kf(0)->map = &other_;
  kf(2)->neighbours = {kf(3), kf(4)};  // not scored: nothing to add
  Answer loops;
  Answer merges;
  database_.DetectNBestCandidates(&query_, loops, merges, 1);
  EXPECT_EQ(loops, Answer{kf(1)});
  EXPECT_EQ(merges, Answer{kf(0)});
  loops.clear();
  merges.clear();
  kf(1)->bad = true;  // the original would never return
  other_.bad = true;
  database_.DetectNBestCandidates(&query_, loops, merges, 3);
  EXPECT_EQ(loops, Answer{kf(2)});
  EXPECT_TRUE(merges.empty());
}

TEST_F(Five, MapsAreCleared) {
  kf(1)->map = &other_;
  database_.clearMap(&map_);
  EXPECT_EQ(database_.size(), 1u);
  Frame frame;
  frame.mBowVec = words({0, 1, 2, 3});
  EXPECT_EQ(database_.DetectRelocalizationCandidates(&frame, &other_), Answer{kf(1)});
}

TEST_F(Five, SavesAndLoadsByIds) {
  database_.erase(kf(2));
  database_.add(kf(2));  // now the newest
  database_.PreSave();
  const Answer before = database_.DetectLoopCandidates(&query_, 0.1f);
  database_.clear();
  std::map<long unsigned int, KeyFrame*> by_id;
  for (std::size_t i = 0; i < 4; ++i) by_id[i] = kf(i);  // the fifth was lost
  database_.PostLoad(by_id);
  EXPECT_EQ(database_.size(), 4u);
  EXPECT_EQ(database_.DetectLoopCandidates(&query_, 0.1f), before);
}

#endif

}  // namespace
}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of ORB-SLAM's src/KeyFrameDatabase.cc; C++11, links looptree_orb_slam. ORB-SLAM's
// headers are seen here alone, by its own compiler flags: the library behind knows none of them.
#include "KeyFrameDatabase.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "keyframe_index.hpp"

namespace LOOPTREE_ORB_SLAM_NAMESPACE {
namespace {

using looptree::integrations::Keyframe;
using looptree::integrations::KeyframeGroup;
using looptree::integrations::KeyframeGrouping;
using looptree::integrations::KeyframeIndex;
using looptree::integrations::KeyframeQuestion;
using looptree::integrations::WordVector;

template <typename BowVector>
WordVector ToWords(const BowVector& vector) {
  return WordVector(vector.begin(), vector.end());
}

KeyFrame* ToKeyFrame(Keyframe keyframe) {
  return static_cast<KeyFrame*>(keyframe);
}

std::vector<Keyframe> BestNeighbours(Keyframe keyframe) {
  const std::vector<KeyFrame*> best = ToKeyFrame(keyframe)->GetBestCovisibilityKeyFrames(10);
  return std::vector<Keyframe>(best.begin(), best.end());
}

std::vector<KeyFrame*> BestOf(const std::vector<KeyframeGroup>& groups, float min_score) {
  std::vector<KeyFrame*> result;
  for (Keyframe best : KeyframeIndex::best_of(groups, min_score)) {
    result.push_back(ToKeyFrame(best));
  }
  return result;
}

// A question of pKF to the keyframes that are not connected to it and pass `others`.
template <typename Others>
KeyframeQuestion Unconnected(KeyFrame* pKF, Others others) {
  KeyframeQuestion question;
  question.words = ToWords(pKF->mBowVec);
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  question.accept = [connected, others](Keyframe other) {
    return connected.count(ToKeyFrame(other)) == 0 && others(ToKeyFrame(other));
  };
  return question;
}

bool Everyone(KeyFrame*) {
  return true;
}

}  // namespace

struct KeyFrameDatabase::Impl {
#ifdef LOOPTREE_ORB_SLAM_SOUND
  Impl() : scores(sound) {}
#else
  Impl() : scores(faithful) {}
#endif

  void SetVocabulary(const ORBVocabulary& vocabulary) {
    index.set_vocabulary(vocabulary.size(), static_cast<int>(vocabulary.getScoringType()));
  }

  // Groups by scores of the question alone.
  std::vector<KeyframeGroup> Sound(const KeyframeQuestion& question, float min_score) const {
    KeyframeGrouping grouping;
    grouping.min_score = min_score;
    grouping.neighbours = BestNeighbours;
    return index.groups(question, grouping);
  }

  // Groups by the scores that keyframes keep in `member`, unless only sound ones are asked for.
  std::vector<KeyframeGroup> Groups(const KeyframeQuestion& question, float KeyFrame::*member,
                                    std::mutex& turn) const {
    if (scores == sound) return Sound(question, 0);
    KeyframeGrouping grouping;
    grouping.neighbours = BestNeighbours;
    grouping.keep = [member](Keyframe one, float score) { ToKeyFrame(one)->*member = score; };
    grouping.kept = [member](Keyframe one) { return ToKeyFrame(one)->*member; };
    const std::lock_guard<std::mutex> lock(turn);
    return index.groups(question, grouping);
  }

  std::vector<KeyFrame*> Relocalize(Frame* F) {
    KeyframeQuestion question;
    question.words = ToWords(F->mBowVec);
    return BestOf(Groups(question, &KeyFrame::mRelocScore, relocalization_turn), 0);
  }

  Scores scores;
  KeyframeIndex index;
  // Held while the scores in the keyframes are written and read.
  std::mutex relocalization_turn;
  std::mutex place_turn;
};

KeyFrameDatabase::KeyFrameDatabase() : mpImpl(new Impl) {}
KeyFrameDatabase::KeyFrameDatabase(const ORBVocabulary& voc) : mpImpl(new Impl) {
  mpImpl->SetVocabulary(voc);
}
KeyFrameDatabase::~KeyFrameDatabase() = default;

void KeyFrameDatabase::SetScores(Scores scores) {
  mpImpl->scores = scores;
}

void KeyFrameDatabase::add(KeyFrame* pKF) {
  mpImpl->index.add(pKF, ToWords(pKF->mBowVec));
}

void KeyFrameDatabase::erase(KeyFrame* pKF) {
  mpImpl->index.erase(pKF);
}

void KeyFrameDatabase::clear() {
  mpImpl->index.clear();
}

void KeyFrameDatabase::SetORBVocabulary(ORBVocabulary* pORBVoc) {
  mpImpl->SetVocabulary(*pORBVoc);
}

std::size_t KeyFrameDatabase::size() const {
  return mpImpl->index.size();
}

#if LOOPTREE_ORB_SLAM == 2

std::vector<KeyFrame*> KeyFrameDatabase::DetectLoopCandidates(KeyFrame* pKF, float minScore) {
  return BestOf(mpImpl->Sound(Unconnected(pKF, Everyone), minScore), minScore);
}

std::vector<KeyFrame*> KeyFrameDatabase::DetectRelocalizationCandidates(Frame* F) {
  return mpImpl->Relocalize(F);
}

#else

std::vector<KeyFrame*> KeyFrameDatabase::DetectLoopCandidates(KeyFrame* pKF, float minScore) {
  Map* const map = pKF->GetMap();
  const auto same = [map](KeyFrame* other) { return other->GetMap() == map; };
  return BestOf(mpImpl->Sound(Unconnected(pKF, same), minScore), minScore);
}

std::vector<KeyFrame*> KeyFrameDatabase::DetectRelocalizationCandidates(Frame* F, Map* pMap) {
  std::vector<KeyFrame*> candidates = mpImpl->Relocalize(F);
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](KeyFrame* other) { return other->GetMap() != pMap; }),
                   candidates.end());
  return candidates;
}

void KeyFrameDatabase::clearMap(Map* pMap) {
  for (Keyframe keyframe : mpImpl->index.keyframes()) {
    if (ToKeyFrame(keyframe)->GetMap() == pMap) mpImpl->index.erase(keyframe);
  }
}

void KeyFrameDatabase::DetectCandidates(KeyFrame* pKF, float minScore,
                                        std::vector<KeyFrame*>& vpLoopCand,
                                        std::vector<KeyFrame*>& vpMergeCand) {
  const std::vector<KeyFrame*> loops = DetectLoopCandidates(pKF, minScore);
  vpLoopCand.insert(vpLoopCand.end(), loops.begin(), loops.end());
  Map* const map = pKF->GetMap();
  const auto elsewhere = [map](KeyFrame* other) {
    Map* const its = other->GetMap();
    return its != map && !its->IsBad();
  };
  const std::vector<KeyFrame*> merges =
      BestOf(mpImpl->Sound(Unconnected(pKF, elsewhere), minScore), minScore);
  vpMergeCand.insert(vpMergeCand.end(), merges.begin(), merges.end());
}

void KeyFrameDatabase::DetectBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                                            std::vector<KeyFrame*>& vpMergeCand, int nMinWords) {
  KeyframeQuestion question = Unconnected(pKF, Everyone);
  question.min_words = static_cast<unsigned int>(std::max(nMinWords, 0));
  const std::vector<KeyframeGroup> groups =
      mpImpl->Groups(question, &KeyFrame::mPlaceRecognitionScore, mpImpl->place_turn);
  for (KeyFrame* candidate : BestOf(groups, 0)) {
    (candidate->GetMap() == pKF->GetMap() ? vpLoopCand : vpMergeCand).push_back(candidate);
  }
}

void KeyFrameDatabase::DetectNBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                                             std::vector<KeyFrame*>& vpMergeCand,
                                             int nNumCandidates) {
  std::vector<KeyframeGroup> groups = mpImpl->Groups(
      Unconnected(pKF, Everyone), &KeyFrame::mPlaceRecognitionScore, mpImpl->place_turn);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const KeyframeGroup& a, const KeyframeGroup& b) {
                     return a.score > b.score;  // equal ones stay in the order of the walk
                   });
  const std::size_t count = static_cast<std::size_t>(std::max(nNumCandidates, 0));
  std::set<KeyFrame*> seen;
  for (const KeyframeGroup& group : groups) {
    if (vpLoopCand.size() >= count && vpMergeCand.size() >= count) break;
    KeyFrame* const best = ToKeyFrame(group.best);
    if (best->isBad() || !seen.insert(best).second) continue;
    Map* const its = best->GetMap();
    if (its == pKF->GetMap()) {
      if (vpLoopCand.size() < count) vpLoopCand.push_back(best);
    } else if (vpMergeCand.size() < count && !its->IsBad()) {
      vpMergeCand.push_back(best);
    }
  }
}

void KeyFrameDatabase::PreSave() {
  mvBackupKeyFrameIds.clear();
  for (Keyframe keyframe : mpImpl->index.keyframes()) {
    mvBackupKeyFrameIds.push_back(ToKeyFrame(keyframe)->mnId);
  }
}

void KeyFrameDatabase::PostLoad(std::map<long unsigned int, KeyFrame*> mpKFid) {
  clear();
  for (const long unsigned int id : mvBackupKeyFrameIds) {
    const auto found = mpKFid.find(id);
    if (found != mpKFid.end() && found->second != nullptr) add(found->second);
  }
}

#endif

}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

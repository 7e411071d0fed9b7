// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of ORB-SLAM's src/KeyFrameDatabase.cc; C++20, links looptree::looptree.
#include "KeyFrameDatabase.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <looptree/common/error.hpp>
#include <looptree/detect/covisibility.hpp>
#include <looptree/histogram/l1_query.hpp>
#include <looptree/index/index_options.hpp>

namespace LOOPTREE_ORB_SLAM_NAMESPACE {
namespace {

using looptree::CovisibleGroup;
using looptree::FrameId;
using looptree::Histogram;
using looptree::ScoredKeyframe;

template <typename BowVector>
Histogram ToHistogram(const BowVector& vector) {
  std::vector<looptree::WordId> words;
  std::vector<double> weights;
  words.reserve(vector.size());
  weights.reserve(vector.size());
  for (const auto& entry : vector) {
    words.emplace_back(entry.first);
    weights.push_back(entry.second);
  }
  return {std::move(words), std::move(weights)};
}

/// The keyframes with enough words in common, in the order of ORB-SLAM's walk, and their scores.
struct Scored {
  std::vector<ScoredKeyframe> frames;
  std::unordered_map<std::uint32_t, KeyFrame*> keyframes;
  std::unordered_map<KeyFrame*, FrameId> ids;

  KeyFrame* operator[](FrameId frame) const { return keyframes.at(frame.value); }
};

/// Each scored keyframe with its neighbours. Asks keyframes, so nothing is locked meanwhile.
std::vector<CovisibleGroup> Group(const Scored& scored, float min_score) {
  looptree::Covisibility covisibility;
  covisibility.neighbours = [&](FrameId frame, std::size_t count) {
    std::vector<FrameId> result;
    for (KeyFrame* neighbour :
         scored[frame]->GetBestCovisibilityKeyFrames(static_cast<int>(count))) {
      const auto found = scored.ids.find(neighbour);
      if (found != scored.ids.end()) result.push_back(found->second);
    }
    return result;
  };
  return looptree::covisible_groups(scored.frames, min_score, covisibility);
}

std::vector<KeyFrame*> BestOfGroups(const Scored& scored, float min_score) {
  const looptree::CovisibilityOptions defaults;
  std::vector<KeyFrame*> result;
  for (const FrameId best :
       looptree::best_of_groups(Group(scored, min_score), min_score, defaults.group_fraction)) {
    result.push_back(scored[best]);
  }
  return result;
}

}  // namespace

struct KeyFrameDatabase::Impl {
  struct Entry {
    KeyFrame* keyframe;
    Histogram histogram;  // DBoW2's weights in full: the index keeps them to 2^-31
  };

  mutable std::shared_mutex mutex;  // guards all below
  std::optional<looptree::PooledIndex> index;
  std::unordered_map<std::uint32_t, Entry> entries;     // by frame
  std::unordered_map<const KeyFrame*, FrameId> frames;  // of the keyframes that are in

  void Reset(const ORBVocabulary& vocabulary) {
    std::vector<double> weights(vocabulary.size());
    for (std::uint32_t word = 0; word < weights.size(); ++word) {
      weights[word] = vocabulary.getWordWeight(word);
    }
    index.emplace(looptree::index_options(weights));
    entries.clear();
    frames.clear();
  }

  const looptree::PooledIndex& Index() const {
    looptree::require(index.has_value(), looptree::ErrorKind::invalid_argument,
                      "expected a keyframe database with a vocabulary, found none; call "
                      "SetORBVocabulary() first");
    return *index;
  }

  void Add(KeyFrame* keyframe) {
    Histogram histogram = ToHistogram(keyframe->mBowVec);
    const std::lock_guard<std::shared_mutex> lock(mutex);
    Index();
    // One without words would never be found.
    if (histogram.empty() || frames.count(keyframe) > 0) return;
    const FrameId frame = index->insert(histogram);
    entries.emplace(frame.value, Entry{keyframe, std::move(histogram)});
    frames.emplace(keyframe, frame);
  }

  void Erase(const KeyFrame* keyframe) {
    const auto found = frames.find(keyframe);
    if (found == frames.end()) return;
    index->erase(found->second);
    entries.erase(found->second.value);
    frames.erase(found);
  }

  /// The first half of every query. `accept` says which keyframes take part; it is asked about a
  /// few of them.
  template <typename Accept>
  Scored CountAndScore(const Histogram& query, std::uint32_t min_words, Accept accept) const {
    Scored result;
    const std::shared_lock<std::shared_mutex> lock(mutex);
    if (query.empty() || Index().size() == 0) return result;
    looptree::CommonWordsOptions options;
    options.scores = false;
    options.min_words = min_words;
    options.filter.accept = [&](FrameId frame) { return accept(entries.at(frame.value).keyframe); };
    const looptree::L1Query by_l1(query);
    for (const looptree::CommonFrame& frame : Index().common_words(query, options).frames) {
      const Entry& entry = entries.at(frame.frame.value);
      const auto score = static_cast<float>(by_l1.score(entry.histogram));
      result.frames.push_back({frame.frame, frame.common, score});
      result.keyframes.emplace(frame.frame.value, entry.keyframe);
      result.ids.emplace(entry.keyframe, frame.frame);
    }
    return result;
  }
};

KeyFrameDatabase::KeyFrameDatabase() : mpImpl(new Impl) {}
KeyFrameDatabase::KeyFrameDatabase(const ORBVocabulary& voc) : mpImpl(new Impl) {
  mpImpl->Reset(voc);
}
KeyFrameDatabase::~KeyFrameDatabase() = default;

void KeyFrameDatabase::add(KeyFrame* pKF) {
  mpImpl->Add(pKF);
}

void KeyFrameDatabase::erase(KeyFrame* pKF) {
  const std::lock_guard<std::shared_mutex> lock(mpImpl->mutex);
  mpImpl->Erase(pKF);
}

void KeyFrameDatabase::clear() {
  const std::lock_guard<std::shared_mutex> lock(mpImpl->mutex);
  if (mpImpl->index) mpImpl->index->clear();
  mpImpl->entries.clear();
  mpImpl->frames.clear();
}

void KeyFrameDatabase::SetORBVocabulary(ORBVocabulary* pORBVoc) {
  const std::lock_guard<std::shared_mutex> lock(mpImpl->mutex);
  mpImpl->Reset(*pORBVoc);
}

std::size_t KeyFrameDatabase::size() const {
  const std::shared_lock<std::shared_mutex> lock(mpImpl->mutex);
  return mpImpl->frames.size();
}

std::vector<KeyFrame*> KeyFrameDatabase::DetectRelocalizationCandidates(Frame* F) {
  const auto everyone = [](KeyFrame*) { return true; };
  return BestOfGroups(mpImpl->CountAndScore(ToHistogram(F->mBowVec), 0, everyone), 0);
}

#if LOOPTREE_ORB_SLAM == 2

std::vector<KeyFrame*> KeyFrameDatabase::DetectLoopCandidates(KeyFrame* pKF, float minScore) {
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  const auto accept = [&](KeyFrame* other) { return connected.count(other) == 0; };
  return BestOfGroups(mpImpl->CountAndScore(ToHistogram(pKF->mBowVec), 0, accept), minScore);
}

#else

std::vector<KeyFrame*> KeyFrameDatabase::DetectLoopCandidates(KeyFrame* pKF, float minScore) {
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  Map* const map = pKF->GetMap();
  const auto accept = [&](KeyFrame* other) {
    return connected.count(other) == 0 && other->GetMap() == map;
  };
  return BestOfGroups(mpImpl->CountAndScore(ToHistogram(pKF->mBowVec), 0, accept), minScore);
}

std::vector<KeyFrame*> KeyFrameDatabase::DetectRelocalizationCandidates(Frame* F, Map* pMap) {
  std::vector<KeyFrame*> candidates = DetectRelocalizationCandidates(F);
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](KeyFrame* other) { return other->GetMap() != pMap; }),
                   candidates.end());
  return candidates;
}

void KeyFrameDatabase::clearMap(Map* pMap) {
  const std::lock_guard<std::shared_mutex> lock(mpImpl->mutex);
  std::vector<KeyFrame*> gone;
  for (const auto& entry : mpImpl->entries) {
    if (entry.second.keyframe->GetMap() == pMap) gone.push_back(entry.second.keyframe);
  }
  for (KeyFrame* keyframe : gone) mpImpl->Erase(keyframe);
}

void KeyFrameDatabase::DetectCandidates(KeyFrame* pKF, float minScore,
                                        std::vector<KeyFrame*>& vpLoopCand,
                                        std::vector<KeyFrame*>& vpMergeCand) {
  const std::vector<KeyFrame*> loops = DetectLoopCandidates(pKF, minScore);
  vpLoopCand.insert(vpLoopCand.end(), loops.begin(), loops.end());
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  Map* const map = pKF->GetMap();
  const auto accept = [&](KeyFrame* other) {
    Map* const its = other->GetMap();
    return connected.count(other) == 0 && its != map && !its->IsBad();
  };
  const std::vector<KeyFrame*> merges =
      BestOfGroups(mpImpl->CountAndScore(ToHistogram(pKF->mBowVec), 0, accept), minScore);
  vpMergeCand.insert(vpMergeCand.end(), merges.begin(), merges.end());
}

void KeyFrameDatabase::DetectBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                                            std::vector<KeyFrame*>& vpMergeCand, int nMinWords) {
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  const auto accept = [&](KeyFrame* other) { return connected.count(other) == 0; };
  const auto least = static_cast<std::uint32_t>(std::max(nMinWords, 0));
  const Scored scored = mpImpl->CountAndScore(ToHistogram(pKF->mBowVec), least, accept);
  for (KeyFrame* candidate : BestOfGroups(scored, 0)) {
    (candidate->GetMap() == pKF->GetMap() ? vpLoopCand : vpMergeCand).push_back(candidate);
  }
}

void KeyFrameDatabase::DetectNBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                                             std::vector<KeyFrame*>& vpMergeCand,
                                             int nNumCandidates) {
  const std::set<KeyFrame*> connected = pKF->GetConnectedKeyFrames();
  const auto accept = [&](KeyFrame* other) { return connected.count(other) == 0; };
  const Scored scored = mpImpl->CountAndScore(ToHistogram(pKF->mBowVec), 0, accept);
  std::vector<CovisibleGroup> groups = Group(scored, 0);
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.score > b.score;  // equal ones stay in the order of the walk
  });
  const auto count = static_cast<std::size_t>(std::max(nNumCandidates, 0));
  std::set<KeyFrame*> seen;
  for (const CovisibleGroup& group : groups) {
    if (vpLoopCand.size() >= count && vpMergeCand.size() >= count) break;
    KeyFrame* const best = scored[group.best];
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
  const std::shared_lock<std::shared_mutex> lock(mpImpl->mutex);
  std::vector<std::pair<std::uint32_t, long unsigned int> > ids;
  for (const auto& entry : mpImpl->entries) {
    ids.emplace_back(entry.first, entry.second.keyframe->mnId);
  }
  std::sort(ids.begin(), ids.end());  // by frame: the order of adding
  mvBackupKeyFrameIds.clear();
  for (const auto& id : ids) mvBackupKeyFrameIds.push_back(id.second);
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

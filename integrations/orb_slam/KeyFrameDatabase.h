// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of ORB-SLAM's include/KeyFrameDatabase.h; docs/orb_slam.md says how to build it.
// Written for looptree from what ORB-SLAM's class does, under looptree's licence; C++11, so that
// the sources that include it need not change.
#ifndef KEYFRAMEDATABASE_H
#define KEYFRAMEDATABASE_H

#include <list>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "Frame.h"
#include "KeyFrame.h"
#include "ORBVocabulary.h"

// Which ORB-SLAM this stands in: 2 or 3.
#ifndef LOOPTREE_ORB_SLAM
#define LOOPTREE_ORB_SLAM 3
#endif

#if LOOPTREE_ORB_SLAM == 2
#define LOOPTREE_ORB_SLAM_NAMESPACE ORB_SLAM2
#else
#define LOOPTREE_ORB_SLAM_NAMESPACE ORB_SLAM3
#include "Map.h"
namespace boost {
namespace serialization {
class access;
}  // namespace serialization
}  // namespace boost
#endif

namespace LOOPTREE_ORB_SLAM_NAMESPACE {

class KeyFrame;
class Frame;
#if LOOPTREE_ORB_SLAM == 3
class Map;
#endif

// The keyframe database of ORB-SLAM over looptree's index: the same methods, the same candidates in
// the same order with the same scores, tens of times faster on a long map.
//
// Any number of queries may run at once, and together with one add, erase or clear; a query sees
// the state before or after it. No lock of the database is held while a keyframe is asked for its
// neighbours. A keyframe's mBowVec is read when it is added and must not change afterwards.
// looptree::Error (a std::exception) is thrown where the original would write through a wild
// pointer: a word past the vocabulary, a vector that is not L1-normalised, no vocabulary at all.
class KeyFrameDatabase {
#if LOOPTREE_ORB_SLAM == 3
  friend class boost::serialization::access;

  // What PreSave() noted; the including source brings boost's headers for vectors.
  template <class Archive>
  void serialize(Archive& ar, const unsigned int version) {
    static_cast<void>(version);
    ar& mvBackupKeyFrameIds;
  }
#endif

 public:
  // Without a vocabulary, until SetORBVocabulary().
  KeyFrameDatabase();
  explicit KeyFrameDatabase(const ORBVocabulary& voc);
  ~KeyFrameDatabase();
  KeyFrameDatabase(const KeyFrameDatabase&) = delete;
  KeyFrameDatabase& operator=(const KeyFrameDatabase&) = delete;

  // A keyframe that is in already stays as it is. (The original counts its words twice from then
  // on, and keeps a pointer after one erase.)
  void add(KeyFrame* pKF);
  // Nothing happens if it is not in.
  void erase(KeyFrame* pKF);
  void clear();

  // Loop detection: keyframes that are not connected to pKF, share most words with it, score at
  // least minScore, and whose neighbourhood scores high. In ORB-SLAM3 only those of pKF's map.
  std::vector<KeyFrame*> DetectLoopCandidates(KeyFrame* pKF, float minScore);

  // Relocalisation. Unlike the original, which adds whatever score an earlier query left in a
  // neighbour (or none ever wrote), this adds scores of this query alone.
  std::vector<KeyFrame*> DetectRelocalizationCandidates(Frame* F);

#if LOOPTREE_ORB_SLAM == 3
  // The same, of one map.
  std::vector<KeyFrame*> DetectRelocalizationCandidates(Frame* F, Map* pMap);

  // Erases the keyframes that are of this map now.
  void clearMap(Map* pMap);

  // Loop candidates of pKF's map and merge candidates of the others, each as DetectLoopCandidates.
  // These append to what the vectors hold.
  void DetectCandidates(KeyFrame* pKF, float minScore, std::vector<KeyFrame*>& vpLoopCand,
                        std::vector<KeyFrame*>& vpMergeCand);
  // The same in one go over all maps, without a minimum score, but with more than nMinWords words.
  void DetectBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                            std::vector<KeyFrame*>& vpMergeCand, int nMinWords);
  // The nNumCandidates best of either kind, best first. Bad keyframes are left out. (At one, the
  // original loops for ever.)
  void DetectNBestCandidates(KeyFrame* pKF, std::vector<KeyFrame*>& vpLoopCand,
                             std::vector<KeyFrame*>& vpMergeCand, int nNumCandidates);

  // Before an atlas is saved: notes the ids of the keyframes, in order.
  void PreSave();
  // After it was loaded, and SetORBVocabulary() was called: adds them again. Ids that the map lacks
  // are passed over.
  void PostLoad(std::map<long unsigned int, KeyFrame*> mpKFid);
#endif

  // Uses another vocabulary, and clears the database.
  void SetORBVocabulary(ORBVocabulary* pORBVoc);

  // Keyframes in the database.
  std::size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> mpImpl;
#if LOOPTREE_ORB_SLAM == 3
  std::vector<long unsigned int> mvBackupKeyFrameIds;
#endif
};

}  // namespace LOOPTREE_ORB_SLAM_NAMESPACE

#endif

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// In the place of ORB-SLAM's include/KeyFrameDatabase.h; docs/orb_slam.md says how to build it.
// Written for looptree from what ORB-SLAM's class does, under looptree's licence; C++11, like the
// sources that include it.
#ifndef KEYFRAMEDATABASE_H
#define KEYFRAMEDATABASE_H

#include <list>
#include <map>
#include <memory>
#include <mutex>
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
// the same order, call by call, tens of times faster on a long map.
//
// A query may run together with other queries and with one add, erase or clear; it sees the state
// before or after it. No lock of the index is held while a keyframe is asked for its neighbours. A
// keyframe's mBowVec is read when it is added and must not change afterwards.
// looptree::Error (a std::exception) is thrown where the original would write through a wild
// pointer or answer nonsense: a word past the vocabulary, a vector that is not L1-normalised, a
// vocabulary that does not score by L1, no vocabulary at all.
//
// An answer is the original's as long as every query carries an id (mnId) of its own, as ORB-SLAM's
// do. (The original leaves out keyframes that it met in an earlier query with the same id.)
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
  // What relocalisation, DetectBestCandidates and DetectNBestCandidates add up for a group.
  enum Scores {
    // What the original does: it reads a neighbour's score from the keyframe (mRelocScore,
    // mPlaceRecognitionScore), also where this query did not score it, so that an earlier query
    // left it there. Such queries take turns, each kind with its own.
    faithful,
    // Scores of this query alone. The keyframes' members are neither read nor written.
    sound
  };

  // Without a vocabulary, until SetORBVocabulary().
  KeyFrameDatabase();
  explicit KeyFrameDatabase(const ORBVocabulary& voc);
  ~KeyFrameDatabase();
  KeyFrameDatabase(const KeyFrameDatabase&) = delete;
  KeyFrameDatabase& operator=(const KeyFrameDatabase&) = delete;

  // faithful, unless LOOPTREE_ORB_SLAM_SOUND was defined when this was compiled. To be set before
  // queries run.
  void SetScores(Scores scores);

  // A keyframe that is in already stays as it is. (The original counts its words twice from then
  // on, and keeps a pointer after one erase.)
  void add(KeyFrame* pKF);
  // Nothing happens if it is not in.
  void erase(KeyFrame* pKF);
  void clear();

  // Loop detection: keyframes that are not connected to pKF, share most words with it, score at
  // least minScore, and whose neighbourhood scores high. In ORB-SLAM3 only those of pKF's map. The
  // original adds scores of the query alone here.
  std::vector<KeyFrame*> DetectLoopCandidates(KeyFrame* pKF, float minScore);

#if LOOPTREE_ORB_SLAM == 2
  // Relocalisation. ORB-SLAM never sets mRelocScore before the first query that scores a keyframe.
  std::vector<KeyFrame*> DetectRelocalizationCandidates(Frame* F);
#else
  // The same; all maps take part, candidates of others are left out at the end.
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

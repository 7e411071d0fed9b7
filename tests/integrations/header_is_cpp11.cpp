// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Compiled as C++11, as ORB-SLAM's own sources are.
#include "KeyFrameDatabase.h"

std::vector<ORB_SLAM3::KeyFrame*> ask(ORB_SLAM3::KeyFrameDatabase& database,
                                      ORB_SLAM3::KeyFrame* keyframe);
std::vector<ORB_SLAM3::KeyFrame*> ask(ORB_SLAM3::KeyFrameDatabase& database,
                                      ORB_SLAM3::KeyFrame* keyframe) {
  database.add(keyframe);
  return database.DetectLoopCandidates(keyframe, 0.1f);
}

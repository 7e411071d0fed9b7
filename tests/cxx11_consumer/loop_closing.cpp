// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "loop_closing.hpp"

static_assert(__cplusplus == 201103L, "our C++20 must not reach the sources of others");
#ifndef COMPILEDWITHC11
#error "the project's own definitions are gone"
#endif
#ifdef LOOPTREE_STATIC_DEFINE
#error "what looptree's library is compiled with must not reach the sources of others"
#endif

namespace ORB_SLAM2 {

std::size_t LoopClosing::Run(KeyFrame* keyframe) {
  adjustment_++;  // on a bool, as ORB-SLAM has it: C++17 took this away
  const std::size_t found = database_.DetectLoopCandidates(keyframe, 0.3f).size();
  database_.add(keyframe);
  return found;
}

}  // namespace ORB_SLAM2

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#ifndef LOOP_CLOSING_HPP
#define LOOP_CLOSING_HPP

#include "KeyFrameDatabase.h"

namespace ORB_SLAM2 {

class LoopClosing {
 public:
  explicit LoopClosing(KeyFrameDatabase& database) : database_(database), adjustment_(false) {}
  // How many loop candidates a keyframe has; then it is added.
  std::size_t Run(KeyFrame* keyframe);

 private:
  KeyFrameDatabase& database_;
  bool adjustment_;
};

}  // namespace ORB_SLAM2

#endif

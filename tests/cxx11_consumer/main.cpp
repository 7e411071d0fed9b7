// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Drives round a block twice: in the second round every keyframe finds itself of the first.
#include <cstdio>
#include <exception>

#include "loop_closing.hpp"

int main() {
  using namespace ORB_SLAM2;
  const unsigned kPlaces = 300;
  const ORBVocabulary vocabulary(std::vector<double>(10000, 1.0));
  KeyFrameDatabase database(vocabulary);
  LoopClosing closing(database);
  std::vector<KeyFrame> keyframes(2 * kPlaces);
  std::size_t found = 0;
  for (unsigned i = 0; i < keyframes.size(); ++i) {
    keyframes[i].mnId = i + 1;
    for (unsigned word = 0; word < 100; ++word) {
      keyframes[i].mBowVec[(i % kPlaces) * 31 + word] = 0.01;
    }
    // The drive's last keyframes are connected; words overlap from one place to the next.
    for (unsigned j = i > 5 ? i - 5 : 0; j < i; ++j) keyframes[i].connected.insert(&keyframes[j]);
    const std::size_t now = closing.Run(&keyframes[i]);
    if (i >= kPlaces && now > 0) ++found;
  }
  KeyFrame wrong;
  wrong.mBowVec[10000] = 1.0;
  bool refused = false;
  try {
    database.add(&wrong);
  } catch (const std::exception& error) {
    refused = true;
  }
  std::printf("%u of %u places found again\n", static_cast<unsigned>(found), kPlaces);
  return found == kPlaces && refused && database.size() == keyframes.size() ? 0 : 1;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What a detector says to people.
#include <cmath>
#include <string>

#include "looptree/detect/loop_detector.hpp"

namespace looptree {

std::string to_string(const FrameIdentity& frame) {
  const std::string number = "frame " + std::to_string(frame.number);
  std::string text = number;
  // The frames of a video are called "frame 7".
  if (!frame.name.empty() && frame.name != number) text += " (" + frame.name + ")";
  if (frame.earlier_session) {
    text += " of session " + std::to_string(frame.earlier_session->value);
  }
  return text;
}

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::closure:
      return "closure";
    case Decision::no_features:
      return "no features";
    case Decision::not_keyframe:
      return "not a keyframe";
    case Decision::no_candidate:
      return "no candidate";
    case Decision::not_verified:
      return "not verified";
    case Decision::not_consistent:
      return "not consistent";
    case Decision::not_distinct:
      return "not distinct";
  }
  return "unknown";
}

std::string Detection::explain() const {
  const auto number = [](auto value) { return std::to_string(value); };
  const std::string covered =
      verification.at_first_sight
          ? " of the strongest features"
          : " over " + number(static_cast<int>(std::lround(100 * verification.coverage))) +
                "% of the image";
  const std::string geometry = number(verification.inliers.size()) + " inliers of " +
                               number(verification.correspondences) + " correspondences" + covered;
  const std::string what = match ? to_string(*match) : "";
  const std::string in_a_row = number(consistent) + " queries in a row";
  switch (decision) {
    case Decision::closure:
      return "closure with " + what + ": " + geometry + ", " + in_a_row;
    case Decision::no_features:
      return "refused: no features";
    case Decision::not_keyframe:
      return "refused: not a keyframe";
    case Decision::no_candidate:
      return "refused by score: no earlier frame reaches " + number(threshold);
    case Decision::not_verified:
      return "refused by geometry: " + what + " shares " + geometry + ", " +
             number(needed_inliers) + " needed";
    case Decision::not_consistent:
      return "refused by temporal consistency: " + what + " after " + in_a_row + " with " +
             geometry + ", " + number(needed_inliers) + " needed so early";
    case Decision::not_distinct:
      return "refused as not distinct: " + what + " shares " + geometry +
             ", and other places share nearly as much";
  }
  return {};
}

}  // namespace looptree

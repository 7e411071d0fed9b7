// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/closure_lines.hpp"

#include <nlohmann/json.hpp>

namespace looptree::cli {
namespace {

void add(nlohmann::ordered_json& line, const std::string& who, const FrameIdentity& frame) {
  line[who] = frame.number;
  if (!frame.name.empty()) line[who + "_name"] = frame.name;
  if (frame.time_s) line[who + "_time_s"] = *frame.time_s;
}

}  // namespace

std::string closure_json(const Detection& detection) {
  nlohmann::ordered_json line;
  const FrameIdentity& match = *detection.match;
  add(line, "query", detection.frame);
  add(line, "match", match);
  if (match.earlier_session) {
    line["session"] = match.earlier_session->value;
    line["map_frame"] = match.id->value;
  }
  const Verification& verification = detection.verification;
  line["score"] = detection.score;
  line["inliers"] = verification.inliers.size();
  line["coverage"] = verification.coverage;
  if (const auto& pose = verification.match_from_query) {
    line["match_from_query"] = {{"rotation", quaternion(pose->rotation)},
                                {"direction", pose->direction}};
  }
  // Names of files may be of any bytes.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace looptree::cli

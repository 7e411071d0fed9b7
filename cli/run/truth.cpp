// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/truth.hpp"

#include <algorithm>

namespace looptree::cli {
namespace {

bool have_poses(const SequenceInfo& info) {
  return std::all_of(info.frames.begin(), info.frames.end(),
                     [](const SequenceFrame& frame) { return frame.pose.has_value(); });
}

/// Whether j is where i is: somewhere near, well enough for a claim, as a revisit.
struct Relation {
  bool near = false;
  bool claim = false;
  bool revisit = false;
};

Relation relate(const SequenceInfo& info, std::size_t i, std::size_t j, const TruthRule& rule) {
  if (info.loops) {
    const bool same = (*info.loops)(i, j);
    return {same, same, same};
  }
  const Pose& a = *info.frames[i].pose;
  const Pose& b = *info.frames[j].pose;
  const double metres = distance(a, b);
  if (metres > std::max(rule.claim_m, rule.revisit_m)) return {};
  const double degrees = angle_deg(a, b);
  const bool near = metres <= rule.claim_m;
  return {near, near && degrees <= rule.claim_deg,
          metres <= rule.revisit_m && degrees <= rule.revisit_deg};
}

}  // namespace

std::optional<Truth> judge(const SequenceInfo& info, const std::vector<Closure>& closures,
                           const TruthRule& rule) {
  if (!info.loops && !have_poses(info)) return std::nullopt;
  Truth truth;
  const std::size_t frames = info.frames.size();
  truth.is_revisit.assign(frames, false);
  std::vector<bool> is_near(frames, false);
  const std::size_t exclude_recent = info.loops ? 0 : rule.exclude_recent;
  for (std::size_t i = 0; i < frames; ++i) {
    for (std::size_t j = 0; j + exclude_recent < i; ++j) {
      const Relation relation = relate(info, i, j, rule);
      if (relation.near) is_near[i] = true;
      if (relation.revisit) truth.is_revisit[i] = true;
    }
    truth.near += is_near[i] ? 1 : 0;
    truth.revisits += truth.is_revisit[i] ? 1 : 0;
  }
  for (const Closure& closure : closures) {
    ++truth.closures;
    truth.is_right.push_back(relate(info, closure.query, closure.match, rule).claim);
    if (!truth.is_right.back()) continue;
    ++truth.right;
    truth.found += truth.is_revisit[closure.query] ? 1 : 0;
    truth.near_found += is_near[closure.query] ? 1 : 0;
  }
  return truth;
}

}  // namespace looptree::cli

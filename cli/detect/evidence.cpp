// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/evidence.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "looptree/common/pose.hpp"
#include "looptree/common/write_error.hpp"

namespace looptree::cli {
namespace {

/// Frames before and after the match whose scores are kept: there a loop shows as a diagonal.
constexpr std::uint32_t kAround = 12;

std::ofstream create(const std::filesystem::path& path, const char* header) {
  std::ofstream file(path);
  file << header << std::flush;
  if (!file) throw write_error(path);
  return file;
}

/// What the query of an inserted frame returned, and the frames around its match; lower ids first.
std::vector<Match> similar_frames(const LoopDetector& detector, const Detection& detection,
                                  FrameId frame) {
  std::vector<Match> similar = detection.matches;
  if (detection.match) {
    const std::uint32_t at = detection.match->id->value;
    const Filter around{.first = FrameId(at - std::min(at, kAround)),
                        .last = FrameId(std::min(at + kAround + 1, frame.value))};
    const auto near = detector.index().query(*detector.index().histogram(frame),
                                             {.top_k = 2 * kAround + 1, .filter = around});
    similar.insert(similar.end(), near.matches.begin(), near.matches.end());
  }
  std::sort(similar.begin(), similar.end(),
            [](const Match& a, const Match& b) { return a.frame < b.frame; });
  const auto same = [](const Match& a, const Match& b) { return a.frame == b.frame; };
  similar.erase(std::unique(similar.begin(), similar.end(), same), similar.end());
  return similar;
}

void write_pose(std::ofstream& file, const std::optional<RelativePose>& pose) {
  if (!pose) {
    file << ",,,,,,,";
    return;
  }
  const auto [x, y, z, w] = quaternion(pose->rotation);
  const auto& d = pose->direction;
  fmt::print(file, "{:.5f},{:.5f},{:.5f},{:.5f},{:.4f},{:.4f},{:.4f},", x, y, z, w, d[0], d[1],
             d[2]);
}

std::string points_of(const std::vector<Correspondence>& inliers, const Features& query,
                      const Features& match) {
  std::string text;
  for (const Correspondence& inlier : inliers) {
    const Keypoint& a = query.keypoints[inlier.query];
    const Keypoint& b = match.keypoints[inlier.match];
    text += fmt::format("{}{} {} {} {}", text.empty() ? "" : " ", std::lround(a.x),
                        std::lround(a.y), std::lround(b.x), std::lround(b.y));
  }
  return text;
}

}  // namespace

EvidenceFiles::EvidenceFiles(const std::filesystem::path& folder, FrameId first)
    : folder_(folder),
      evidence_(create(folder / "evidence.csv", "query,match,qx,qy,qz,qw,dx,dy,dz,points\n")),
      similar_(create(folder / "similar.csv", "frame,others\n")),
      first_(first) {}

std::optional<std::size_t> EvidenceFiles::number(FrameId id) const {
  if (id < first_) return std::nullopt;
  return numbers_[id.value - first_.value];
}

FrameEvidence EvidenceFiles::note(const FrameFeatures& frame, const Detection& detection,
                                  const LoopDetector& detector) {
  FrameEvidence evidence;
  if (!detection.frame.id) return evidence;
  numbers_.push_back(frame.number);
  evidence.others = others(detection, detector);
  if (!evidence.others.empty()) fmt::print(similar_, "{},{}\n", frame.number, evidence.others);
  const Verification& verification = detection.verification;
  if (!detection.match || verification.inliers.empty()) return evidence;
  evidence.match = number(*detection.match->id);
  // A bounded memory may have dropped the match for the frame itself.
  if (!evidence.match || !detector.index().contains(*detection.match->id)) return evidence;
  evidence.points =
      points_of(verification.inliers, frame.features, detector.features(*detection.match->id));
  fmt::print(evidence_, "{},{},", frame.number, *evidence.match);
  write_pose(evidence_, verification.match_from_query);
  evidence_ << evidence.points << '\n';
  return evidence;
}

std::string EvidenceFiles::others(const Detection& detection, const LoopDetector& detector) const {
  std::string row;
  for (const Match& other : similar_frames(detector, detection, *detection.frame.id)) {
    const auto its_number = number(other.frame);
    if (!its_number) continue;
    row += fmt::format("{}{}:{:.3g}", row.empty() ? "" : " ", *its_number, other.score);
  }
  return row;
}

void EvidenceFiles::finish() {
  evidence_.flush();
  similar_.flush();
  if (!evidence_ || !similar_) {
    throw write_error(folder_ / (evidence_ ? "similar.csv" : "evidence.csv"));
  }
}

}  // namespace looptree::cli

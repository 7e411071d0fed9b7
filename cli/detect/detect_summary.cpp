// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/detect_summary.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/core.h>

#include "cli/run/metric_truth.hpp"
#include "cli/run/truth.hpp"

namespace looptree::cli {
namespace {

void print_closures(std::FILE* out, const DetectSummary& summary) {
  fmt::print(out, "{} frames, {} closures, {:.1f} frames per second\n", summary.frames,
             summary.closures.size(),
             static_cast<double>(summary.frames) / std::max(1e-9, summary.seconds));
  if (summary.map_frames > 0) {
    fmt::print(out, "{} closures with the {} frames of earlier sessions\n", summary.map_closures,
               summary.map_frames);
  }
  if (!summary.calibrated && summary.closures.size() + summary.map_closures > 0) {
    fmt::print(
        out,
        "closures have no relative poses, and closures.g2o no edges: the camera is not calibrated "
        "(--calibration FX FY CX CY, or --calibration-file FILE)\n");
  }
}

/// The frames and files that were not looked at.
void print_left_out(std::FILE* out, const DetectSummary& summary) {
  if (summary.dropped > 0) {
    fmt::print(out, "{} frames of the camera came while another was looked at, and were dropped\n",
               summary.dropped);
  }
  const std::vector<std::string>& skipped = summary.info.skipped;
  if (!skipped.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, skipped.size()); ++i) {
      names += (i == 0 ? "" : ", ") + skipped[i];
    }
    fmt::print(out, "{} files of the folder are no images: {}{}\n", skipped.size(), names,
               skipped.size() > 3 ? ", ..." : "");
  }
  if (summary.unreadable > 0) {
    fmt::print(out, "{} images skipped, which could not be read\n", summary.unreadable);
  }
  if (summary.other_size > 0) {
    fmt::print(out, "{} images skipped, of another size than the first\n", summary.other_size);
  }
}

void print_times(std::FILE* out, const DetectSummary& summary) {
  const StageTimes& t = summary.times;
  fmt::print(out,
             "milliseconds per frame: read {:.2f}, extract {:.2f}, histogram {:.2f}, query {:.3f}, "
             "temporal {:.3f}, verify {:.2f}, insert {:.3f}\n",
             summary.read_ms, summary.extract_ms, t.histogram_ms, t.query_ms, t.temporal_ms,
             t.verify_ms, t.insert_ms);
}

void print_truth(std::FILE* out, const DetectSummary& summary) {
  // After Ctrl-C only what was seen counts.
  SequenceInfo seen = summary.info;
  if (summary.interrupted) seen.frames.resize(std::min(seen.frames.size(), summary.seen));
  const auto truth = judge(seen, summary.closures, {.exclude_recent = summary.exclude_recent});
  if (!truth) return;
  const char* same = seen.loops ? "marked in the loop mask" : "within 15 m, 60 degrees";
  const char* revisit =
      seen.loops ? "frames with a loop in the mask" : "same-direction revisits (5 m, 30 degrees)";
  fmt::print(out, "against the truth: {} of {} closures right ({}), {} of {} {} found ({:.1f}%)\n",
             truth->right, truth->closures, same, truth->found, truth->revisits, revisit,
             100 * truth->recall());
  if (!seen.loops) {
    fmt::print(out,
               "any direction: {} of {} frames within 15 m of an earlier one found ({:.1f}%)\n",
               truth->near_found, truth->near, 100 * truth->near_recall());
  }
}

}  // namespace

void print_summary(const DetectSummary& summary, bool json) {
  std::FILE* const out = json ? stderr : stdout;
  print_closures(out, summary);
  print_left_out(out, summary);
  print_times(out, summary);
  print_metric_truth(summary.info, summary.closures);
  print_truth(out, summary);
}

}  // namespace looptree::cli

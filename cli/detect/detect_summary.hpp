// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"

#include "cli/run/detect_folder.hpp"

namespace looptree::cli {

/// How a detection went.
struct DetectSummary {
  std::filesystem::path run;
  SequenceInfo info{};         ///< of a live source, what came of it
  std::uint64_t dropped = 0;   ///< frames of a camera that came while the one before was looked at
  std::size_t frames = 0;      ///< processed
  std::size_t seen = 0;        ///< one more than the number of the last
  std::size_t unreadable = 0;  ///< skipped because the image could not be read
  std::size_t other_size = 0;  ///< skipped because the image was not as large as the first
  std::uint32_t exclude_recent = 0;
  double seconds = 0;  ///< of wall clock, from the first image to the last answer
  StageTimes times{};  ///< milliseconds per frame, on average
  double read_ms = 0;
  double extract_ms = 0;
  std::vector<Closure> closures;
  std::size_t map_frames = 0;    ///< frames of the map before the run
  std::size_t map_closures = 0;  ///< closures with those
  bool calibrated = false;       ///< without, closures have no poses
  bool interrupted = false;      ///< by Ctrl-C; what was found before is in the run folder
};

/// Prints what the run found, against the truth where the sequence has it.
void print_summary(const DetectSummary& summary, bool json);

}  // namespace looptree::cli

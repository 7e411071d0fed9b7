// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "looptree/common/progress.hpp"

namespace looptree::cli {

/// Whether Ctrl-C was pressed since the first ProgressBar was made.
bool interrupted_by_user();

/// A line on standard error that shows how far a job has come. Silent unless standard error is a
/// terminal, and for the first second, so that quick jobs and scripts stay clean. From the moment
/// one is made, Ctrl-C does not kill the program but makes the callback ask the job to stop.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Redraws at most ten times a second; a total of 0 is one that nobody knows. `note` is shown
  /// behind the rate. False after Ctrl-C.
  bool update(std::size_t done, std::size_t total, const std::string& note = {});

  /// update() as the library's jobs call it.
  ProgressCallback callback();

 private:
  void draw(std::size_t done, std::size_t total, double elapsed, const std::string& note);

  std::string title_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace looptree::cli

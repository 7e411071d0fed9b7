// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/result.hpp"

namespace looptree::cli {

/// Where results go and who asked for them; every protocol has it.
struct OutputOptions {
  std::string output;
  std::uint64_t seed = 1;

  void add_to(CLI::App& app);
  /// Writes the run, links it as `latest` where no name was given, and prints its table.
  void write(const evaluate::EvaluationResult& result, const std::string& dataset,
             const CLI::App& app, std::span<const Pose> route = {}) const;
};

/// The command line as typed, kept for the records.
void remember_command(int argc, char** argv);

}  // namespace looptree::cli

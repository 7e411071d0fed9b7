// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// What somebody needs to know to repeat a run.
struct RunConfig {
  std::string dataset;
  std::string command;  ///< the command line
  std::uint64_t seed = 1;
  std::vector<std::pair<std::string, std::string>> options;
};

/// Where a result was measured, found by looking.
struct Machine {
  std::string cpu;
  std::size_t cores = 0;
  std::string system;
  std::string compiler;
  std::string build;   ///< build type
  std::string commit;  ///< of the sources, "-dirty" if they were changed; "unknown" outside git
};

LOOPTREE_EVALUATE_EXPORT Machine this_machine();

/// A run as read back from its folder.
struct Run {
  std::filesystem::path folder;
  std::string dataset;
  std::string machine;  ///< one line
  std::string commit;
  std::string command;
  EvaluationResult result;  ///< without times, which stay in their file; see read_times()
};

/// Writes a result as a folder, made if need be:
///   config.json    protocol, dataset, command, options, seed, date, machine, compiler, commit
///   metrics.json   facts of the data and metrics of every variant
///   curves.csv     variant,threshold,precision,recall,right,wrong
///   timings.csv    variant,pass,kind,query,database_size,ms: every query
///   closures.csv   query,match,score,right,variant: what was believed at the threshold
///   route.csv      frame,x,y,z: where there are poses
/// Files of a kind that the result has nothing for are left out. Throws Error(io) if a file cannot
/// be written, Error(invalid_argument) if `folder` holds a run already.
LOOPTREE_EVALUATE_EXPORT void write_run(const std::filesystem::path& folder,
                                        const EvaluationResult& result, const RunConfig& config,
                                        std::span<const Pose> route = {});

/// Reads one back. Throws Error(not_found) where there is no metrics.json, Error(corruption) with
/// the file and the line for what is not as write_run() writes it.
LOOPTREE_EVALUATE_EXPORT Run read_run(const std::filesystem::path& folder);

/// The times of a run, variants numbered as in its result; empty if it has none.
LOOPTREE_EVALUATE_EXPORT std::vector<QueryTime> read_times(const Run& run);

/// How many of the newest frames a query of the run in `folder` could not be answered with, by its
/// config.json: of `looptree detect` or of a protocol on a route. Nothing where there is no such
/// file or it does not say. Throws Error(corruption) for one that is no JSON.
LOOPTREE_EXPORT std::optional<std::size_t> read_exclude_recent(const std::filesystem::path& folder);

/// Reads closures of any method: a CSV file whose header begins with "query,match"; a column named
/// "score" is used where there is one, as `has_scores` says, others are passed over.
struct ClosureFile {
  std::vector<ScoredClosure> closures;
  bool has_scores = false;
};
LOOPTREE_EVALUATE_EXPORT ClosureFile read_closures(const std::filesystem::path& path);

}  // namespace looptree::evaluate

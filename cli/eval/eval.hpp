// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace looptree::cli {

/// The methods of the paper's tables, baselines first: ours, and the structure it compared with.
inline const std::vector<std::string> kTableVariants = {"d1", "lists", "d2b16-mean", "d2b16-sum",
                                                        "d2b16-max"};

/// Each family of protocols adds its subcommands to `eval`.
void add_route_protocols(CLI::App& eval);      ///< incremental, sweep, in-the-loop, threshold,
                                               ///< statistics
void add_synthetic_protocols(CLI::App& eval);  ///< synthetic, keyframes, adaptive, scale
void add_retrieval_protocol(CLI::App& eval);   ///< retrieval
void add_reduce(CLI::App& eval);               ///< reduce, which makes a word file of another
#ifdef LOOPTREE_WITH_VISION
void add_sessions_protocol(CLI::App& eval);  ///< sessions
#endif

}  // namespace looptree::cli

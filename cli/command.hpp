// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace looptree::cli {

/// What scripts can tell apart.
enum ExitCode {
  kSuccess = 0,
  kFailure = 1,  ///< the job could not be done; the reason is on standard error
  kUsage = 2,    ///< the command line was not understood
  kInterrupted = 130,
};

/// Each subcommand lives in a file of its name and adds itself to the application here. Its
/// callback does the work and throws looptree::Error if it cannot.
void add_demo(CLI::App& app);
void add_eval(CLI::App& app);
void add_manual(CLI::App& app);
void add_replay(CLI::App& app);
void add_report(CLI::App& app);
#ifdef LOOPTREE_WITH_VISION
void add_detect(CLI::App& app);
void add_optimize(CLI::App& app);
void add_show(CLI::App& app);
void add_view(CLI::App& app);
void add_words(CLI::App& app);
void add_world(CLI::App& app);
#endif
#ifdef LOOPTREE_WITH_STORE
void add_map(CLI::App& app);
#ifdef LOOPTREE_WITH_VISION
void add_query(CLI::App& app);
#ifdef LOOPTREE_WITH_SERVER
void add_serve(CLI::App& app);
#endif
#endif
#endif
void add_vocab(CLI::App& app);

}  // namespace looptree::cli

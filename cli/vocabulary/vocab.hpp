// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command.hpp"

namespace looptree::cli {

/// The subcommands of `looptree vocab`, each in a file of its name.
void add_vocab_train(CLI::App& vocab);
void add_vocab_info(CLI::App& vocab);
void add_vocab_convert(CLI::App& vocab);

}  // namespace looptree::cli

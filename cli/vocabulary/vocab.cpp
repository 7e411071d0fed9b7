// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/vocabulary/vocab.hpp"

namespace looptree::cli {

void add_vocab(CLI::App& app) {
  CLI::App* vocab = app.add_subcommand("vocab", "Train, inspect and convert vocabularies");
  vocab->require_subcommand(1);
  add_vocab_train(*vocab);
  add_vocab_info(*vocab);
  add_vocab_convert(*vocab);
}

}  // namespace looptree::cli

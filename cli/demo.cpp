// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "cli/command.hpp"

namespace looptree::cli {

void add_demo(CLI::App& app) {
  app.add_subcommand("demo", "Find the loops of a route, on data made on the spot")->callback([] {
    fmt::print("looptree\n");
  });
}

}  // namespace looptree::cli

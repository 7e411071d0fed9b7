// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/version.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/shell.hpp"

namespace {

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

/// What went wrong with the arguments. The parser calls an unknown command a missing one.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const bool known = first.empty() || first.starts_with('-') || has_command(app, first);
  if (known && argc > 1) return error.what();
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "expected a command (" + names + "), found " + (known ? "none" : "\"" + first + "\"");
}

int run(int argc, char** argv) {
  using namespace looptree;
  CLI::App app{"looptree finds the places a camera has been before.", "looptree"};
  app.set_version_flag("--version", "looptree " LOOPTREE_VERSION);
  app.require_subcommand(1);
  app.footer("Run \"looptree COMMAND --help\" for the options of a command.");
  cli::remember_program(argc > 0 ? argv[0] : nullptr);
  cli::remember_command(argc, argv);
  cli::add_demo(app);
  cli::add_eval(app);
  cli::add_replay(app);
  cli::add_report(app);
#ifdef LOOPTREE_WITH_VISION
  cli::add_detect(app);
  cli::add_optimize(app);
  cli::add_show(app);
  cli::add_view(app);
  cli::add_words(app);
  cli::add_world(app);
#endif
#ifdef LOOPTREE_WITH_STORE
  cli::add_map(app);
#ifdef LOOPTREE_WITH_VISION
  cli::add_query(app);
#endif
#endif
  cli::add_vocab(app);
  try {
    app.parse(argc, argv);
    return cli::kSuccess;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "error: {}\n", explain(app, error, argc, argv));
    fmt::print(stderr, "Run \"looptree --help\" to see what can be asked.\n");
    return cli::kUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return error.kind() == ErrorKind::cancelled ? cli::kInterrupted : cli::kFailure;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("error: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return looptree::cli::kFailure;
  }
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/version.hpp"

#include "cli/command.hpp"
#include "cli/eval_output.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace looptree;
  CLI::App app{"looptree finds the places a camera has been before.", "looptree"};
  app.set_version_flag("--version", "looptree " LOOPTREE_VERSION);
  app.require_subcommand(1);
  app.footer("Run \"looptree COMMAND --help\" for the options of a command.");
  cli::remember_command(argc, argv);
  cli::add_demo(app);
  cli::add_eval(app);
  cli::add_report(app);
#ifdef LOOPTREE_WITH_VISION
  cli::add_detect(app);
  cli::add_show(app);
  cli::add_words(app);
  cli::add_world(app);
#endif
#ifdef LOOPTREE_WITH_STORE
  cli::add_map(app);
#endif
  cli::add_vocab(app);
  try {
    app.parse(argc, argv);
    return cli::kSuccess;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "error: {}\n", error.what());
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

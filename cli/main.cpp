// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "looptree/common/error.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/near_miss.hpp"
#include "cli/shell.hpp"
#include "cli/version_text.hpp"

namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());  // not hidden
  }
  return names;
}

/// The innermost command that was named: of "map info --verbos", info of map.
const CLI::App* named_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const auto commands = at->get_subcommands({});
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
      return command->get_name() == argv[i];
    });
    if (found == commands.end()) break;
    at = *found;
  }
  return at;
}

std::string did_you_mean(const std::string& found, const std::vector<std::string>& names) {
  const std::string meant = looptree::cli::near_miss(found, names);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

/// The first option among the arguments that the command does not have; empty if there is none.
std::string unknown_option(const CLI::App& command, int argc, char** argv,
                           std::vector<std::string>& known) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (!word.starts_with("--") || word == "--") continue;
    word = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), word) == known.end()) return word;
  }
  return "";
}

/// What went wrong with the arguments. The parser calls an unknown command a missing one.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* const command = named_command(app, argc, argv);
  const std::vector<std::string> commands = names_of_commands(*command);
  std::vector<std::string> known;
  const std::string option = unknown_option(*command, argc, argv, known);
  if (!option.empty()) return "unknown option " + option + did_you_mean(option, known);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
      command->get_name() == "detect") {
    return "expected one sequence, found several: a folder, a list of images (.txt) or a pattern "
           "in "
           "quotes, \"photos/*.jpg\", is one";
  }
  if (commands.empty()) return error.what();
  int depth = 1;
  for (const CLI::App* at = command; at->get_parent() != nullptr; at = at->get_parent()) ++depth;
  const std::string found = argc > depth ? argv[depth] : "";
  std::string list;
  for (const std::string& name : commands) list += (list.empty() ? "" : ", ") + name;
  return "expected a command (" + list + "), found " +
         (found.empty() ? "none" : "\"" + found + "\"" + did_you_mean(found, commands));
}

/// "looptree map info", as it is asked for help.
std::string full_name(const CLI::App* command) {
  std::string name = command->get_name();
  for (command = command->get_parent(); command != nullptr; command = command->get_parent()) {
    name = command->get_name() + " " + name;
  }
  return name;
}

int run(int argc, char** argv) {
  using namespace looptree;
  CLI::App app{"looptree finds the places a camera has been before.", "looptree"};
  app.set_version_flag("--version", cli::version_text());
  app.require_subcommand(1);
  app.footer("Run \"looptree COMMAND --help\" for the options of a command.");
  cli::remember_program(argc > 0 ? argv[0] : nullptr);
  cli::remember_command(argc, argv);
  // In the order in which they are met: that of --help.
  cli::add_demo(app);
#ifdef LOOPTREE_WITH_VISION
  cli::add_detect(app);
  cli::add_show(app);
  cli::add_view(app);
  cli::add_optimize(app);
#endif
#ifdef LOOPTREE_WITH_STORE
#ifdef LOOPTREE_WITH_VISION
  cli::add_query(app);
#ifdef LOOPTREE_WITH_SERVER
  cli::add_serve(app);
#endif
#endif
  cli::add_map(app);
#endif
  cli::add_vocab(app);
  cli::add_eval(app);
  cli::add_report(app);
  cli::add_replay(app);
#ifdef LOOPTREE_WITH_VISION
  cli::add_words(app);
  cli::add_world(app);
#endif
  cli::add_manual(app);
  try {
    app.parse(argc, argv);
    return cli::kSuccess;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "error: {}\n", explain(app, error, argc, argv));
    fmt::print(stderr, "Run \"{} --help\" to see what can be asked.\n",
               full_name(named_command(app, argc, argv)));
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

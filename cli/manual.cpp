// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree manual` and `looptree completion`, for whoever packages it: both say what --help says.
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/version.hpp"

#include "cli/command.hpp"

namespace looptree::cli {
namespace {

using Visit = std::function<void(const CLI::App&, const std::string&)>;

bool is_hidden(const CLI::App& command) {
  return command.get_group().empty();
}

/// Every command but the hidden ones, with its full name: "map info".
void each_command(const CLI::App& app, const std::string& name, const Visit& visit) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (is_hidden(*command)) continue;
    const std::string full = (name.empty() ? "" : name + " ") + command->get_name();
    visit(*command, full);
    each_command(*command, full, visit);
  }
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Text that troff takes for nothing but text.
std::string plain(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

void print_manual(const CLI::App& app) {
  fmt::print(
      ".TH LOOPTREE 1 \"\" \"looptree {}\" \"User Commands\"\n.SH NAME\nlooptree \\- find the "
      "places a camera has been before\n.SH SYNOPSIS\n.B looptree\n.I COMMAND\n[OPTIONS]\n",
      LOOPTREE_VERSION);
  fmt::print(".SH COMMANDS\n");
  each_command(app, "", [](const CLI::App& command, const std::string& name) {
    fmt::print(".SS looptree {}\n{}\n", plain(name), plain(command.get_description()));
    for (const CLI::Option* option : command.get_options()) {
      fmt::print(".TP\n.B {}\n{}\n", plain(option->get_name(true)),
                 plain(option->get_description()));
    }
    if (!command.get_footer().empty())
      fmt::print(".PP\n.nf\n{}\n.fi\n", plain(command.get_footer()));
  });
  fmt::print(
      ".SH EXIT STATUS\n0 success, 1 the job could not be done, 2 the command line was not "
      "understood, 130 stopped by Ctrl\\-C\n");
}

std::string names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!is_hidden(*command)) names.push_back(command->get_name());
  }
  return joined(names);
}

/// Words after the commands typed so far; else files.
void print_bash(const CLI::App& app) {
  fmt::print(
      "_looptree() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} at=\"\" i words=\"\"\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case \"$at ${{COMP_WORDS[i]}}\" in\n");
  each_command(app, "", [](const CLI::App&, const std::string& name) {
    fmt::print("      \" {0}\") at=\" {0}\" ;;\n", name);
  });
  fmt::print("    esac\n  done\n  case \"$at\" in\n    \"\") words=\"{} --help --version\" ;;\n",
             names_of(app));
  each_command(app, "", [](const CLI::App& command, const std::string& name) {
    fmt::print("    \" {}\") words=\"{} {}\" ;;\n", name, names_of(command),
               joined(long_names(command)));
  });
  fmt::print(
      "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n}}\n"
      "complete -o filenames -F _looptree looptree\n");
}

/// zsh reads bash's.
void print_zsh(const CLI::App& app) {
  fmt::print("#compdef looptree\nautoload -U +X bashcompinit && bashcompinit\n");
  print_bash(app);
}

std::string fish_quoted(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return "'" + result + "'";
}

void print_fish(const CLI::App& app) {
  each_command(app, "", [](const CLI::App& command, const std::string& name) {
    const std::size_t blank = name.rfind(' ');
    const std::string condition = blank == std::string::npos
                                      ? "__fish_use_subcommand"
                                      : "__fish_seen_subcommand_from " + name.substr(0, blank);
    fmt::print("complete -c looptree -n '{}' -a {} -d {}\n", condition, command.get_name(),
               fish_quoted(command.get_description()));
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& word : option->get_lnames()) {
        fmt::print("complete -c looptree -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                   command.get_name(), word, fish_quoted(option->get_description()));
      }
    }
  });
}

}  // namespace

void add_manual(CLI::App& app) {
  app.add_subcommand("manual", "Print the manual page")->group("")->callback([&app] {
    print_manual(app);
  });
  CLI::App* completion =
      app.add_subcommand("completion", "Print completions of a shell")->group("");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, shell] {
    if (*shell == "bash") print_bash(app);
    if (*shell == "zsh") print_zsh(app);
    if (*shell == "fish") print_fish(app);
  });
}

}  // namespace looptree::cli

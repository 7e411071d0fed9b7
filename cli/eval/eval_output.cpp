// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/eval_output.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "looptree/evaluate/compare.hpp"
#include "looptree/evaluate/run_folder.hpp"

#include "cli/run/run_path.hpp"
#include "cli/shell.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

std::string command_line;

}  // namespace

void OutputOptions::add_to(CLI::App& app) {
  app.add_option("-o,--output", output, "Folder for the results; without it a new one in runs/");
  app.add_option("--seed", seed, "Of everything drawn at random")->capture_default_str();
}

void OutputOptions::write(const evaluate::EvaluationResult& result, const std::string& dataset,
                          const CLI::App& app, std::span<const Pose> route) const {
  evaluate::RunConfig config{dataset, command_line, seed, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    const auto values = option->as<std::vector<std::string>>();
    config.options.emplace_back(option->get_name(), fmt::format("{}", fmt::join(values, " ")));
  }
  const fs::path folder = output.empty() ? new_run_path(result.protocol) : fs::path(output);
  evaluate::write_run(folder, result, config, route);
  if (output.empty()) link_latest(folder);
  const std::vector<evaluate::Run> runs = {evaluate::read_run(folder)};
  fmt::print("{}", evaluate::compare(runs));
  fmt::print("\nresults: {}\nto see them: {} report {}\n", folder.string(), program(),
             shell_word(folder.string()));
}

void remember_command(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    if (i > 0) command_line += ' ';
    command_line += i == 0 ? "looptree" : shell_word(argv[i]);
  }
}

}  // namespace looptree::cli

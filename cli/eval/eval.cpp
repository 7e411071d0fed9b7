// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/eval.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/compare.hpp"
#include "looptree/evaluate/protocols/incremental.hpp"
#include "looptree/evaluate/run_folder.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval_input.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

using namespace looptree::evaluate;  // NOLINT: this file is its command line

using Names = std::vector<std::string>;

struct ClosuresOptions {
  std::string file;
  std::string poses;
  std::string name;
  TruthOptions truth;
  OutputOptions output;
};

/// Closures of a run are judged as the run itself judged them, unless the user says otherwise.
void use_own_exclude_recent(const CLI::App& app, const std::filesystem::path& run,
                            TruthOptions& truth) {
  if (app.count("--exclude-recent") > 0) return;
  const auto own = read_exclude_recent(run);
  if (!own) return;
  truth.exclude_recent = *own;
  fmt::print("--exclude-recent {}, as {} has it\n", *own, (run / "config.json").string());
}

void add_closures(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand("closures", "Score a closures.csv of any method");
  auto options = std::make_shared<ClosuresOptions>();  // lives in the callback
  app->add_option("file", options->file, "CSV that begins with query,match, perhaps a score")
      ->required();
  app->add_option("--poses", options->poses, "3x4 pose per frame, as KITTI writes them");
  app->add_option("--name", options->name, "What to call the method; without it, its folder");
  options->truth.add_to(*app);
  options->output.add_to(*app);
  app->callback([options, app] {
    Input input{
        options->poses.empty() ? options->truth.matrix : options->poses, {}, {}, {}, {}, {}};
    if (!options->poses.empty()) input.poses = read_poses(options->poses);
    const ClosureFile file = read_closures(options->file);
    const std::filesystem::path path = std::filesystem::absolute(options->file);
    use_own_exclude_recent(*app, path.parent_path(), options->truth);
    const std::string name =
        options->name.empty() ? path.parent_path().filename().string() : options->name;
    const EvaluationResult result = score_closures(name, file.closures, input.truth(options->truth),
                                                   options->truth.exclude_recent, file.has_scores);
    options->output.write(result,
                          std::filesystem::path(input.name).parent_path().filename().string(), *app,
                          input.poses);
  });
}

void add_compare(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand("compare", "A table of any number of runs, with ratios");
  auto folders = std::make_shared<Names>();  // lives in the callback
  app->add_option("runs", *folders, "Folders of results")->required();
  app->callback([folders] {
    std::vector<Run> runs;
    for (const std::string& folder : *folders) runs.push_back(read_run(folder));
    fmt::print("{}", compare(runs));
  });
}

}  // namespace

void add_eval(CLI::App& app) {
  CLI::App* eval =
      app.add_subcommand("eval", "Run an experiment of the paper, and keep the results");
  eval->require_subcommand(1);
  add_route_protocols(*eval);
  add_synthetic_protocols(*eval);
  add_retrieval_protocol(*eval);
  add_reduce(*eval);
#ifdef LOOPTREE_WITH_VISION
  add_sessions_protocol(*eval);
#endif
  add_closures(*eval);
  add_compare(*eval);
}

}  // namespace looptree::cli

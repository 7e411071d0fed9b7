// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/methods/fabmap.hpp"
#include "looptree/evaluate/protocols/incremental.hpp"
#include "looptree/evaluate/protocols/statistics.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval.hpp"
#include "cli/eval/eval_input.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

using namespace looptree::evaluate;  // NOLINT: this file is its command line

using Names = std::vector<std::string>;

/// The topologies of the paper's figures. Not "lists", which would take all the time; ask for it.
const Names kPaperVariants = {"d1",        "d2b4-mean", "d2b8-mean", "d2b16-mean", "d2b4-sum",
                              "d2b8-sum",  "d2b16-sum", "d2b4-max",  "d2b8-max",   "d2b16-max",
                              "d3b4-mean", "d3b4-max",  "d4b4-max"};

/// FAB-MAP, which is the one method that learns.
struct FabMapArguments {
  Names training;
  std::size_t train_every = 1;
  FabMapOptions model;

  void add_to(CLI::App& app) {
    app.add_option("--train", training,
                   "Sequences of elsewhere that the variant fabmap learns words' dependences from");
    app.add_option("--train-every", train_every, "Of those, only every so many frames")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--detection", model.detection,
                   "fabmap: how likely a word is seen where what makes it is")
        ->capture_default_str();
    app.add_option("--false-detection", model.false_detection, "fabmap: and where it is not")
        ->capture_default_str();
    app.add_option("--same-place", model.same_place,
                   "fabmap: frames within this many of each other are one place")
        ->capture_default_str();
  }

  Variant variant(const Input& input) const {
    if (training.empty()) {
      throw Error(ErrorKind::invalid_argument,
                  "expected --train with sequences that fabmap learns from, found none");
    }
    std::vector<Histogram> samples;
    for (const std::string& name : training) {
      const Input other = load_input(name);
      check_same_vocabulary({&input, &other});
      for (std::size_t i = 0; i < other.histograms.size(); i += train_every) {
        samples.push_back(other.histograms[i]);
      }
    }
    return make_fabmap(std::make_shared<const FabMapModel>(samples, input.words.size, model));
  }
};

struct RouteOptions {
  std::string input;
  Names variants;
  FabMapArguments fabmap;
  TruthOptions truth;
  OutputOptions output;
  double threshold = -1;
  std::size_t every = 1;
  std::size_t passes = 5;
  std::size_t curve_points = 40;
};

std::vector<Variant> variants_of(const RouteOptions& options, const Input& input) {
  std::vector<Variant> variants;
  for (const std::string& name : options.variants) {
    variants.push_back(name == "fabmap" ? options.fabmap.variant(input)
                                        : make_variant(name, input.words));
  }
  return variants;
}

/// Incremental loop closure and what is built on it: they differ in the variants.
void add_route_protocol(CLI::App& eval, const std::string& name, const std::string& help,
                        const Names& variants) {
  CLI::App* app = eval.add_subcommand(name, help);
  auto options = std::make_shared<RouteOptions>();  // lives in the callback
  options->variants = variants;
  app->add_option("sequence", options->input, kInputHelp)->required();
  app->add_option("--variants", options->variants, "Methods to compare; the first is the baseline")
      ->delimiter(',')
      ->capture_default_str();
  app->add_option("--threshold", options->threshold,
                  "Believe matches of this score; without it, the smallest without a false alarm")
      ->check(CLI::Range(0.0, 1.0));
  app->add_option("--every", options->every, "Only every so many frames ask; all are inserted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--passes", options->passes, "How often every query is timed")
      ->capture_default_str();
  app->add_option("--curve-points", options->curve_points, "Thresholds of a measured curve")
      ->capture_default_str();
  options->fabmap.add_to(*app);
  options->truth.add_to(*app);
  options->output.add_to(*app);
  app->callback([options, app, name] {
    const Input input = load_input(options->input);
    ProgressBar bar(name);
    IncrementalOptions protocol{.exclude_recent = options->truth.exclude_recent,
                                .every = options->every,
                                .passes = options->passes,
                                .curve_points = options->curve_points,
                                .progress = bar.callback()};
    if (options->threshold >= 0) protocol.threshold = options->threshold;
    EvaluationResult result = incremental(input.route(options->truth), input.words,
                                          variants_of(*options, input), protocol);
    result.protocol = name;
    options->output.write(result, input.name, *app, input.poses);
  });
}

struct ThresholdOptions {
  Names inputs;
  std::string variant = "d1";
  TruthOptions truth;
  OutputOptions output;
};

void add_threshold(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "threshold",
      "The smallest threshold without a false alarm on the first sequence, used on all");
  auto options = std::make_shared<ThresholdOptions>();  // lives in the callback
  app->add_option("sequences", options->inputs, kInputHelp)->required();
  app->add_option("--variant", options->variant, "Method")->capture_default_str();
  options->truth.add_to(*app);
  options->output.add_to(*app);
  app->callback([options, app] {
    std::vector<Input> inputs;
    std::vector<Route> routes;
    for (const std::string& name : options->inputs) inputs.push_back(load_input(name));
    std::vector<const Input*> all;
    all.reserve(inputs.size());
    for (const Input& input : inputs) all.push_back(&input);
    check_same_vocabulary(all);
    routes.reserve(inputs.size());
    for (const Input& input : inputs) routes.push_back(input.route(options->truth));
    ProgressBar bar("threshold");
    const EvaluationResult result =
        threshold_policy(routes, make_variant(options->variant, inputs[0].words),
                         options->truth.exclude_recent, bar.callback());
    options->output.write(result, inputs[0].name, *app, inputs[0].poses);
  });
}

struct StatisticsCommand {
  Names inputs;
  StatisticsOptions protocol;
  TruthOptions truth;
  OutputOptions output;
};

/// Metrics as rows, sequences as columns: there are many of the ones and few of the others.
void print_columns(const EvaluationResult& result) {
  fmt::print("| |");
  for (const VariantResult& route : result.variants) fmt::print(" {} |", route.name);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < result.variants.size(); ++i) fmt::print("---|");
  for (const Metric& metric : result.variants[0].metrics) {
    fmt::print("\n| {} |", metric.name);
    for (const VariantResult& route : result.variants) {
      fmt::print(" {:.4g} |", route.metric(metric.name).value_or(0));
    }
  }
  fmt::print("\n\n");
}

void add_statistics(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "statistics", "What sequences look like to an index: words, scores, survivors of pooling");
  auto command = std::make_shared<StatisticsCommand>();  // lives in the callback
  app->add_option("sequences", command->inputs, kInputHelp)->required();
  app->add_option("--sample", command->protocol.sample, "Queries whose pairs are looked at")
      ->capture_default_str();
  command->truth.add_to(*app);
  command->output.add_to(*app);
  app->callback([command, app] {
    EvaluationResult result{"statistics", {}, {}, {}};
    std::string names;
    for (const std::string& name : command->inputs) {
      const Input input = load_input(name);
      ProgressBar bar("statistics");
      command->protocol.exclude_recent = command->truth.exclude_recent;
      command->protocol.progress = bar.callback();
      result.variants.push_back(
          word_statistics(input.route(command->truth), input.words, command->protocol));
      names += (names.empty() ? "" : "+") + input.name;
    }
    print_columns(result);
    command->output.write(result, names, *app);
  });
}

}  // namespace

void add_route_protocols(CLI::App& eval) {
  add_route_protocol(eval, "incremental", "Loop closure along a route: ask, then insert",
                     {"d1", "d2b16-mean", "d2b16-sum", "d2b16-max"});
  add_route_protocol(eval, "sweep", "The same for every topology of the paper's figures",
                     kPaperVariants);
  add_route_protocol(eval, "in-the-loop",
                     "A SLAM front end's keyframes, flat and pooled: are the closures the same?",
                     {"d1", "lists", "d2b16-max"});
  add_threshold(eval);
  add_statistics(eval);
}

}  // namespace looptree::cli

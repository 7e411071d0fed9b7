// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/detect/keyframes.hpp"
#include "looptree/evaluate/methods/keyframes.hpp"
#include "looptree/evaluate/protocols/adaptive.hpp"
#include "looptree/evaluate/protocols/scale.hpp"
#include "looptree/evaluate/protocols/synthetic_queries.hpp"

#include "cli/command.hpp"
#include "cli/eval/eval.hpp"
#include "cli/eval/eval_database.hpp"
#include "cli/eval/eval_input.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

using namespace looptree::evaluate;  // NOLINT: this file is its command line

using Names = std::vector<std::string>;

struct SyntheticCommand {
  Names inputs;
  QuerySources sources;
  Names variants = kTableVariants;
  SyntheticOptions protocol;
  TruthOptions truth;
  OutputOptions output;

  void add_to(CLI::App& app) {
    app.add_option("sequences", inputs, std::string(kInputHelp) + "; several make one long drive")
        ->required();
    app.add_option("--right", sources.right,
                   "Positive queries: images of a second camera, one per frame, a file for each "
                   "sequence. Without it every other frame is a query and the rest the database "
                   "(the Oxford rule)");
    app.add_option("--negative", sources.negative, "Negative queries: images of other sequences");
    app.add_option("--threshold", protocol.threshold,
                   "Believe matches of this score, best chosen with eval threshold")
        ->required()
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--variants", variants, "Methods to compare; the first is the baseline")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--stages", protocol.stages, "Sizes of the database to ask at")
        ->capture_default_str();
    app.add_option("--queries", protocol.queries_per_stage, "Queries of a kind at each size")
        ->capture_default_str();
    app.add_option("--passes", protocol.passes, "How often every query is timed")
        ->capture_default_str();
    truth.add_to(app);
    output.add_to(app);
  }
};

void add_synthetic(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "synthetic", "Time-cost rate with queries made to have an answer, or none");
  auto command = std::make_shared<SyntheticCommand>();  // lives in the callback
  command->add_to(*app);
  app->callback([command, app] {
    const Input input = load_joined(command->inputs);
    const Database database = make_database(input, command->sources, command->truth);
    ProgressBar bar("synthetic");
    command->protocol.progress = bar.callback();
    command->protocol.seed = command->output.seed;
    const EvaluationResult result =
        synthetic_queries(from_span(database.frames), database.queries,
                          make_variants(command->variants, input.words), command->protocol);
    command->output.write(result, input.name, *app);
  });
}

struct KeyframesCommand : SyntheticCommand {
  std::string keyframes = "motion:2,10";
};

void add_keyframes(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand("keyframes",
                                      "The same queries asked of all frames and of keyframes only");
  auto command = std::make_shared<KeyframesCommand>();  // lives in the callback
  command->add_to(*app);
  app->add_option("--keyframes", command->keyframes,
                  "Which frames are keyframes: every:N, motion:METRES,DEGREES or appearance:SCORE. "
                  "The default makes about as many on KITTI as ORB-SLAM")
      ->capture_default_str();
  app->callback([command, app] {
    const Input input = load_joined(command->inputs);
    const Database database = make_database(input, command->sources, command->truth);
    const std::vector<bool> chosen = choose_keyframes(database.frames, database.poses,
                                                      *parse_keyframe_selector(command->keyframes));
    std::vector<Variant> variants = make_variants(command->variants, input.words);
    for (std::size_t v = 0, frames = variants.size(); v < frames; ++v) {
      variants.push_back(on_keyframes(variants[v], chosen));
    }
    ProgressBar bar("keyframes");
    command->protocol.progress = bar.callback();
    command->protocol.seed = command->output.seed;
    EvaluationResult result = synthetic_queries(from_span(database.frames), database.queries,
                                                variants, command->protocol);
    result.protocol = "keyframes";
    result.facts.push_back(
        {"keyframes", static_cast<double>(std::count(chosen.begin(), chosen.end(), true))});
    command->output.write(result, input.name, *app);
  });
}

struct AdaptiveCommand : SyntheticCommand {
  AdaptiveOptions adaptive;
  std::string pooling = "mean";
};

void add_adaptive(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "adaptive", "Groups by spectral clustering of poses, against regular groups");
  auto command = std::make_shared<AdaptiveCommand>();  // lives in the callback
  command->protocol.stages = 1;
  command->protocol.queries_per_stage = 200;
  command->add_to(*app);
  app->remove_option(app->get_option("--variants"));
  app->add_option("--branching", command->adaptive.branching, "Frames per group on average")
      ->capture_default_str();
  app->add_option("--pooling", command->pooling, "mean, sum or max")
      ->check(CLI::IsMember({"mean", "sum", "max"}))
      ->capture_default_str();
  app->add_flag("--agglomerative", command->adaptive.agglomerative,
                "Also groups of similar histograms, by information bottleneck and by Ward");
  app->add_option("--trials", command->adaptive.trials, "Clusterings from different starts")
      ->capture_default_str();
  app->callback([command, app] {
    const Input input = load_joined(command->inputs);
    const Database database = make_database(input, command->sources, command->truth);
    if (database.poses.empty()) {
      throw Error(ErrorKind::not_found, "expected poses in " + input.name + ", found none");
    }
    ProgressBar bar("adaptive");
    command->adaptive.pooling = Topology::parse("d2b2-" + command->pooling).pooling();
    command->adaptive.clusters.seed = command->output.seed;
    command->adaptive.queries = command->protocol;
    command->adaptive.queries.progress = bar.callback();
    const EvaluationResult result =
        adaptive(database.frames, database.poses, database.queries, input.words, command->adaptive);
    command->output.write(result, input.name, *app);
  });
}

struct ScaleOptions {
  std::size_t frames = 40'000;
  bool million_words = false;
  double threshold = -1;
  Names variants = kTableVariants;
  SyntheticOptions protocol;
  OutputOptions output;
};

void add_scale(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "scale", "Query time up to a million frames, on a made-up drive that needs no memory");
  auto options = std::make_shared<ScaleOptions>();  // lives in the callback
  options->protocol.passes = 3;
  options->protocol.queries_per_stage = 25;
  app->add_option("--frames", options->frames, "Frames in the end")->capture_default_str();
  app->add_flag("--million-words", options->million_words, "884,885 words instead of 10,000");
  app->add_option("--threshold", options->threshold,
                  "Believe matches of this score; without it, the smallest without a false alarm "
                  "on KITTI 00: 0.182, or 0.0204 with a million words")
      ->check(CLI::Range(0.0, 1.0));
  app->add_option("--variants", options->variants, "Methods to compare; the first is the baseline")
      ->delimiter(',')
      ->capture_default_str();
  app->add_option("--stages", options->protocol.stages, "Sizes to ask at")->capture_default_str();
  app->add_option("--queries", options->protocol.queries_per_stage,
                  "Queries of a kind at each size")
      ->capture_default_str();
  app->add_option("--passes", options->protocol.passes, "How often every query is timed")
      ->capture_default_str();
  options->output.add_to(*app);
  app->callback([options, app] {
    WordStreamOptions words =
        options->million_words ? WordStreamOptions::million() : WordStreamOptions{};
    words.seed = options->output.seed;
    const WordStream stream(words);
    options->protocol.threshold =
        options->threshold >= 0 ? options->threshold : (options->million_words ? 0.0204 : 0.182);
    ProgressBar bar("scale");
    options->protocol.progress = bar.callback();
    options->protocol.seed = options->output.seed;
    EvaluationResult result = scale(
        stream, options->frames, make_variants(options->variants, WordSpace(stream.word_weights())),
        options->protocol);
    options->output.write(result, options->million_words ? "stream-1m" : "stream", *app);
  });
}

}  // namespace

void add_synthetic_protocols(CLI::App& eval) {
  add_synthetic(eval);
  add_scale(eval);
  add_keyframes(eval);
  add_adaptive(eval);
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree eval sessions`: is a place known that was driven through at another time?
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/error.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/evaluate/protocols/sessions.hpp"

#include "cli/eval/eval.hpp"
#include "cli/eval/eval_output.hpp"
#include "cli/eval/sessions_run.hpp"
#include "cli/sequence_options.hpp"
#include "cli/vocabulary/choose_vocabulary.hpp"

namespace looptree::cli {
namespace {

using namespace looptree::evaluate;  // NOLINT: this file is its command line

struct SessionsCommand {
  std::string reference;
  SequenceOptions query;  ///< and how both are read
  std::string vocabulary;
  std::string truth;
  bool same_numbers = false;
  std::size_t tolerance = 5;
  std::size_t claim_tolerance = 25;
  PoseRule place{5, 30};
  PoseRule claim{15, 60};
  LoopDetectorOptions detector;
  OutputOptions output;
};

std::vector<Pose> poses_of(const SequenceInfo& info) {
  std::vector<Pose> poses;
  for (const auto& frame : info.frames) {
    if (!frame.pose) return {};
    poses.push_back(*frame.pose);
  }
  return poses;
}

SessionsTruth by_numbers(std::size_t references, std::vector<std::vector<std::size_t>> places,
                         const SessionsCommand& command) {
  GroundTruth place = GroundTruth::by_numbers(references, places, command.tolerance);
  return {std::move(place),
          GroundTruth::by_numbers(references, std::move(places), command.claim_tolerance)};
}

/// By the table, by equal numbers, or by poses, as asked for.
SessionsTruth truth_of(const Sequence& reference, const Sequence& query,
                       const SessionsCommand& command) {
  if (!command.truth.empty()) {
    return by_numbers(reference.size(), read_places(command.truth, query.size(), reference.size()),
                      command);
  }
  if (command.same_numbers) {
    std::vector<std::vector<std::size_t>> places(query.size());
    for (std::size_t i = 0; i < std::min(query.size(), reference.size()); ++i) places[i] = {i};
    return by_numbers(reference.size(), std::move(places), command);
  }
  const std::vector<Pose> from = poses_of(query.info());
  const std::vector<Pose> to = poses_of(reference.info());
  if (from.empty() || to.empty()) {
    throw Error(
        ErrorKind::not_found,
        "expected a pose for every frame of both drives, found none for some; give the truth "
        "as a table with --truth, or say --same-numbers");
  }
  return {GroundTruth::by_poses(from, to, command.place),
          GroundTruth::by_poses(from, to, command.claim)};
}

std::size_t positives_of(const GroundTruth& truth) {
  std::size_t positives = 0;
  for (std::size_t query = 0; query < truth.queries(); ++query) {
    positives += truth.has_right_frame(query) ? 1 : 0;
  }
  return positives;
}

void print(const EvaluationResult& result) {
  fmt::print("| {} | |\n|---|---|\n", result.variants[0].name);
  for (const Metric& fact : result.facts) fmt::print("| {} | {:.6g} |\n", fact.name, fact.value);
  for (const Metric& metric : result.variants[0].metrics) {
    fmt::print("| {} | {:.4g} |\n", metric.name, metric.value);
  }
  fmt::print("\n");
}

void run(SessionsCommand command, const CLI::App& app) {
  cv::setNumThreads(1);  // frames are spread over the cores
  const auto reference = open_sequence(command.reference, command.query.open);
  const auto query = open_sequence(command.query.path, command.query.open);
  const SessionsTruth truth = truth_of(*reference, *query, command);
  const auto chosen = choose_vocabulary(command.vocabulary, command.query.extractor);
  const auto extractor = make_extractor(command.query.extractor);
  const Vocabulary vocabulary = chosen ? *chosen : train_on_sequence(*reference, *extractor);
  const LoopDetectorOptions detector =
      default_options(command.query.extractor.kind, command.detector);
  SessionsRun found = run_sessions(*reference, *query, *extractor, vocabulary, detector);
  VariantResult variant =
      judge_sessions(std::string(to_string(command.query.extractor.kind)), found.answers, truth);
  variant.metrics.insert(variant.metrics.end(), found.times.begin(), found.times.end());
  EvaluationResult result{"sessions", {}, {std::move(variant)}, {}};
  result.facts = {{"reference_frames", static_cast<double>(reference->size())},
                  {"queries", static_cast<double>(query->size())},
                  {"positives", static_cast<double>(positives_of(truth.place))},
                  {"vocabulary_size", static_cast<double>(vocabulary.size())}};
  print(result);
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path + "/").parent_path().filename().string();
  };
  command.output.write(result, name(command.reference) + "+" + name(command.query.path), app);
}

void add_truth_options(CLI::App& app, SessionsCommand& command) {
  CLI::Option* table = app.add_option(
      "--truth", command.truth,
      "CSV that begins with query,reference, frame numbers from 0; without, poses decide");
  app.add_flag("--same-numbers", command.same_numbers,
               "Frames of the same number show the same place")
      ->excludes(table);
  app.add_option("--tolerance", command.tolerance,
                 "By numbers: a frame is of the place within so many frames")
      ->capture_default_str();
  app.add_option("--claim-tolerance", command.claim_tolerance,
                 "and a claim is no false alarm within so many")
      ->capture_default_str();
  app.add_option("--distance", command.place.max_distance_m,
                 "By poses: a frame is of the place within so many metres")
      ->capture_default_str();
  app.add_option("--angle", command.place.max_angle_deg, "and turned by at most so many degrees")
      ->capture_default_str();
  app.add_option("--claim-distance", command.claim.max_distance_m,
                 "and a claim is no false alarm within so many metres")
      ->capture_default_str();
  app.add_option("--claim-angle", command.claim.max_angle_deg, "and so many degrees")
      ->capture_default_str();
}

}  // namespace

void add_sessions_protocol(CLI::App& eval) {
  CLI::App* app = eval.add_subcommand(
      "sessions", "Two drives through one place: is it known again, in another light?");
  auto command = std::make_shared<SessionsCommand>();  // lives in the callback
  app->add_option("reference", command->reference, "The drive that is remembered")->required();
  app->add_option("query", command->query.path, "The drive that is looked for in it")->required();
  app->add_option("--vocabulary", command->vocabulary, kVocabularyHelp);
  add_truth_options(*app, *command);
  app->add_option("--top-k", command->detector.top_k, "Best-scoring frames the detector looks at")
      ->capture_default_str();
  add_sequence_options(*app, command->query);
  command->output.add_to(*app);
  app->footer(
      "Both are read alike: a folder of images, a video, a dataset. Truth is a table, equal frame\n"
      "numbers (of drives that were aligned), or poses.\n\n"
      "Example: looptree eval sessions monday tuesday --truth truth.csv");
  app->callback([command, app] { run(*command, *app); });
}

}  // namespace looptree::cli

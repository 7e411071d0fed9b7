// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval_input.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/evaluate/compare.hpp"
#include "looptree/evaluate/scale.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

std::string command_line;

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) {
  throw Error(kind, message);
}

std::uint32_t frames_of(const std::string& name, std::size_t colon) {
  std::uint32_t frames = 0;
  const char* end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + colon + 1, end, frames);
  if (error != std::errc{} || stopped != end || frames == 0) {
    refuse(ErrorKind::invalid_argument,
           "expected a number of frames after the colon, found \"" + name + "\"");
  }
  return frames;
}

Input load_stream(const std::string& name, std::uint32_t frames, WordStreamOptions options) {
  const WordStream stream(options);
  Input input{name, options.vocabulary_size, {}, {}, {}};
  input.histograms.resize(frames);
  input.poses.resize(frames);
  parallel_for(frames, 0, [&](std::size_t i) {
    input.histograms[i] = make_histogram(stream.frame(i), stream.word_weights());
    input.poses[i] = evaluate::pose_of(stream, i);
  });
  return input;
}

/// Numbers of a text file, row by row; commas count as spaces.
std::vector<std::vector<double>> read_rows(const fs::path& path) {
  std::ifstream file(path);
  if (!file) refuse(ErrorKind::not_found, "expected a file, found no " + path.string());
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::vector<double> row;
    for (double value = 0; fields >> value;) row.push_back(value);
    if (!fields.eof()) {
      refuse(ErrorKind::corruption, fmt::format("expected numbers in line {} of {}, found \"{}\"",
                                                rows.size() + 1, path.string(), line));
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

fs::path new_run_folder(const std::string& protocol) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> stamp;
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  const fs::path base = fs::path("runs") / fmt::format("{}-{}", stamp.data(), protocol);
  fs::path folder = base;
  for (int n = 2; fs::exists(folder); ++n) folder = fmt::format("{}-{}", base.string(), n);
  return folder;
}

void link_latest(const fs::path& folder) {
  std::error_code ignored;  // a convenience; file systems without links do without
  const fs::path link = folder.parent_path() / "latest";
  fs::remove(link, ignored);
  fs::create_directory_symlink(folder.filename(), link, ignored);
}

}  // namespace

void TruthOptions::add_to(CLI::App& app) {
  app.add_option("--distance", rule.max_distance_m, "Right within so many metres")
      ->capture_default_str();
  app.add_option("--angle", rule.max_angle_deg, "and turned by at most so many degrees")
      ->capture_default_str();
  app.add_option("--gap", gap, "Frames this recent are no answer")->capture_default_str();
  app.add_option("--matrix", matrix,
                 "Truth as a text file of 0 and 1, a row per query, instead of poses");
}

evaluate::GroundTruth Input::truth(const TruthOptions& options) const {
  if (!options.matrix.empty()) return read_matrix(options.matrix);
  if (!poses.empty()) return evaluate::GroundTruth::by_poses(poses, options.rule);
  if (!labels.empty()) return evaluate::GroundTruth::by_labels(labels, labels);
  refuse(ErrorKind::not_found,
         "expected poses or labels in " + name + ", or a --matrix, found none of them");
}

evaluate::Route Input::route(const TruthOptions& options) const {
  return {name, histograms, truth(options)};
}

Input load_input(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (colon != std::string::npos && kind == "stream") {
    return load_stream(name, frames_of(name, colon), {});
  }
  if (colon != std::string::npos && kind == "stream-1m") {
    return load_stream(name, frames_of(name, colon), WordStreamOptions::million());
  }
  WordSequence words = read_words(name);
  Input input{fs::path(name).stem().string(), words.vocabulary_size, make_histograms(words),
              std::move(words.poses), std::move(words.labels)};
  return input;
}

void check_same_vocabulary(const std::vector<const Input*>& inputs) {
  for (const Input* input : inputs) {
    if (input->vocabulary_size == inputs[0]->vocabulary_size) continue;
    refuse(ErrorKind::invalid_argument,
           fmt::format("expected sequences of one vocabulary, found {} words in {} and {} in {}",
                       inputs[0]->vocabulary_size, inputs[0]->name, input->vocabulary_size,
                       input->name));
  }
}

std::vector<Pose> read_poses(const fs::path& path) {
  std::vector<Pose> poses;
  for (const std::vector<double>& row : read_rows(path)) {
    if (row.size() != 12) {
      refuse(ErrorKind::corruption, fmt::format("expected 12 numbers in row {} of {}, found {}",
                                                poses.size() + 1, path.string(), row.size()));
    }
    Pose& pose = poses.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) pose.rotation[i * 3 + j] = row[i * 4 + j];
      pose.translation[i] = row[i * 4 + 3];
    }
  }
  return poses;
}

evaluate::GroundTruth read_matrix(const fs::path& path) {
  const auto rows = read_rows(path);
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  std::vector<std::uint8_t> matrix;
  for (const std::vector<double>& row : rows) {
    for (const double value : row) matrix.push_back(value != 0 ? 1 : 0);
  }
  return evaluate::GroundTruth::by_matrix(rows.size(), columns, std::move(matrix));
}

void OutputOptions::add_to(CLI::App& app) {
  app.add_option("--out", out, "Folder for the results; without it a new one in runs/");
  app.add_option("--seed", seed, "Of everything drawn at random")->capture_default_str();
}

void OutputOptions::write(const evaluate::EvaluationResult& result, const std::string& dataset,
                          const CLI::App& app, std::span<const Pose> route) const {
  evaluate::RunConfig config{dataset, command_line, seed, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    const auto values = option->as<std::vector<std::string>>();
    config.options.emplace_back(option->get_name(false, true),
                                fmt::format("{}", fmt::join(values, " ")));
  }
  const fs::path folder = out.empty() ? new_run_folder(result.protocol) : fs::path(out);
  evaluate::write_run(folder, result, config, route);
  if (out.empty()) link_latest(folder);
  const std::vector<evaluate::Run> runs = {evaluate::read_run(folder)};
  fmt::print("{}", evaluate::compare(runs));
  fmt::print("\nresults: {}\nto see them: looptree report {}\n", folder.string(), folder.string());
}

void remember_command(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    if (i > 0) command_line += ' ';
    command_line += i == 0 ? "looptree" : argv[i];
  }
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/eval_input.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/evaluate/protocols/scale.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kApart = 1e6;  // metres between sequences that were joined: farther than any drive

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
  Input input{name, evaluate::WordSpace(stream.word_weights()), {}, {}, {}, {}};
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

/// Adds a sequence behind another, `metres` away.
void append(Input& to, const Input& from, double metres) {
  const auto frames = static_cast<std::uint32_t>(to.histograms.size());
  const std::uint32_t labels =
      to.labels.empty() ? 0 : *std::max_element(to.labels.begin(), to.labels.end()) + 1;
  to.name += "+" + from.name;
  to.histograms.insert(to.histograms.end(), from.histograms.begin(), from.histograms.end());
  for (Pose pose : from.poses) {
    pose.translation[0] += metres;
    to.poses.push_back(pose);
  }
  for (const std::uint32_t label : from.labels) to.labels.push_back(label + labels);
  for (std::vector<std::uint32_t> loops : from.loops) {
    for (std::uint32_t& frame : loops) frame += frames;
    to.loops.push_back(std::move(loops));
  }
}

/// A table of right answers out of a list per frame.
evaluate::GroundTruth by_loops(const std::vector<std::vector<std::uint32_t>>& loops) {
  std::vector<std::uint8_t> matrix(loops.size() * loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (const std::uint32_t j : loops[i]) matrix[i * loops.size() + j] = 1;
  }
  return evaluate::GroundTruth::by_matrix(loops.size(), loops.size(), std::move(matrix));
}

}  // namespace

void TruthOptions::add_to(CLI::App& app) {
  app.add_option("--distance", rule.max_distance_m, "Right within so many metres")
      ->capture_default_str();
  app.add_option("--angle", rule.max_angle_deg, "and turned by at most so many degrees")
      ->capture_default_str();
  app.add_option("--exclude-recent", exclude_recent, "The newest frames, so many, are no answers")
      ->capture_default_str();
  app.add_option("--matrix", matrix,
                 "Truth as a text file of 0 and 1, a row per query, instead of poses");
}

bool Input::has_truth(const TruthOptions& options) const {
  return !options.matrix.empty() || !loops.empty() || !poses.empty() || !labels.empty();
}

evaluate::GroundTruth Input::truth(const TruthOptions& options) const {
  if (!options.matrix.empty()) return read_matrix(options.matrix);
  if (!loops.empty()) return by_loops(loops);
  if (!poses.empty()) return evaluate::GroundTruth::by_poses(poses, options.rule);
  if (!labels.empty()) return evaluate::GroundTruth::by_labels(labels, labels);
  refuse(ErrorKind::not_found,
         "expected poses, labels or loops in " + name + ", or a --matrix, found none of them");
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
  if (words.word_weights.empty()) words.word_weights = inverse_document_frequency(words);
  return {fs::path(name).stem().string(), evaluate::WordSpace(words.word_weights),
          make_histograms(words),         std::move(words.poses),
          std::move(words.labels),        std::move(words.loops)};
}

Input load_joined(const std::vector<std::string>& names) {
  Input joined = load_input(names.at(0));
  for (std::size_t i = 1; i < names.size(); ++i) {
    const Input next = load_input(names[i]);
    check_same_vocabulary({&joined, &next});
    if (next.poses.empty() != joined.poses.empty() ||
        next.labels.empty() != joined.labels.empty() ||
        next.loops.empty() != joined.loops.empty()) {
      refuse(ErrorKind::invalid_argument,
             fmt::format("expected sequences that all have poses, labels or loops to join, found "
                         "that {} and {} differ",
                         joined.name, next.name));
    }
    append(joined, next, static_cast<double>(i) * kApart);
  }
  return joined;
}

void check_same_vocabulary(const std::vector<const Input*>& inputs) {
  for (const Input* input : inputs) {
    if (input->words.size == inputs[0]->words.size) continue;
    refuse(ErrorKind::invalid_argument,
           fmt::format("expected sequences of one vocabulary, found {} words in {} and {} in {}",
                       inputs[0]->words.size, inputs[0]->name, input->words.size, input->name));
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

}  // namespace looptree::cli

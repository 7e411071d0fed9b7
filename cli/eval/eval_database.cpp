// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/eval_database.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

using evaluate::GroundTruth;
using Numbers = std::vector<std::size_t>;

/// Without any truth, frames this near in the sequence are believed to show the same.
constexpr double kNeighbours = 10;

template <typename Item>
std::vector<Item> select(const std::vector<Item>& items, const Numbers& numbers) {
  std::vector<Item> selected;
  if (items.empty()) return selected;
  for (const std::size_t number : numbers) selected.push_back(items[number]);
  return selected;
}

/// A place for every frame, at its number: neighbours are near.
std::vector<Pose> numbered(const Numbers& numbers) {
  std::vector<Pose> poses(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    poses[i].translation[0] = static_cast<double>(numbers[i]);
  }
  return poses;
}

GroundTruth by_table(const GroundTruth& truth, const Numbers& queries, const Numbers& frames) {
  std::vector<std::uint8_t> matrix;
  matrix.reserve(queries.size() * frames.size());
  for (const std::size_t query : queries) {
    for (const std::size_t frame : frames) {
      const bool next = query <= frame + 1 && frame <= query + 1;
      matrix.push_back(next || truth.is_right(query, frame) ? 1 : 0);
    }
  }
  return GroundTruth::by_matrix(queries.size(), frames.size(), std::move(matrix));
}

/// The right answers, among `frames` of the input, to images taken where `queries` of it were.
GroundTruth truth_between(const Input& input, const TruthOptions& options, const Numbers& queries,
                          const Numbers& frames) {
  if (!input.has_truth(options)) {
    return GroundTruth::by_poses(numbered(queries), numbered(frames),
                                 {.max_distance_m = kNeighbours});
  }
  if (!input.poses.empty() && input.loops.empty() && options.matrix.empty()) {
    return GroundTruth::by_poses(select(input.poses, queries), select(input.poses, frames),
                                 options.rule);
  }
  return by_table(input.truth(options), queries, frames);
}

Numbers every(std::size_t step, std::size_t first, std::size_t count) {
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(first + i * step);
  return numbers;
}

std::vector<Histogram> load_other(const std::vector<std::string>& names, const Input& input) {
  if (names.empty()) return {};
  Input other = load_joined(names);
  check_same_vocabulary({&input, &other});
  return other.histograms;
}

}  // namespace

Database make_database(const Input& input, const QuerySources& sources, const TruthOptions& truth) {
  std::vector<Histogram> negative = load_other(sources.negative, input);
  const std::size_t frames = input.histograms.size();
  if (!sources.right.empty()) {
    const std::vector<Histogram> right = load_other(sources.right, input);
    if (right.size() != frames) {
      throw Error(ErrorKind::invalid_argument,
                  fmt::format("expected one image of the right camera per frame, found {} for {}",
                              right.size(), frames));
    }
    const Numbers all = every(1, 0, frames);
    return {input.histograms,
            input.poses,
            {evaluate::second_camera(right), std::move(negative),
             truth_between(input, truth, all, all)}};
  }
  evaluate::OddEven split = evaluate::odd_even(input.histograms);
  const Numbers even = every(2, 0, frames / 2);
  const Numbers odd = every(2, 1, frames / 2);
  return {std::move(split.database),
          select(input.poses, odd),
          {std::move(split.queries), std::move(negative), truth_between(input, truth, even, odd)}};
}

}  // namespace looptree::cli

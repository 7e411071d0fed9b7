// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/sessions.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/metrics.hpp"

namespace looptree::evaluate {
namespace {

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void check(std::span<const SessionAnswer> answers, const SessionsTruth& truth) {
  require(truth.place.queries() == truth.near_place.queries() &&
              truth.place.frames() == truth.near_place.frames(),
          ErrorKind::invalid_argument,
          "expected two truths of the same drives, found other numbers of frames");
  for (const SessionAnswer& answer : answers) {
    require(answer.match.has_value() || !answer.claimed, ErrorKind::invalid_argument,
            "expected a match with every claim, found a claim without");
  }
}

/// Whether a frame of the place is among the first `count` of a ranking.
bool finds(const SessionAnswer& answer, std::size_t count, const GroundTruth& place) {
  const std::size_t end = std::min(count, answer.ranked.size());
  return std::any_of(answer.ranked.begin(),
                     answer.ranked.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::size_t frame) { return place.is_right(answer.query, frame); });
}

/// A match seen as a claim; nothing if it counts as neither right nor wrong.
std::optional<Claim> claim_of(const SessionAnswer& answer, const SessionsTruth& truth,
                              bool positive) {
  const bool right = truth.near_place.is_right(answer.query, *answer.match);
  if (right && !positive) return std::nullopt;
  return Claim{answer.inliers, right};
}

/// A number that ends at `end` of the text, at a comma, or at the end of the line.
std::optional<std::size_t> take_number(std::string_view& text, std::size_t limit) {
  std::size_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value >= limit) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  if (text.empty()) return value;
  if (text.front() != ',') return std::nullopt;
  text.remove_prefix(1);
  return value;
}

}  // namespace

VariantResult judge_sessions(const std::string& name, std::span<const SessionAnswer> answers,
                             const SessionsTruth& truth) {
  check(answers, truth);
  std::size_t positives = 0;
  std::vector<std::size_t> found(3);
  std::vector<Claim> matches;  // believed or not
  std::vector<Claim> claims;
  VariantResult result{name, {}, {}, {}};
  for (std::size_t query = 0; query < truth.place.queries(); ++query) {
    positives += truth.place.has_right_frame(query) ? 1 : 0;
  }
  for (const SessionAnswer& answer : answers) {
    const bool positive = truth.place.has_right_frame(answer.query);
    found[0] += finds(answer, 1, truth.place) ? 1 : 0;
    found[1] += finds(answer, 5, truth.place) ? 1 : 0;
    found[2] += finds(answer, 20, truth.place) ? 1 : 0;
    if (!answer.match) continue;
    if (answer.claimed) {
      result.closures.push_back({answer.query, *answer.match, answer.inliers,
                                 truth.near_place.is_right(answer.query, *answer.match)});
    }
    const auto claim = claim_of(answer, truth, positive);
    if (!claim) continue;
    matches.push_back(*claim);
    if (answer.claimed) claims.push_back(*claim);
  }
  result.curve = precision_recall(matches, positives);
  const CurvePoint believed = point_at(claims, positives, 0);
  result.metrics = {{"recall", believed.recall},
                    {"precision", believed.precision},
                    {"claims", static_cast<double>(result.closures.size())},
                    {"false_alarms", static_cast<double>(believed.wrong)},
                    {"recall_at_full_precision", recall_at_full_precision(result.curve)},
                    {"average_precision", average_precision(result.curve)},
                    {"best_right", share(found[0], positives)},
                    {"in_best_5", share(found[1], positives)},
                    {"in_best_20", share(found[2], positives)}};
  return result;
}

std::vector<std::vector<std::size_t>> read_places(const std::filesystem::path& path,
                                                  std::size_t queries, std::size_t references) {
  std::ifstream file(path);
  require(file.is_open(), ErrorKind::not_found,
          "expected a table of truth, found no file " + path.string());
  std::vector<std::vector<std::size_t>> places(queries);
  std::string line;
  std::size_t number = 1;
  const auto refuse = [&](const std::string& expected) {
    throw Error(ErrorKind::corruption, "expected " + expected + " in line " +
                                           std::to_string(number) + " of " + path.string() +
                                           ", found \"" + line.substr(0, 80) + "\"");
  };
  std::getline(file, line);
  if (!line.starts_with("query,reference")) refuse("\"query,reference\"");
  while (std::getline(file, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    std::string_view rest = line;
    const auto query = take_number(rest, queries);
    if (!query || rest.empty()) {
      refuse("a frame of the query below " + std::to_string(queries) + " and one of the reference");
    }
    const auto reference = take_number(rest, references);
    if (!reference) refuse("a frame of the reference below " + std::to_string(references));
    places[*query].push_back(*reference);
  }
  require(!file.bad(), ErrorKind::io, "cannot read " + path.string());
  return places;
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/incremental.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/detail/contestant.hpp"

namespace looptree::evaluate {
namespace {

using detail::Contest;
using detail::Contestant;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check_route(const Route& route) {
  const std::size_t frames = route.histograms.size();
  if (route.truth.queries() == frames && route.truth.frames() == frames) return;
  refuse("expected the truth of " + route.name + " for " + std::to_string(frames) +
         " frames, found it for " + std::to_string(route.truth.queries()) + " queries and " +
         std::to_string(route.truth.frames()) + " frames");
}

std::size_t count_revisits(const Route& route, std::size_t exclude_recent, std::size_t every) {
  const std::vector<bool> revisit = revisits(route.truth, exclude_recent);
  std::size_t count = 0;
  for (std::size_t i = 0; i < revisit.size(); i += every) count += revisit[i] ? 1 : 0;
  return count;
}

/// Who asks, and what for.
struct Walk {
  std::size_t exclude_recent = 0;
  std::size_t every = 1;
  const ProgressCallback& progress;
};

/// Calls `ask(frame, last)` for every so many frames, if they have words, and `insert(frame)` for
/// every frame.
void walk(const Route& route, const Walk& how,
          const std::function<void(std::size_t, std::size_t)>& ask,
          const std::function<void(std::size_t)>& insert) {
  const std::size_t frames = route.histograms.size();
  for (std::size_t frame = 0; frame < frames; ++frame) {
    report(how.progress, frame, frames);
    const std::size_t last = answerable(frame, how.exclude_recent);
    if (frame % how.every == 0 && last > 0 && !route.histograms[frame].empty()) ask(frame, last);
    insert(frame);
  }
}

ScoredClosure closure(const Route& route, std::size_t query, const Match& match) {
  return {query, match.frame.value, match.score, route.truth.is_right(query, match.frame.value)};
}

double policy_threshold(const RouteClaims& exact, const Route& route) {
  const std::vector<Claim> claims = exact.claims();
  if (const auto threshold = safe_threshold(claims)) return *threshold;
  throw Error(ErrorKind::unsupported, "expected a threshold without a false alarm on " +
                                          route.name + ", found a wrong match that scores 1");
}

/// Thresholds from which a curve is drawn: spread over the scores of the claims that are right,
/// where the curve bends, and over those of all claims, down to where everything is believed.
std::vector<double> curve_thresholds(const RouteClaims& exact, std::size_t count) {
  std::vector<double> right;
  std::vector<double> all;
  for (const Claim& claim : exact.claims()) {
    all.push_back(claim.score);
    if (claim.right) right.push_back(claim.score);
  }
  std::vector<double> thresholds;
  for (std::vector<double>* scores : {&right, &all}) {
    std::sort(scores->begin(), scores->end());
    for (std::size_t i = 0; i < count / 2 && !scores->empty(); ++i) {
      thresholds.push_back(
          (*scores)[i * (scores->size() - 1) / std::max<std::size_t>(1, count / 2 - 1)]);
    }
  }
  std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  return thresholds;
}

/// A curve measured by asking at every threshold. Where even the exact search has nothing to
/// return at a threshold, no search has, and the question is spared.
Curve measured_curve(const Route& route, const Variant& variant, const RouteClaims& exact,
                     std::vector<double> thresholds, const Walk& how) {
  std::vector<std::size_t> right(thresholds.size());
  std::vector<std::size_t> wrong(thresholds.size());
  Contestant contestant(variant);
  walk(
      route, how,
      [&](std::size_t frame, std::size_t last) {
        if (!exact.best[frame]) return;
        for (std::size_t t = 0; t < thresholds.size(); ++t) {
          if (exact.best[frame]->score < thresholds[t]) continue;
          const std::vector<Match> matches = contestant.query(
              route.histograms[frame], {.top_k = 1, .threshold = thresholds[t]}, last);
          if (matches.empty()) continue;
          ++(closure(route, frame, matches[0]).right ? right : wrong)[t];
        }
      },
      [&](std::size_t frame) { contestant.insert(frame, route.histograms[frame]); });
  Curve curve{exact.positives, {}};
  for (std::size_t t = 0; t < thresholds.size(); ++t) {
    curve.points.push_back(curve_point(thresholds[t], right[t], wrong[t], exact.positives));
  }
  return curve;
}

/// What became of the answers at the threshold, counted against an exact search.
struct Answers {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t hits = 0;       ///< matches of the exact search
  std::size_t hits_kept = 0;  ///< of these, found
  std::size_t answered = 0;   ///< queries the exact search answers
  std::size_t best_kept = 0;  ///< of these, with the same best match
  std::size_t asked = 0;
  std::size_t same = 0;  ///< queries with the very same answer
  std::vector<ScoredClosure> closures;

  void add(const Route& route, std::size_t query, const std::vector<Match>& found,
           const std::vector<Match>& expected) {
    ++asked;
    same += found == expected ? 1 : 0;
    hits += expected.size();
    for (const Match& match : expected) {
      hits_kept += std::find(found.begin(), found.end(), match) != found.end() ? 1 : 0;
    }
    if (!expected.empty()) {
      ++answered;
      best_kept += !found.empty() && found[0] == expected[0] ? 1 : 0;
    }
    if (found.empty()) return;
    closures.push_back(closure(route, query, found[0]));
    ++(closures.back().right ? right : wrong);
  }
};

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Asks everybody at their thresholds, the exact search at `threshold`, and times it if passes > 0.
std::vector<Answers> ask_all(const Route& route, const Variant& exact,
                             std::span<const Variant> variants, double threshold,
                             const std::vector<double>& thresholds,
                             const IncrementalOptions& options, std::vector<QueryTime>& times) {
  std::vector<Answers> answers(variants.size());
  Contest contest(variants);
  Contestant oracle(exact);
  const QueryOptions query{.top_k = QueryOptions::kUnlimited, .threshold = threshold};
  std::vector<QueryTime> untimed;
  walk(
      route, {options.exclude_recent, options.every, options.progress},
      [&](std::size_t frame, std::size_t last) {
        const Histogram& histogram = route.histograms[frame];
        const Contest::Question question{
            histogram,        query,     last, static_cast<std::uint32_t>(frame),
            QueryKind::route, thresholds};
        const auto found = contest.time(question, std::max<std::size_t>(1, options.passes),
                                        options.passes > 0 ? times : untimed);
        untimed.clear();
        const std::vector<Match> expected = oracle.query(histogram, query, last);
        for (std::size_t v = 0; v < found.size(); ++v) {
          answers[v].add(route, frame, found[v], expected);
        }
      },
      [&](std::size_t frame) {
        contest.insert(frame, route.histograms[frame]);
        oracle.insert(frame, route.histograms[frame]);
      });
  return answers;
}

void add_curve_metrics(VariantResult& variant) {
  variant.metrics.push_back({"average_precision", average_precision(variant.curve)});
  variant.metrics.push_back({"recall_at_full_precision", recall_at_full_precision(variant.curve)});
}

VariantResult variant_result(const Variant& variant, double threshold, Curve curve,
                             Answers answers) {
  const CurvePoint point = curve_point(0, answers.right, answers.wrong, curve.positives);
  VariantResult result{variant.name, {}, std::move(curve), std::move(answers.closures)};
  add_curve_metrics(result);
  result.metrics.push_back({"precision", point.precision});
  result.metrics.push_back({"recall", point.recall});
  if (variant.own_scale) {
    result.metrics.push_back({"threshold", threshold});
    return result;
  }
  result.metrics.push_back({"hits_kept", share(answers.hits_kept, answers.hits)});
  result.metrics.push_back({"best_kept", share(answers.best_kept, answers.answered)});
  result.metrics.push_back({"same_answers", share(answers.same, answers.asked)});
  return result;
}

/// What is known of a method before it is asked at a threshold.
struct Prepared {
  Curve curve;
  double threshold = 0;
};

Prepared prepare(const Route& route, const Variant& variant, const RouteClaims& exact,
                 double threshold, const IncrementalOptions& options) {
  if (variant.is_exact) return {precision_recall(exact.claims(), exact.positives), threshold};
  if (!variant.cuts_by_threshold) {
    return {measured_curve(route, variant, exact, curve_thresholds(exact, options.curve_points),
                           {options.exclude_recent, options.every, options.progress}),
            threshold};
  }
  const RouteClaims own =
      traverse(route, variant, options.exclude_recent, options.progress, options.every);
  return {precision_recall(own.claims(), own.positives),
          variant.own_scale ? policy_threshold(own, route) : threshold};
}

void check(std::span<const Variant> variants, const IncrementalOptions& options) {
  if (variants.empty()) refuse("expected at least one variant, found none");
  if (options.curve_points < 2) {
    refuse("expected at least 2 curve points, found " + std::to_string(options.curve_points));
  }
  if (options.every == 0) refuse("expected to ask every 1 or more frames, found 0");
  if (options.threshold && !(*options.threshold >= 0 && *options.threshold <= 1)) {
    refuse("expected a threshold from 0 to 1, found " + std::to_string(*options.threshold));
  }
}

}  // namespace

std::vector<Claim> RouteClaims::claims() const {
  std::vector<Claim> result;
  for (const auto& closure : best) {
    if (closure) result.push_back({closure->score, closure->right});
  }
  return result;
}

RouteClaims traverse(const Route& route, const Variant& variant, std::size_t exclude_recent,
                     const ProgressCallback& progress, std::size_t every) {
  check_route(route);
  RouteClaims result{std::vector<std::optional<ScoredClosure>>(route.histograms.size()),
                     count_revisits(route, exclude_recent, every)};
  Contestant contestant(variant);
  walk(
      route, {exclude_recent, every, progress},
      [&](std::size_t frame, std::size_t last) {
        const std::vector<Match> matches =
            contestant.query(route.histograms[frame], {.top_k = 1}, last);
        if (!matches.empty()) result.best[frame] = closure(route, frame, matches[0]);
      },
      [&](std::size_t frame) { contestant.insert(frame, route.histograms[frame]); });
  return result;
}

EvaluationResult incremental(const Route& route, const WordSpace& words,
                             std::span<const Variant> variants, const IncrementalOptions& options) {
  check(variants, options);
  const Variant flat = make_variant("d1", words);
  const RouteClaims exact =
      traverse(route, flat, options.exclude_recent, options.progress, options.every);
  const double threshold = options.threshold ? *options.threshold : policy_threshold(exact, route);

  std::vector<Prepared> prepared;
  std::vector<double> thresholds;
  for (const Variant& variant : variants) {
    prepared.push_back(prepare(route, variant, exact, threshold, options));
    thresholds.push_back(prepared.back().threshold);
  }
  EvaluationResult result{"incremental", {}, {}, {}};
  std::vector<Answers> answers =
      ask_all(route, flat, variants, threshold, thresholds, options, result.times);
  const std::size_t asked = answers[0].asked;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    result.variants.push_back(variant_result(variants[v], thresholds[v],
                                             std::move(prepared[v].curve), std::move(answers[v])));
  }
  const std::size_t frames = route.histograms.size();
  result.facts = {{"frames", static_cast<double>(frames)},
                  {"queries", static_cast<double>(asked)},
                  {"positives", static_cast<double>(exact.positives)},
                  {"exclude_recent", static_cast<double>(options.exclude_recent)},
                  {"threshold", threshold},
                  {"vocabulary_size", static_cast<double>(words.size)}};
  add_time_metrics(result);
  return result;
}

EvaluationResult threshold_policy(std::span<const Route> routes, const Variant& variant,
                                  std::size_t exclude_recent, const ProgressCallback& progress) {
  if (routes.empty()) refuse("expected at least one route, found none");
  EvaluationResult result{"threshold", {}, {}, {}};
  double threshold = 0;
  for (std::size_t r = 0; r < routes.size(); ++r) {
    const RouteClaims own = traverse(routes[r], variant, exclude_recent, progress);
    if (r == 0) threshold = policy_threshold(own, routes[r]);
    const std::vector<Claim> claims = own.claims();
    VariantResult entry{routes[r].name, {}, precision_recall(claims, own.positives), {}};
    const CurvePoint point = point_at(claims, own.positives, threshold);
    entry.metrics = {{"precision", point.precision},
                     {"recall", point.recall},
                     {"false_alarms", static_cast<double>(point.wrong)},
                     {"positives", static_cast<double>(own.positives)}};
    add_curve_metrics(entry);
    for (const auto& best : own.best) {
      if (best && best->score >= threshold) entry.closures.push_back(*best);
    }
    result.variants.push_back(std::move(entry));
  }
  result.facts = {{"threshold", threshold},
                  {"exclude_recent", static_cast<double>(exclude_recent)}};
  return result;
}

EvaluationResult score_closures(std::string name, std::span<const ScoredClosure> closures,
                                const GroundTruth& truth, std::size_t exclude_recent,
                                bool has_scores) {
  std::map<std::size_t, ScoredClosure> best;
  for (ScoredClosure closure : closures) {
    closure.right = truth.is_right(closure.query, closure.match) &&
                    closure.match < answerable(closure.query, exclude_recent);
    if (!has_scores) closure.score = 1;
    const auto [at, is_new] = best.try_emplace(closure.query, closure);
    if (!is_new && closure.score > at->second.score) at->second = closure;
  }
  const std::vector<bool> revisit = revisits(truth, exclude_recent);
  const auto positives = static_cast<std::size_t>(std::count(revisit.begin(), revisit.end(), true));
  VariantResult variant{std::move(name), {}, {}, {}};
  std::vector<Claim> claims;
  for (const auto& [query, closure] : best) {
    variant.closures.push_back(closure);
    claims.push_back({closure.score, closure.right});
  }
  variant.curve = precision_recall(claims, positives);
  const CurvePoint point = point_at(claims, positives, 0);
  variant.metrics = {{"precision", point.precision},
                     {"recall", point.recall},
                     {"false_alarms", static_cast<double>(point.wrong)}};
  add_curve_metrics(variant);
  EvaluationResult result{"closures", {}, {std::move(variant)}, {}};
  result.facts = {{"frames", static_cast<double>(truth.frames())},
                  {"positives", static_cast<double>(positives)},
                  {"exclude_recent", static_cast<double>(exclude_recent)}};
  return result;
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/place_filter.hpp"

#include <algorithm>
#include <limits>

#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"

namespace looptree {
namespace {

bool by_frame(const Match& a, const Match& b) {
  return a.frame < b.frame;
}

double median_score(std::span<const Match> matches) {
  std::vector<double> scores;
  for (const Match& match : matches) scores.push_back(match.score);
  const auto middle = scores.begin() + static_cast<std::ptrdiff_t>(scores.size() / 2);
  std::nth_element(scores.begin(), middle, scores.end());
  return *middle;
}

std::uint32_t distance(FrameId a, FrameId b) {
  return a < b ? b.value - a.value : a.value - b.value;
}

}  // namespace

PlaceFilter::PlaceFilter(const PlaceFilterOptions& options) : options_(options) {
  require_number(options.memory >= 0 && options.memory < 1, "a memory of places from 0 to below 1",
                 options.memory);
  require_number(options.max_gain > 0, "a max_gain of places above 0", options.max_gain);
}

/// Of the ends from which one query may have moved to the frame, the one with the most evidence;
/// of equal ones the lowest.
const PlaceFilter::End* PlaceFilter::best_before(FrameId frame, const std::vector<End>& ends,
                                                 Way way) const {
  const auto reach = static_cast<std::uint32_t>(options_.max_step * (options_.max_missed + 1));
  const std::uint32_t lowest =
      way == Way::forwards ? frame.value - std::min(frame.value, reach) : frame.value;
  const std::uint32_t room = std::numeric_limits<std::uint32_t>::max() - frame.value;
  const std::uint32_t highest =
      way == Way::forwards ? frame.value : frame.value + std::min(room, reach);
  auto end =
      std::lower_bound(ends.begin(), ends.end(), lowest,
                       [](const End& e, std::uint32_t value) { return e.frame.value < value; });
  const End* best = nullptr;
  for (; end != ends.end() && end->frame.value <= highest; ++end) {
    if (distance(end->frame, frame) > options_.max_step * (end->missed + 1)) continue;
    if (best == nullptr || end->evidence > best->evidence) best = &*end;
  }
  return best;
}

std::vector<PlaceFilter::End> PlaceFilter::advance(std::span<const Match> ordered, double middle,
                                                   Way way, const std::vector<End>& before) const {
  std::vector<End> now;
  for (const Match& match : ordered) {
    const double gain = std::clamp(match.score / middle - 1, 0.0, options_.max_gain);
    End end{match.frame, gain, 1, 0};
    if (const End* from = best_before(match.frame, before, way)) {
      end.evidence += options_.memory * from->evidence;
      end.hits += from->hits;
    }
    now.push_back(end);
  }
  // Those without a match wait for one where they are.
  const std::size_t matched = now.size();
  auto at = now.begin();
  std::vector<End> waiting;
  for (const End& end : before) {
    while (at != now.end() && at->frame < end.frame) ++at;
    if (at != now.end() && at->frame == end.frame) continue;
    if (end.missed >= options_.max_missed) continue;
    waiting.push_back({end.frame, options_.memory * end.evidence, end.hits, end.missed + 1});
  }
  now.insert(now.end(), waiting.begin(), waiting.end());
  std::inplace_merge(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(matched), now.end(),
                     [](const End& a, const End& b) { return a.frame < b.frame; });
  return now;
}

void PlaceFilter::forget(std::vector<End>& ends) const {
  if (ends.size() <= options_.max_places) return;
  const auto last = ends.begin() + static_cast<std::ptrdiff_t>(options_.max_places);
  std::nth_element(ends.begin(), last, ends.end(), [](const End& a, const End& b) {
    return a.evidence != b.evidence ? a.evidence > b.evidence : a.frame < b.frame;
  });
  ends.erase(last, ends.end());
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.frame < b.frame; });
}

std::vector<Place> PlaceFilter::update(std::span<const Match> matches) {
  std::vector<Match> ordered(matches.begin(), matches.end());
  std::sort(ordered.begin(), ordered.end(), by_frame);
  const double middle = matches.empty() ? 1 : median_score(matches);
  forwards_ = advance(ordered, middle, Way::forwards, forwards_);
  backwards_ = advance(ordered, middle, Way::backwards, backwards_);
  std::vector<Place> places;
  auto forth = forwards_.begin();
  auto back = backwards_.begin();
  for (const Match& match : ordered) {
    while (forth->frame != match.frame) ++forth;
    while (back->frame != match.frame) ++back;
    const End& best = back->evidence > forth->evidence ? *back : *forth;
    places.push_back({match.frame, best.evidence, match.score, best.hits});
  }
  forget(forwards_);
  forget(backwards_);
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.evidence > b.evidence; });
  return places;
}

std::vector<Place> apart(std::span<const Place> places, std::uint32_t max_gap, std::size_t count) {
  std::vector<Place> kept;
  for (const Place& place : places) {
    if (kept.size() == count) break;
    const bool is_new = std::none_of(kept.begin(), kept.end(), [&](const Place& other) {
      return distance(place.frame, other.frame) <= max_gap;
    });
    if (is_new) kept.push_back(place);
  }
  return kept;
}

}  // namespace looptree

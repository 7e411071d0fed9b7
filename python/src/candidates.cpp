// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The places worth verifying along a drive whose matches are known already.
#include "looptree/detect/detail/candidates.hpp"

#include "looptree/common/error.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

struct Selected {
  std::vector<std::uint32_t> queries;
  std::vector<std::uint32_t> frames;
  std::vector<double> scores;
  std::vector<std::uint32_t> consistent;
};

/// `counts`: of each query, how many of the matches are its own, best first.
Selected select(std::span<const std::uint32_t> counts, std::span<const Match> matches,
                std::span<const double> thresholds, std::size_t top_k, std::size_t most) {
  detail::CandidateSearch search{TemporalOptions{}, PlaceFilterOptions{}};
  Selected selected;
  for (std::size_t query = 0; query < counts.size(); ++query) {
    const auto own = matches.first(counts[query]);
    matches = matches.subspan(own.size());
    for (const auto& candidate : search.update(own, top_k, thresholds[query], {}, most)) {
      selected.queries.push_back(static_cast<std::uint32_t>(query));
      selected.frames.push_back(candidate.frame.value);
      selected.scores.push_back(candidate.score);
      selected.consistent.push_back(static_cast<std::uint32_t>(candidate.consistent));
    }
  }
  return selected;
}

py::tuple select_candidates(const py::object& counts, const py::object& frames,
                            const py::object& scores, const py::object& thresholds,
                            std::size_t top_k, std::size_t most) {
  const HeldWords count = words_of(counts);
  const HeldWords frame = words_of(frames);
  const auto score = array_of<double>(scores, "scores as an array of floats");
  const auto threshold = array_of<double>(thresholds, "thresholds as an array of floats");
  std::vector<std::uint32_t> each;
  std::size_t total = 0;
  for (const WordId words : count.view) total += each.emplace_back(words.value);
  require(total == frame.view.size() && total == static_cast<std::size_t>(score.size()) &&
              each.size() == static_cast<std::size_t>(threshold.size()),
          ErrorKind::invalid_argument,
          "expected as many frames and scores as counts add up to, and one threshold per count, "
          "found another number of them");
  std::vector<Match> matches;
  for (std::size_t i = 0; i < total; ++i) {
    matches.push_back({FrameId{frame.view[i].value}, score.data()[i]});
  }
  Selected found = unlocked([&] {
    return select(each, matches, {threshold.data(), each.size()}, top_k, most);
  });
  return py::make_tuple(
      take<std::uint32_t>(std::move(found.queries)), take<std::uint32_t>(std::move(found.frames)),
      take<double>(std::move(found.scores)), take<std::uint32_t>(std::move(found.consistent)));
}

}  // namespace

void bind_candidates(py::module_& m) {
  m.def("select_candidates", &select_candidates, py::arg("counts"), py::arg("frames"),
        py::arg("scores"), py::arg("thresholds"), py::kw_only(), py::arg("top_k") = 20,
        py::arg("most") = 8,
        R"(The places worth verifying along a drive whose matches are known already.

What a LoopDetector does between query and verification: counts[i] is how many matches query i of
the drive has, whose frames and scores stand one after another, best first; the best top_k of them
that reach thresholds[i] are candidates by themselves, all of them together where they add up along
the drive. Returns (queries, frames, scores, consistent), one row per candidate, best first; at most
`most` of a query. consistent: how many queries in a row pointed there.)");
}

}  // namespace looptree::python

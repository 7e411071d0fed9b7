// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Pairs of frames of two maps: what looptree.fleet verifies its candidates with.
#include <array>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/detect/choice.hpp"
#include "looptree/detect/frame_pairs.hpp"
#include "looptree/detect/temporal.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

std::vector<FramePair> pairs_of(const py::object& queries, const py::object& matches,
                                const py::object& consistent) {
  const HeldWords query = words_of(queries);
  const HeldWords match = words_of(matches);
  const auto row = array_of<bool>(consistent, "consistent as an array of bool");
  require(query.view.size() == match.view.size() &&
              query.view.size() == static_cast<std::size_t>(row.size()),
          ErrorKind::invalid_argument,
          "expected one match and one consistent per query, found another number of them");
  std::vector<FramePair> pairs;
  for (std::size_t i = 0; i < query.view.size(); ++i) {
    pairs.push_back({FrameId{query.view[i].value}, FrameId{match.view[i].value}, row.data()[i]});
  }
  return pairs;
}

FramePairOptions options_of(const std::string& features,
                            const std::optional<Calibration>& calibration,
                            bool depth_from_odometry) {
  const EvidenceOfKind usual = default_evidence(parse_feature_kind(features));
  FramePairOptions options;
  options.verification.matching = usual.matching;
  options.verification.probe = usual.probe;
  options.evidence = usual.evidence;
  options.calibration = calibration;
  options.closure_pose.from_odometry = depth_from_odometry;
  return options;
}

py::array_t<double> information_of(const Information& information) {
  py::array_t<double> array({6, 6});
  std::copy(information.values.begin(), information.values.end(), array.mutable_data());
  return array;
}

/// The rows of the candidates that are closures, of queries that follow each other along a drive.
std::vector<std::uint32_t> chosen_rows(std::span<const std::uint32_t> counts,
                                       std::span<const Looked> candidates,
                                       const Evidence& evidence) {
  ClosureTrail trail(TemporalOptions{}.max_missed);
  std::vector<std::uint32_t> chosen;
  std::size_t row = 0;
  for (const std::uint32_t count : counts) {
    std::size_t looked = 0;  // a detector looks at no other after one that is beyond doubt
    while (looked < count &&
           (looked == 0 || !candidates[row + looked - 1].judgement.beyond_doubt)) {
      ++looked;
    }
    const auto best = choose_closure(candidates.subspan(row, looked), trail, evidence);
    if (best) chosen.push_back(static_cast<std::uint32_t>(row + *best));
    trail.add(best ? std::optional(candidates[row + *best].frame) : std::nullopt);
    row += count;
  }
  return chosen;
}

py::array_t<std::uint32_t> choose_closures(const py::object& counts, const py::object& frames,
                                           const py::object& inliers, const py::object& believed,
                                           const py::object& beyond_doubt,
                                           const std::string& features) {
  const HeldWords count = words_of(counts);
  const HeldWords frame = words_of(frames);
  const HeldWords inlier = words_of(inliers);
  const auto likely = array_of<bool>(believed, "believed as an array of bool");
  const auto clear = array_of<bool>(beyond_doubt, "beyond_doubt as an array of bool");
  std::vector<std::uint32_t> each;
  std::size_t total = 0;
  for (const WordId rows : count.view) total += each.emplace_back(rows.value);
  require(frame.view.size() == total && inlier.view.size() == total &&
              static_cast<std::size_t>(likely.size()) == total &&
              static_cast<std::size_t>(clear.size()) == total,
          ErrorKind::invalid_argument,
          "expected as many candidates in each array as counts add up to, found another number");
  std::vector<Looked> candidates;
  for (std::size_t i = 0; i < total; ++i) {
    const Judgement judgement{.verified = likely.data()[i],
                              .believed = likely.data()[i],
                              .beyond_doubt = clear.data()[i]};
    candidates.push_back({FrameId{frame.view[i].value}, inlier.view[i].value, judgement});
  }
  return take<std::uint32_t>(
      chosen_rows(each, candidates, default_evidence(parse_feature_kind(features)).evidence));
}

void bind_verdict(py::module_& m) {
  py::class_<PairVerdict>(m, "PairVerdict", "What geometry says of a pair of frames.")
      .def_property_readonly(
          "believed", [](const PairVerdict& v) { return v.judgement.believed; },
          "Whether they show one place, if no other place is nearly as likely.")
      .def_property_readonly(
          "beyond_doubt", [](const PairVerdict& v) { return v.judgement.beyond_doubt; },
          "Whether no other place need be asked.")
      .def_property_readonly("inliers",
                             [](const PairVerdict& v) { return v.verification.inliers.size(); })
      .def_property_readonly("needed_inliers",
                             [](const PairVerdict& v) { return v.judgement.needed_inliers; })
      .def_readonly("verification", &PairVerdict::verification)
      .def_property_readonly(
          "pose",
          [](const PairVerdict& v) -> py::object {
            return v.pose ? py::object(array_from(v.pose->match_from_query)) : py::none();
          },
          "match_from_query, 4x4, of a pair that is believed and calibrated; else None.")
      .def_property_readonly(
          "metric", [](const PairVerdict& v) { return v.pose && v.pose->metric; },
          "Whether the pose's translation is in metres; otherwise it is a direction.")
      .def_property_readonly(
          "information",
          [](const PairVerdict& v) -> py::object {
            if (!v.pose || !v.pose->information) return py::none();
            return information_of(*v.pose->information);
          },
          "6x6, of the pose, or None.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"believed", "inliers", "needed_inliers"});
      });
}

}  // namespace

void bind_pairs(py::module_& m) {
  bind_verdict(m);
  m.def("choose_closures", &choose_closures, py::arg("counts"), py::arg("frames"),
        py::arg("inliers"), py::arg("believed"), py::arg("beyond_doubt"), py::kw_only(),
        py::arg("features") = "orb",
        R"(Which candidates along a drive are closures: their rows, at most one of a query.

What a LoopDetector does after verification: counts[i] is how many candidates query i of the drive
has; their frames and what verify_pairs() said of them stand one after another, in the order in
which a detector would look at them, which ends after one that is beyond doubt.
Without a word on which frames far apart show one place, which a detector finds out.)");
  m.def(
      "verify_pairs",
      [](const Map& queries, const Map& matches, const py::object& query_frames,
         const py::object& match_frames, const py::object& consistent, const std::string& features,
         const std::optional<Calibration>& calibration, bool depth_from_odometry) {
        const std::vector<FramePair> pairs = pairs_of(query_frames, match_frames, consistent);
        const FramePairOptions options = options_of(features, calibration, depth_from_odometry);
        return unlocked([&] { return verify_pairs(queries, matches, pairs, options); });
      },
      py::arg("queries"), py::arg("matches"), py::arg("query_frames"), py::arg("match_frames"),
      py::arg("consistent"), py::kw_only(), py::arg("features") = "orb",
      py::arg("calibration") = py::none(), py::arg("depth_from_odometry") = false,
      R"(Do frames of two maps show one place? One PairVerdict per pair.

What a LoopDetector does with its candidates, by the features that the maps keep: frame
query_frames[i] of the one map against match_frames[i] of the other, where consistent[i] says that
several queries in a row pointed there. features: their kind, which says what evidence is asked for.)");
}

}  // namespace looptree::python

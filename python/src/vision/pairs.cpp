// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Pairs of frames of two maps: what looptree.fleet verifies its candidates with.
#include <array>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/detect/frame_pairs.hpp"

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

void bind_verdict(py::module_& m) {
  py::class_<PairVerdict>(m, "PairVerdict", "What geometry says of a pair of frames.")
      .def_property_readonly(
          "believed", [](const PairVerdict& v) { return v.judgement.believed; },
          "Whether they show one place.")
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
  m.def(
      "sure_inliers",
      [](const std::string& features, bool calibrated) {
        return sure_inliers(default_evidence(parse_feature_kind(features)).evidence, calibrated);
      },
      py::arg("features"), py::arg("calibrated"),
      "Inliers that leave no doubt, for features of a kind: no other candidate need be looked at.");
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

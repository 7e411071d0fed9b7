// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/error.hpp"
#include "looptree/evaluate/ground_truth.hpp"
#include "looptree/evaluate/metrics.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

using namespace looptree::evaluate;

/// One truth value per item, from booleans or integers.
std::vector<bool> flags_of(const py::object& object, const char* what) {
  const py::array any = py::array::ensure(object);
  const char kind = any ? any.dtype().kind() : '?';
  PyErr_Clear();
  if (!any || any.ndim() != 1 || (any.size() > 0 && kind != 'b' && kind != 'u' && kind != 'i')) {
    throw Error(ErrorKind::invalid_argument,
                std::string("expected ") + what + " as a one-dimensional array of bool, found " +
                    describe(any ? py::handle(any) : py::handle(object)));
  }
  const py::array_t<bool, py::array::c_style> flags(any.attr("astype")("bool"));
  return std::vector<bool>(flags.data(), flags.data() + flags.size());
}

std::vector<double> numbers_of(const py::object& object, const char* what) {
  const auto values = array_of<double>(object, what);
  if (values.ndim() != 1) {
    throw Error(ErrorKind::invalid_argument,
                std::string("expected ") + what + ", found " + describe(values));
  }
  return {values.data(), values.data() + values.size()};
}

std::vector<Claim> claims_of(const py::object& scores, const py::object& right) {
  const auto values = numbers_of(scores, "scores as a one-dimensional array of floats");
  const auto flags = flags_of(right, "right");
  if (values.size() != flags.size()) {
    throw Error(ErrorKind::invalid_argument,
                "expected as many scores as claims that are right or wrong, found " +
                    std::to_string(values.size()) + " and " + std::to_string(flags.size()));
  }
  std::vector<Claim> claims;
  claims.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) claims.push_back({values[i], flags[i]});
  return claims;
}

template <typename T>
py::array column(const py::object& self, const T CurvePoint::*field) {
  const auto& points = self.cast<const Curve&>().points;
  const T* first = points.empty() ? nullptr : &(points.front().*field);
  return view_of(first, {static_cast<py::ssize_t>(points.size())}, {sizeof(CurvePoint)}, self);
}

void bind_curve(py::module_& m) {
  py::class_<CurvePoint>(m, "CurvePoint",
                         "What holds if every claim of at least threshold is believed.")
      .def_readonly("threshold", &CurvePoint::threshold)
      .def_readonly("right", &CurvePoint::right, "Claims that are true.")
      .def_readonly("wrong", &CurvePoint::wrong, "False alarms.")
      .def_readonly("precision", &CurvePoint::precision)
      .def_readonly("recall", &CurvePoint::recall)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"threshold", "right", "wrong", "precision", "recall"});
      });
  py::class_<Curve>(m, "Curve", R"(A precision-recall curve: points by falling threshold.

thresholds, right, wrong, precision and recall are read-only arrays over its own memory.)")
      .def_readonly("positives", &Curve::positives, "Queries that have a right answer.")
      .def_readonly("points", &Curve::points)
      .def("__len__", [](const Curve& curve) { return curve.points.size(); })
      .def_property_readonly(
          "thresholds", [](const py::object& self) { return column(self, &CurvePoint::threshold); })
      .def_property_readonly(
          "right", [](const py::object& self) { return column(self, &CurvePoint::right); })
      .def_property_readonly(
          "wrong", [](const py::object& self) { return column(self, &CurvePoint::wrong); })
      .def_property_readonly(
          "precision", [](const py::object& self) { return column(self, &CurvePoint::precision); })
      .def_property_readonly(
          "recall", [](const py::object& self) { return column(self, &CurvePoint::recall); })
      .def("__repr__", [](const Curve& curve) {
        return "Curve(" + std::to_string(curve.points.size()) + " points, average precision " +
               repr(average_precision(curve)) + ", recall at full precision " +
               repr(recall_at_full_precision(curve)) + ")";
      });
}

void bind_metrics(py::module_& m) {
  m.def(
      "precision_recall",
      [](const py::object& scores, const py::object& right, std::size_t positives) {
        return precision_recall(claims_of(scores, right), positives);
      },
      py::arg("scores"), py::arg("right"), py::arg("positives"),
      "The curve over every threshold that makes a difference. Each query makes at most one claim, "
      "its best match: its score, and whether it is right; `positives` queries have a right "
      "answer.");
  m.def("average_precision", &average_precision, py::arg("curve"),
        "The area under the curve as a sum of steps.");
  m.def("recall_at_full_precision", &recall_at_full_precision, py::arg("curve"),
        "The highest recall of a point without a false alarm; 0 if there is none.");
  m.def(
      "safe_threshold",
      [](const py::object& scores, const py::object& right) {
        return safe_threshold(claims_of(scores, right));
      },
      py::arg("scores"), py::arg("right"),
      "The smallest threshold that leaves no false alarm; None if a wrong claim scores 1 or more.");
  m.def(
      "point_at",
      [](const py::object& scores, const py::object& right, std::size_t positives,
         double threshold) { return point_at(claims_of(scores, right), positives, threshold); },
      py::arg("scores"), py::arg("right"), py::arg("positives"), py::arg("threshold"),
      "The point of a threshold, whether or not the curve has one.");
  m.def(
      "ranked_average_precision",
      [](const py::object& ranking, std::size_t positives) {
        return ranked_average_precision(flags_of(ranking, "ranking"), positives);
      },
      py::arg("ranking"), py::arg("positives"),
      "Retrieval: the average precision of one ranked answer, by Holidays' rule.");
  m.def(
      "right_in_top_four",
      [](const py::object& ranking) { return right_in_top_four(flags_of(ranking, "ranking")); },
      py::arg("ranking"), "ukbench: how many of the first four of a ranked answer are right.");
}

GroundTruth by_poses(const py::object& route, const py::object& queries, double max_distance_m,
                     double max_angle_deg) {
  const PoseRule rule{max_distance_m, max_angle_deg};
  std::vector<Pose> frames = poses_of(route);
  if (queries.is_none()) return GroundTruth::by_poses(std::move(frames), rule);
  return GroundTruth::by_poses(poses_of(queries), std::move(frames), rule);
}

GroundTruth by_matrix(const py::object& matrix) {
  const py::array any = py::array::ensure(matrix);
  PyErr_Clear();
  if (!any || any.ndim() != 2) {
    throw Error(ErrorKind::invalid_argument,
                "expected a matrix of one row per query and one column per frame, found " +
                    describe(any ? py::handle(any) : py::handle(matrix)));
  }
  const py::array_t<bool, py::array::c_style> flags(any.attr("astype")("bool"));
  return GroundTruth::by_matrix(static_cast<std::size_t>(flags.shape(0)),
                                static_cast<std::size_t>(flags.shape(1)),
                                {flags.data(), flags.data() + flags.size()});
}

std::vector<std::uint32_t> labels_of(const py::object& labels) {
  std::vector<std::uint32_t> numbers;
  for (const WordId each : words_of(labels).view) numbers.push_back(each.value);
  return numbers;
}

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

void bind_ground_truth(py::module_& m) {
  py::class_<GroundTruth>(m, "GroundTruth",
                          R"(Which database frames are right answers to which queries.

Says nothing of time: `last` is the end of the frames that a query may be answered with.)")
      .def_static("by_poses", &by_poses, py::arg("route"), py::arg("queries") = py::none(),
                  py::kw_only(), py::arg("max_distance_m") = 15.0, py::arg("max_angle_deg") = 180.0,
                  "Right where poses are close. Of a route compared with itself, or of queries "
                  "compared with a route. Poses have shape (frames, 3, 4) or (frames, 4, 4).")
      .def_static(
          "by_labels",
          [](const py::object& queries, const py::object& frames) {
            return GroundTruth::by_labels(labels_of(queries), labels_of(frames));
          },
          py::arg("queries"), py::arg("frames"), "Right where the labels are equal.")
      .def_static("by_matrix", &by_matrix, py::arg("matrix"),
                  "Right where the matrix, one row per query and one column per frame, is not 0.")
      .def_property_readonly("queries", &GroundTruth::queries)
      .def_property_readonly("frames", &GroundTruth::frames)
      .def("is_right", &GroundTruth::is_right, py::arg("query"), py::arg("frame"),
           "Whether `frame` is a right answer to `query`.")
      .def(
          "right_frames",
          [](const GroundTruth& truth, std::size_t query, std::optional<std::size_t> last) {
            return take<std::size_t>(
                unlocked([&] { return truth.right_frames(query, last.value_or(kAll)); }));
          },
          py::arg("query"), py::arg("last") = py::none(),
          "The right answers with a number below `last`, ascending.")
      .def(
          "has_right_frame",
          [](const GroundTruth& truth, std::size_t query, std::optional<std::size_t> last) {
            return unlocked([&] { return truth.has_right_frame(query, last.value_or(kAll)); });
          },
          py::arg("query"), py::arg("last") = py::none(), "Whether there is one at all.")
      .def(
          "revisits",
          [](const GroundTruth& truth, std::size_t exclude_recent) {
            const std::vector<bool> flags =
                unlocked([&] { return revisits(truth, exclude_recent); });
            py::array_t<bool> array(static_cast<py::ssize_t>(flags.size()));
            std::copy(flags.begin(), flags.end(), array.mutable_data());
            return array;
          },
          py::arg("exclude_recent"),
          "For each query of a route, whether it has a right answer more than `exclude_recent` "
          "frames older.")
      .def("__repr__", [](const GroundTruth& truth) {
        return "GroundTruth(" + std::to_string(truth.queries()) + " queries, " +
               std::to_string(truth.frames()) + " frames)";
      });
}

}  // namespace

void bind_evaluate(py::module_& m) {
  bind_curve(m);
  bind_metrics(m);
  bind_ground_truth(m);
}

}  // namespace looptree::python

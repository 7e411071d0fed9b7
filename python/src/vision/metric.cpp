// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Poses with length: of two images, of closures, and of a lost camera in a map.
#include "looptree/detect/metric_pose.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "looptree/detect/relocalize.hpp"
#endif

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/features.hpp"

namespace looptree::python {
namespace {

py::array information_of(const Information& information) {
  py::array_t<double> array({6, 6});
  std::copy(information.values.begin(), information.values.end(), array.mutable_data());
  return array;
}

MetricPoseOptions metric_options(double keypoint_sigma_px, double inverse_depth_sigma,
                                 std::size_t min_inliers, double min_inlier_ratio, double caution,
                                 std::uint32_t seed) {
  MetricPoseOptions options;
  options.keypoint_sigma_px = keypoint_sigma_px;
  options.inverse_depth_sigma = inverse_depth_sigma;
  options.min_inliers = min_inliers;
  options.min_inlier_ratio = min_inlier_ratio;
  options.caution = caution;
  options.seed = seed;
  return options;
}

std::vector<Correspondence> correspondences_of(const py::object& object) {
  const py::array any = py::array::ensure(object);
  if (!any || !any.dtype().equal(py::dtype::of<Correspondence>())) {
    refuse_type("correspondences as an array of looptree.correspondence_dtype", object);
  }
  const py::array_t<Correspondence, py::array::c_style> rows(any);
  return {rows.data(), rows.data() + rows.size()};
}

void bind_metric_pose(py::module_& m) {
  py::class_<MetricPose>(
      m, "MetricPose",
      "How the camera of the match sees that of the query, in metres, and how sure that is.")
      .def_property_readonly(
          "match_from_query",
          [](const MetricPose& p) { return array_from(p.match_from_query.pose); },
          "A 4x4 matrix: the query's camera in the match's frame.")
      .def_property_readonly(
          "information",
          [](const MetricPose& p) { return information_of(p.match_from_query.information); },
          "6x6, the inverse of the covariance of x, y, z and the rotation vector in the frame of "
          "the query's camera.")
      .def_readonly("inliers", &MetricPose::inliers)
      .def_readonly("error_px", &MetricPose::error_px, "Of the inliers, root mean square.")
      .def_property_readonly("sigma_m", &MetricPose::sigma_m)
      .def_property_readonly("sigma_deg", &MetricPose::sigma_deg)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"inliers", "error_px", "sigma_m", "sigma_deg"});
      });
  const MetricPoseOptions d;
  m.def(
      "metric_pose",
      [](const Features& query, const Features& match, const py::object& correspondences,
         const Calibration& calibration, double keypoint_sigma_px, double inverse_depth_sigma,
         std::size_t min_inliers, double min_inlier_ratio, double caution, std::uint32_t seed) {
        const auto rows = correspondences_of(correspondences);
        const MetricPoseOptions options = metric_options(
            keypoint_sigma_px, inverse_depth_sigma, min_inliers, min_inlier_ratio, caution, seed);
        return unlocked([&] { return metric_pose(query, match, rows, calibration, options); });
      },
      py::arg("query"), py::arg("match"), py::arg("correspondences"), py::arg("calibration"),
      py::kw_only(), py::arg("keypoint_sigma_px") = d.keypoint_sigma_px,
      py::arg("inverse_depth_sigma") = d.inverse_depth_sigma,
      py::arg("min_inliers") = d.min_inliers, py::arg("min_inlier_ratio") = d.min_inlier_ratio,
      py::arg("caution") = d.caution, py::arg("seed") = d.seed,
      "The relative pose of two images from correspondences whose depth is known in one of them or "
      "in both (Features made with depths=): a MetricPose, or None where too few agree.");
}

#ifdef LOOPTREE_WITH_STORE
void bind_relocation(py::module_& m) {
  py::class_<Relocation>(m, "Relocation", "A frame of a map that an image may have been taken at.")
      .def_property_readonly("frame", [](const Relocation& r) { return r.frame.value; })
      .def_readonly("score", &Relocation::score)
      .def_readonly("has_features", &Relocation::has_features,
                    "Without them it can be neither verified nor refuted.")
      .def_readonly("verified", &Relocation::verified, "Geometry says it is the place.")
      .def_readonly("refusal", &Relocation::refusal,
                    "By which number geometry says it is not: '12 inliers, expected 90'; else ''.")
      .def_readonly("verification", &Relocation::verification)
      .def_property_readonly(
          "pose",
          [](const Relocation& r) {
            return r.pose ? py::object(array_from(r.pose->pose)) : py::object(py::none());
          },
          "Where the camera is in the map's frame, 4x4, world_from_camera; None where depth or the "
          "frame's own pose is not known.")
      .def_property_readonly(
          "information",
          [](const Relocation& r) {
            return r.pose ? py::object(information_of(r.pose->information))
                          : py::object(py::none());
          },
          "Of that pose, 6x6: x, y, z and rotation vector in the frame of the camera.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"frame", "score", "verified"});
      });
}
#endif

}  // namespace

void bind_metric(py::module_& m) {
  bind_metric_pose(m);
#ifdef LOOPTREE_WITH_STORE
  bind_relocation(m);
#endif
}

}  // namespace looptree::python

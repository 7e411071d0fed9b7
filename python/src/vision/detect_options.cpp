// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/vision/detect_options.hpp"

#include <array>

namespace looptree::python {
namespace {

constexpr std::array kThresholdKinds{Named<ThresholdKind>{ThresholdKind::absolute, "absolute"},
                                     Named<ThresholdKind>{ThresholdKind::relative, "relative"}};

/// Hands every option with its name to `visit(name, value&)`; the one list of them.
template <typename Options, typename Visit>
void each_verification(Options& options, Visit&& visit) {
  visit("max_ratio", options.matching.max_ratio);
  visit("mutual", options.matching.mutual);
  visit("probe_features", options.probe.features);
  visit("direct_index_levels", options.direct_index_levels);
  visit("min_correspondences", options.min_correspondences);
  visit("max_error_px", options.max_error_px);
  visit("confidence", options.confidence);
  visit("max_iterations", options.max_iterations);
  visit("seed", options.seed);
}

template <typename Options, typename Visit>
void each_option(Options& options, Visit&& visit) {
  visit("topology", options.topology);
  visit("exclude_recent", options.exclude_recent);
  visit("threshold_kind", options.threshold_kind);
  visit("threshold", options.threshold);
  visit("top_k", options.top_k);
  visit("sequence_k", options.sequence_k);
  visit("max_gap", options.temporal.max_gap);
  visit("max_distance", options.temporal.max_distance);
  visit("max_missed", options.temporal.max_missed);
  visit("consistent_queries", options.consistent_queries);
  visit("stored_features", options.stored_features.max_per_frame);
  visit("max_frames", options.max_frames);
  visit("verify_geometry", options.verify_geometry);
  each_verification(options.verification, visit);
  visit("calibration", options.calibration);
  visit("max_verified", options.max_verified);
  visit("min_inliers", options.evidence.min_inliers);
  visit("sure_inliers", options.evidence.sure_inliers);
  visit("uncalibrated_factor", options.evidence.uncalibrated_factor);
  visit("min_inlier_ratio", options.evidence.min_inlier_ratio);
  visit("min_coverage", options.evidence.min_coverage);
  visit("thin_coverage", options.evidence.thin_coverage);
  visit("distinct_factor", options.evidence.distinct_factor);
  visit("inverse_depth_sigma", options.closure_pose.pose.inverse_depth_sigma);
  visit("depth_from_odometry", options.closure_pose.from_odometry);
}

template <typename T>
void assign(T& to, const py::object& from, const char* name) {
  try {
    to = from.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(name) + ": found " + py::repr(from).cast<std::string>() +
                         ", which is not of its type");
  }
}
void assign(Topology& to, const py::object& from, const char* /*name*/) {
  to = topology_of(from);
}
void assign(ThresholdKind& to, const py::object& from, const char* name) {
  to = parse_name<ThresholdKind>(name, kThresholdKinds, from.cast<std::string>());
}

/// Takes keywords out of a dictionary; what is left over was meant for nobody.
class Reader {
 public:
  explicit Reader(const py::kwargs& keywords) : left_(keywords.attr("copy")()) {}
  template <typename T>
  void operator()(const char* name, T& value) {
    names_.append(names_.empty() ? "" : ", ").append(name);
    if (left_.contains(name)) assign(value, left_.attr("pop")(name), name);
  }
  void finish() const {
    for (const auto& [name, value] : left_) {
      const py::list known = py::str(names_).attr("split")(", ");
      const py::list near =
          py::module_::import("difflib").attr("get_close_matches")(name, known, 1);
      throw py::type_error(
          "unknown option '" + name.cast<std::string>() + "'; there are " + names_ +
          (near.empty() ? "" : "; did you mean " + near[0].cast<std::string>() + "?"));
    }
  }

 private:
  py::dict left_;
  std::string names_;
};

}  // namespace

LoopDetectorOptions detector_options(const py::kwargs& keywords, LoopDetectorOptions options) {
  Reader reader(keywords);
  each_option(options, reader);
  reader.finish();
  return options;
}

VerificationOptions verification_options(const py::kwargs& keywords) {
  VerificationOptions options;
  Reader reader(keywords);
  each_verification(options, reader);
  reader.finish();
  return options;
}

py::dict keywords_of(const LoopDetectorOptions& options) {
  py::dict keywords;
  each_option(options, [&]<typename T>(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, ThresholdKind>) {
      keywords[name] = name_of<ThresholdKind>(kThresholdKinds, value);
    } else {
      keywords[name] = py::cast(value);
    }
  });
  return keywords;
}

}  // namespace looptree::python

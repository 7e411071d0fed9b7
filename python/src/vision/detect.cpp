// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/error.hpp"
#include "looptree/detect/loop_detector.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/box.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "looptree/detect/map_detector.hpp"
#include "looptree/detect/relocalize.hpp"
#include "looptree/store/map_vocabulary.hpp"
#endif

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/features.hpp"
#include "python/src/vision/detect_options.hpp"
#include "python/src/vision/extractor.hpp"

namespace looptree::python {
namespace {

/// A detector, and what turns images into features for it.
class ImageLoopDetector {
 public:
  /// Features by their kind, with the vocabulary in the box for them.
  ImageLoopDetector(const std::string& features, const LoopDetectorOptions& options,
                    const std::string& keyframes)
      : ImageLoopDetector(
            box_vocabulary(features), make_extractor({.kind = parse_feature_kind(features)}),
            LoopDetector(box_vocabulary(features), options, parse_keyframe_selector(keyframes))) {}
  ImageLoopDetector(const Vocabulary& vocabulary, std::shared_ptr<FeatureExtractor> extractor,
                    LoopDetector detector)
      : extractor_(std::move(extractor)),
        vocabulary_(vocabulary),
        options_(detector.options()),
        detector_(std::move(detector)) {
    if (extractor_) {
      check_extractor(*extractor_);
    }
  }

  /// Features as they are, or those of an image.
  SharedFeatures features_of(const py::object& frame) {
    if (py::isinstance<Features>(frame)) return frame.cast<SharedFeatures>();
    const Image image = image_of(frame);
    const FeatureExtractor& extractor = image_extractor();
    return unlocked([&] { return std::make_shared<Features>(extractor.extract(image)); });
  }
  Guarded<LoopDetector>& detector() { return detector_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const LoopDetectorOptions& options() const { return options_; }

 private:
  void check_extractor(const FeatureExtractor& extractor) const {
    if (extractor.descriptor_type() == vocabulary_.descriptor_type() &&
        extractor.descriptor_width() == vocabulary_.descriptor_width()) {
      return;
    }
    throw Error(ErrorKind::invalid_argument,
                "expected an extractor of the vocabulary's descriptors, of width " +
                    std::to_string(vocabulary_.descriptor_width()) + ", found one of width " +
                    std::to_string(extractor.descriptor_width()));
  }
  /// Without one from the caller, ORB, if the vocabulary could be of it.
  const FeatureExtractor& image_extractor() {
    if (!extractor_) {
      std::shared_ptr<FeatureExtractor> orb = make_extractor();
      check_extractor(*orb);
      extractor_ = std::move(orb);
    }
    return *extractor_;
  }

  std::shared_ptr<FeatureExtractor> extractor_;
  Vocabulary vocabulary_;
  LoopDetectorOptions options_;
  Guarded<LoopDetector> detector_;
};

py::object optional_id(const std::optional<FrameId>& id) {
  return id ? py::object(py::int_(id->value)) : py::none();
}

/// A property of the match, or None.
template <typename Get>
py::object of_match(const Detection& detection, Get get) {
  return detection.match ? py::cast(get(*detection.match)) : py::object(py::none());
}

std::optional<Pose> optional_pose(const py::object& pose) {
  return pose.is_none() ? std::nullopt : std::optional(pose_of(pose));
}

/// The id of an inserted frame.
FrameId id_of(const LoopDetector& detector, std::uint64_t number) {
  const std::optional<FrameId> id = detector.find(number);
  if (id) return *id;
  throw Error(ErrorKind::not_found,
              "expected the number of a frame that was inserted, found " + std::to_string(number));
}

void bind_verification(py::module_& m) {
  py::class_<RelativePose>(m, "RelativePose", "How the camera of the match sees that of the query.")
      .def_property_readonly(
          "rotation",
          [](const py::object& self) {
            const auto& r = self.cast<const RelativePose&>().rotation;
            return view_of(r.data(), {3, 3}, {3 * sizeof(double), sizeof(double)}, self);
          },
          "match_from_query, 3x3.")
      .def_property_readonly(
          "direction",
          [](const py::object& self) {
            const auto& d = self.cast<const RelativePose&>().direction;
            return view_of(std::span<const double>(d), self);
          },
          "Of the query's camera in the match's frame, a unit vector: the distance is unknown.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"rotation", "direction"});
      });
  py::class_<Verification>(m, "Verification", "What two images have in common.")
      .def_readonly("correspondences", &Verification::correspondences,
                    "Keypoints that passed the descriptor tests.")
      .def_property_readonly(
          "inliers",
          [](const py::object& self) {
            return view_of(
                std::span<const Correspondence>(self.cast<const Verification&>().inliers), self);
          },
          "Of these, what one epipolar geometry explains: an array of correspondence_dtype.")
      .def_readonly("coverage", &Verification::coverage, "How much of the image they cover.")
      .def_readonly("match_from_query", &Verification::match_from_query,
                    "A RelativePose where the camera is calibrated, else None.")
      .def_readonly("metric", &Verification::metric,
                    "A MetricPose of a closure where depth or odometry is known, else None.")
      .def("__repr__", [](const Verification& v) {
        return "Verification(correspondences=" + std::to_string(v.correspondences) +
               ", inliers=" + std::to_string(v.inliers.size()) + ", coverage=" + repr(v.coverage) +
               ")";
      });
  m.def(
      "verify",
      [](const Features& query, const Features& match,
         const std::optional<Calibration>& calibration, const py::kwargs& keywords) {
        const VerificationOptions options = verification_options(keywords);
        return unlocked([&] { return verify(query, match, calibration, options); });
      },
      py::arg("query"), py::arg("match"), py::arg("calibration") = py::none(),
      "Are these two images of one place? Matches descriptors and fits an epipolar geometry to the "
      "correspondences. Keywords: max_ratio, mutual, probe_features, direct_index_levels, "
      "min_correspondences, "
      "max_error_px, "
      "confidence, max_iterations, seed.");
}

void bind_detection(py::module_& m) {
  py::class_<StageTimes>(m, "StageTimes", "Milliseconds that each stage took.")
      .def_readonly("histogram_ms", &StageTimes::histogram_ms)
      .def_readonly("query_ms", &StageTimes::query_ms)
      .def_readonly("temporal_ms", &StageTimes::temporal_ms)
      .def_readonly("verify_ms", &StageTimes::verify_ms)
      .def_readonly("insert_ms", &StageTimes::insert_ms)
      .def_property_readonly("total_ms", &StageTimes::total_ms)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self,
                           {"histogram_ms", "query_ms", "temporal_ms", "verify_ms", "insert_ms"});
      });
  py::class_<Detection>(m, "Detection", "The answer for one frame, and the numbers behind it.")
      .def_property_readonly(
          "decision", [](const Detection& d) { return to_string(d.decision); },
          "'closure', 'no features', 'not a keyframe', 'no candidate', 'not verified', 'not "
          "consistent' or 'not distinct'.")
      .def_property_readonly("is_closure", &Detection::is_closure)
      .def_property_readonly(
          "frame", [](const Detection& d) { return d.frame.number; },
          "The number of the frame, whether it was inserted or not.")
      .def_property_readonly(
          "name", [](const Detection& d) { return d.frame.name; }, "As it was given, or ''.")
      .def_property_readonly("time_s", [](const Detection& d) { return d.frame.time_s; })
      .def_property_readonly(
          "frame_id", [](const Detection& d) { return optional_id(d.frame.id); },
          "Its id in the index, which counts insertions, or None if it was not inserted.")
      .def_property_readonly(
          "match",
          [](const Detection& d) {
            return of_match(d, [](const FrameIdentity& f) { return f.number; });
          },
          "The number of the closure, or of the best of what was refused, or None.")
      .def_property_readonly("match_name",
                             [](const Detection& d) {
                               return of_match(d, [](const FrameIdentity& f) { return f.name; });
                             })
      .def_property_readonly("match_time_s",
                             [](const Detection& d) {
                               return of_match(d, [](const FrameIdentity& f) { return f.time_s; });
                             })
      .def_property_readonly(
          "match_id",
          [](const Detection& d) {
            return of_match(d, [](const FrameIdentity& f) { return f.id->value; });
          },
          "Its id in the index or the map.")
      .def_property_readonly(
          "match_session",
          [](const Detection& d) {
            return of_match(d, [](const FrameIdentity& f) {
              return f.earlier_session ? std::optional(f.earlier_session->value) : std::nullopt;
            });
          },
          "Its session, if it was in the map before the detector; else None.")
      .def_readonly("score", &Detection::score, "Of `match`.")
      .def_readonly("threshold", &Detection::threshold, "The score it was compared with.")
      .def_readonly("consistent", &Detection::consistent,
                    "Queries in a row that pointed to the place of `match`.")
      .def_readonly("needed_inliers", &Detection::needed_inliers)
      .def_readonly("verified", &Detection::verified, "Candidates whose geometry was checked.")
      .def_readonly("verification", &Detection::verification, "Of `match`.")
      .def_readonly("times", &Detection::times)
      .def("explain", &Detection::explain,
           "One sentence for people: the decision, and by what number.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"decision", "frame", "match", "score"});
      });
}

#ifdef LOOPTREE_WITH_STORE
std::unique_ptr<ImageLoopDetector> detector_on_map(std::shared_ptr<Map> map,
                                                   const std::string& session,
                                                   std::shared_ptr<FeatureExtractor> extractor,
                                                   const std::string& keyframes,
                                                   const py::kwargs& keywords) {
  const LoopDetectorOptions options = detector_options(keywords);
  const Vocabulary vocabulary = unlocked([&] { return load_vocabulary(*map); });
  return std::make_unique<ImageLoopDetector>(
      vocabulary, std::move(extractor),
      make_map_detector(std::move(map), vocabulary, session, options,
                        parse_keyframe_selector(keyframes)));
}

std::vector<Relocation> relocalize_in(const Map& map, const Features& features, std::size_t top_k,
                                      double threshold, const py::object& sessions,
                                      const std::optional<Calibration>& calibration,
                                      std::size_t min_inliers, double inverse_depth_sigma,
                                      bool from_odometry, const py::object& vocabulary) {
  RelocalizeOptions options{.top_k = top_k, .threshold = threshold};
  options.pose.pose.inverse_depth_sigma = inverse_depth_sigma;
  options.pose.from_odometry = from_odometry;
  options.calibration = calibration;
  options.min_inliers = min_inliers;
  if (!sessions.is_none()) {
    options.filter.sessions.emplace();
    for (const auto& id : sessions) options.filter.sessions->emplace_back(id.cast<std::uint32_t>());
  }
  const Vocabulary words = vocabulary.is_none() ? unlocked([&] { return load_vocabulary(map); })
                                                : vocabulary.cast<Vocabulary>();
  return unlocked([&] { return relocalize(map, words, features, options); });
}

void bind_relocalize(py::module_& m) {
  const RelocalizeOptions d;
  m.def("relocalize", &relocalize_in, py::arg("map"), py::arg("features"), py::kw_only(),
        py::arg("top_k") = d.top_k, py::arg("threshold") = d.threshold,
        py::arg("sessions") = py::none(), py::arg("calibration") = py::none(),
        py::arg("min_inliers") = d.min_inliers,
        py::arg("inverse_depth_sigma") = d.pose.pose.inverse_depth_sigma,
        py::arg("from_odometry") = d.pose.from_odometry, py::arg("vocabulary") = py::none(),
        R"(Where in the map was the image of these features taken?

Verified frames come first, by inliers; then the others by score. Empty for an image without
features. The vocabulary is the map's; give it, where it is loaded already, to save that. With a
calibration, and depth of the image's or the map's features, or (from_odometry) poses of the map's
frames that are right against each other, verified frames come with the camera's pose.)");
}
#endif

constexpr auto kDetectorDoc = R"(Keywords, with their defaults:

topology='d1'              grouping and pooling of the index
exclude_recent=300         the most recent frames are no loops
threshold_kind='relative'  to the score against the previous frame; or 'absolute'
threshold=0.1              frames that score less are no candidates
top_k=20                   the best-scoring frames that are candidates by themselves
sequence_k=100             the best-scoring frames whose scores add up along the way; 0: none
max_gap=3                  matches this close together, in frames, are one place
max_distance=3             a place continues that of the query before up to so many frames away
max_missed=2               queries without it that are forgiven
consistent_queries=3       queries in a row that must point to a place to need only min_inliers
stored_features=450        of a frame, that are kept to verify later frames against
max_frames=None            that are kept at most; the oldest go
verify_geometry=True       without it, candidates are believed once they are consistent
max_ratio=0.8, mutual=True               the tests that a correspondence must pass
probe_features=500         the strongest, which are looked at first; 0: none
direct_index_levels=None   compare only under the same node, so many levels above the words
min_correspondences=57, max_error_px=2.0, confidence=0.999, max_iterations=500, seed=1   of the fit
calibration=None           where known, an essential matrix is fitted and closures have a pose
max_verified=8             places whose geometry is checked, at most
min_inliers=25             that make a closure of a consistent candidate
sure_inliers=40            that make a closure of one seen for the first time
uncalibrated_factor=2.25   this many times as many without calibration
min_inlier_ratio=0.25      of the matched keypoints
min_coverage=0.12          part of the image that the inliers must cover
thin_coverage=0.16         inliers that cover less must be twice as many
distinct_factor=3.0        fewer than sure_inliers must be this many times those of any other place,
                           unless closures led there
inverse_depth_sigma=0.002  of Features made with depths, 1/metres: closures get a length by them
depth_from_odometry=False  closures get their length from the poses that frames come with)";

void bind_detector(py::module_& m) {
  py::class_<ImageLoopDetector>(
      m, "LoopDetector", R"(Says of each frame of a route whether the camera has been there before.

Histogram, query with the recent frames left out, temporal consistency, geometric verification,
insertion. Frames are images or Features; of images, `extractor` (by default ORB) makes features
that must fit the vocabulary. Without a vocabulary, or with the name of a kind of features instead,
one that comes with looptree serves: nothing has to be trained. keyframes: 'all', 'every:5', 'motion:2,15' (metres, degrees) or
'appearance:0.2'. Same frames, same answers, to the bit.)")
      .def(py::init([](const Vocabulary& vocabulary, std::shared_ptr<FeatureExtractor> extractor,
                       const std::string& keyframes, const py::kwargs& keywords) {
             const LoopDetectorOptions options = detector_options(keywords);
             return std::make_unique<ImageLoopDetector>(
                 vocabulary, std::move(extractor),
                 LoopDetector(vocabulary, options, parse_keyframe_selector(keyframes)));
           }),
           py::arg("vocabulary"), py::arg("extractor") = py::none(), py::arg("keyframes") = "all",
           kDetectorDoc)
      .def(py::init([](const std::string& features, const std::string& keyframes,
                       const py::kwargs& keywords) {
             return std::make_unique<ImageLoopDetector>(
                 features,
                 detector_options(keywords, default_options(parse_feature_kind(features))),
                 keyframes);
           }),
           py::arg("features") = std::string(to_string(ExtractorOptions{}.kind)),
           py::arg("keyframes") = "all",
           "Features by the name of their kind, with the vocabulary that comes with looptree for "
           "them: one of box_vocabularies(). What geometry must show, and max_ratio, are by "
           "default as the command line has them for the kind.")
#ifdef LOOPTREE_WITH_STORE
      .def_static("on_map", &detector_on_map, py::arg("map"), py::arg("session"),
                  py::arg("extractor") = py::none(), py::arg("keyframes") = "all",
                  R"(A detector whose frames live in a map, which must be open for writing.

It finds loops to earlier sessions as to its own (match_session says so), and adds its frames and
closures as a new session of that name, which begins with the first frame. Keywords as above, but
for the topology, which is the map's.)")
#endif
      .def(
          "process",
          [](ImageLoopDetector& self, const py::object& frame, const py::object& pose,
             std::optional<std::uint64_t> number, const std::string& name,
             std::optional<double> time_s, const py::bytes& thumbnail) {
            const SharedFeatures features = self.features_of(frame);
            const FrameInfo info{.time_s = time_s,
                                 .pose = optional_pose(pose),
                                 .name = name,
                                 .number = number,
                                 .thumbnail = bytes_of(thumbnail)};
            return self.detector().use(
                [&](LoopDetector& d) { return d.process_frame(*features, info); });
          },
          py::arg("frame"), py::arg("pose") = py::none(), py::kw_only(),
          py::arg("number") = py::none(), py::arg("name") = "", py::arg("time_s") = py::none(),
          py::arg("thumbnail") = py::bytes(),
          R"(Takes the next frame of the route: an image (uint8, height x width) or Features.

number, name and time_s come back wherever the frame is spoken of; without a number it is one more
than the frame before, inserted or not. pose, world_from_camera, is for keyframe selection by motion
alone. thumbnail: a small JPEG for the map to keep, as make_thumbnail() makes it.)")
      .def("__len__",
           [](ImageLoopDetector& self) {
             return self.detector().use([](LoopDetector& d) { return d.index().size(); });
           })
      .def(
          "features",
          [](ImageLoopDetector& self, std::uint64_t frame) {
            return self.detector().use([&](LoopDetector& d) {
              return std::make_shared<Features>(d.features(id_of(d, frame)));
            });
          },
          py::arg("frame"), "A copy of the features of an inserted frame, by its number.")
      .def(
          "histogram",
          [](ImageLoopDetector& self, std::uint64_t frame) {
            return self.detector().use(
                [&](LoopDetector& d) { return d.index().histogram(id_of(d, frame)); });
          },
          py::arg("frame"), "The histogram of an inserted frame, by its number.")
      .def_property_readonly("vocabulary", &ImageLoopDetector::vocabulary)
      .def_property_readonly(
          "options", [](const ImageLoopDetector& self) { return keywords_of(self.options()); },
          "The keywords it was made with, defaults included.")
      .def("__repr__", [](const py::object& self) {
        return "LoopDetector(" + std::to_string(py::len(self)) + " frames)";
      });
}

}  // namespace

void bind_detect(py::module_& m) {
  bind_extractor(m);
  bind_verification(m);
  bind_detection(m);
  bind_detector(m);
#ifdef LOOPTREE_WITH_STORE
  bind_relocalize(m);
#endif
}

}  // namespace looptree::python

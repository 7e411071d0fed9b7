// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <array>
#include <tuple>

#include "looptree/common/error.hpp"
#include "looptree/dataset/calibration_file.hpp"
#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/live.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/dataset/word_file.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/features.hpp"
#include "python/src/names.hpp"
#include "python/src/vision/extractor.hpp"

namespace looptree::python {
namespace {

constexpr std::array kDepths{Named<DepthFrom>{DepthFrom::nothing, "none"},
                             Named<DepthFrom>{DepthFrom::images, "images"},
                             Named<DepthFrom>{DepthFrom::stereo, "stereo"}};

/// A sequence that threads may share, and iterate over as often as they like. One that cannot be
/// read from several places at once (a video) is lent to a feature stream for as long as that runs.
class SharedSequence {
 public:
  explicit SharedSequence(std::unique_ptr<Sequence> sequence) : sequence_(std::move(sequence)) {}

  const SequenceInfo& info() const { return sequence_->info(); }
  std::size_t size() const { return sequence_->size(); }
  DepthFrom best_depth() const { return looptree::best_depth(*sequence_); }
  template <typename Work>
  auto use(Work&& work) {
    const Unlocked free;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!sequence_->is_random_access()) {
      lock.lock();
      require_here();
    }
    return std::forward<Work>(work)(*sequence_);
  }
  Image image(std::size_t frame) {
    return use([&](Sequence& sequence) { return sequence.image(frame); });
  }
  /// The caller gives it back.
  Sequence& lend() {
    const std::lock_guard lock(mutex_);
    if (!sequence_->is_random_access()) require_here();
    is_lent_ = true;
    return *sequence_;
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    is_lent_ = false;
  }

 private:
  void require_here() const {
    require(!is_lent_, ErrorKind::invalid_argument,
            "expected a video to be read from one place at a time, found extract_features() still "
            "running on it: iterate to its end, or delete it");
  }

  std::mutex mutex_;
  std::unique_ptr<Sequence> sequence_;
  bool is_lent_ = false;
};

/// A frame with its pixels already an array.
struct ArrayFrame {
  std::size_t number;
  SequenceFrame info;
  py::array image;
};

/// Where one loop over a sequence stands. An image that cannot be read raises; the loop may go on.
struct FrameIterator {
  std::shared_ptr<SharedSequence> sequence;
  std::size_t position = 0;

  ArrayFrame next() {
    if (position >= sequence->size()) throw py::stop_iteration();
    const std::size_t number = position++;
    return {number, sequence->info().frames[number], array_from(sequence->image(number))};
  }
};

/// Frames with their features, worked out ahead on other threads.
class FeatureIterator {
 public:
  FeatureIterator(std::shared_ptr<SharedSequence> sequence,
                  std::shared_ptr<const FeatureExtractor> extractor, std::size_t threads,
                  std::size_t stride, DepthFrom depth)
      : sequence_(std::move(sequence)), extractor_(std::move(extractor)) {
    Sequence& lent = sequence_->lend();
    try {
      stream_ = std::make_unique<FeatureStream>(lent, *extractor_, threads, stride, depth);
    } catch (...) {
      sequence_->give_back();
      throw;
    }
  }
  ~FeatureIterator() {
    if (stream_) end();
  }
  FeatureIterator(const FeatureIterator&) = delete;
  FeatureIterator& operator=(const FeatureIterator&) = delete;

  /// Nothing at the end, and ever after.
  std::optional<FrameFeatures> next() {
    const Unlocked free;
    const std::lock_guard lock(mutex_);
    if (!stream_) return std::nullopt;
    auto frame = stream_->next();
    if (!frame) end();
    return frame;
  }

 private:
  void end() {
    stream_.reset();
    sequence_->give_back();
  }

  std::mutex mutex_;
  std::shared_ptr<SharedSequence> sequence_;
  std::shared_ptr<const FeatureExtractor> extractor_;
  std::unique_ptr<FeatureStream> stream_;
};

struct SharedFrameFeatures {
  std::size_t number;
  SequenceFrame info;
  SharedFeatures features;
  py::object error;
  double read_ms;
  double extract_ms;
};

SharedFrameFeatures next_features(FeatureIterator& iterator) {
  auto frame = iterator.next();
  if (!frame) throw py::stop_iteration();
  py::object error = py::none();
  if (frame->error) error = py::str(frame->error->what());
  return {
      frame->number, std::move(frame->info), std::make_shared<Features>(std::move(frame->features)),
      error,         frame->read_ms,         frame->extract_ms};
}

/// One value per frame where every frame has one, else None.
template <typename Get>
py::object every(const SequenceInfo& info, Get get) {
  py::list values;
  for (const SequenceFrame& frame : info.frames) {
    py::object value = get(frame);
    if (value.is_none()) return py::none();
    values.append(std::move(value));
  }
  return py::module_::import("numpy").attr("array")(values);
}

py::object pose_or_none(const SequenceFrame& frame) {
  return frame.pose ? py::object(array_from(*frame.pose)) : py::none();
}

void bind_frames(py::module_& m) {
  py::class_<ArrayFrame>(m, "Frame", "A frame of a sequence with its image.")
      .def_readonly("number", &ArrayFrame::number, "In the sequence, from 0.")
      .def_readonly("image", &ArrayFrame::image, "Grey, uint8 of shape (height, width).")
      .def_property_readonly("name", [](const ArrayFrame& f) { return f.info.name; })
      .def_property_readonly(
          "time_s", [](const ArrayFrame& f) { return f.info.time_s; },
          "Seconds, from wherever the dataset counts, or None.")
      .def_property_readonly(
          "pose", [](const ArrayFrame& f) { return pose_or_none(f.info); },
          "Ground truth, world_from_camera, 4x4, or None.")
      .def_property_readonly("label", [](const ArrayFrame& f) { return f.info.label; })
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"number", "name"});
      });
  py::class_<FrameIterator>(m, "_FrameIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &FrameIterator::next);
  py::class_<SharedFrameFeatures>(m, "FrameFeatures",
                                  "A frame with its features, or why there are none.")
      .def_readonly("number", &SharedFrameFeatures::number, "In the sequence.")
      .def_property_readonly("name", [](const SharedFrameFeatures& f) { return f.info.name; })
      .def_property_readonly("time_s", [](const SharedFrameFeatures& f) { return f.info.time_s; })
      .def_property_readonly("pose",
                             [](const SharedFrameFeatures& f) { return pose_or_none(f.info); })
      .def_readonly("features", &SharedFrameFeatures::features)
      .def_readonly("error", &SharedFrameFeatures::error,
                    "Why the image could not be read, or None.")
      .def_readonly("read_ms", &SharedFrameFeatures::read_ms)
      .def_readonly("extract_ms", &SharedFrameFeatures::extract_ms)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"number", "features", "error"});
      });
  py::class_<FeatureIterator>(m, "_FeatureIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &next_features);
}

/// As lists have it: -1 is the last.
ArrayFrame frame_at(const std::shared_ptr<SharedSequence>& sequence, py::ssize_t index) {
  const auto size = static_cast<py::ssize_t>(sequence->size());
  if (index < -size || index >= size) {
    throw py::index_error("expected a frame below " + std::to_string(size) + ", found " +
                          std::to_string(index));
  }
  const auto number = static_cast<std::size_t>(index < 0 ? index + size : index);
  return {number, sequence->info().frames[number], array_from(sequence->image(number))};
}

/// Images of a camera, a stream, a pipe or a growing folder, with their pixels as arrays.
struct LiveIterator {
  std::unique_ptr<LiveSource> source;

  ArrayFrame next() {
    for (;;) {
      auto frame = unlocked([&] {
        return source->next([] {
          const py::gil_scoped_acquire held;
          return PyErr_CheckSignals() == 0;
        });
      });
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (!frame) throw py::stop_iteration();
      if (frame->error) throw Error(*frame->error);
      return {static_cast<std::size_t>(frame->number), std::move(frame->info),
              array_from(std::move(frame->image))};
    }
  }
};

void bind_live(py::module_& m) {
  py::class_<LiveIterator>(m, "LiveSource",
                           "Frames that come one at a time, nobody knows how many.")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &LiveIterator::next)
      .def_property_readonly(
          "dropped", [](const LiveIterator& s) { return s.source->dropped(); },
          "Frames of a camera that came while the one before was looked at.");
  m.def(
      "open_live",
      [](const std::string& what, const std::optional<std::pair<int, int>>& size, double idle_s) {
        LiveOptions options{.idle_s = idle_s};
        if (size) std::tie(options.raw_width, options.raw_height) = *size;
        return LiveIterator{unlocked([&] { return open_live(what, options); })};
      },
      py::arg("what"), py::kw_only(), py::arg("size") = py::none(), py::arg("idle_s") = 0.0,
      R"(Opens a camera ('/dev/video0', '0'), a stream ('rtsp://...'), standard input ('-': JPEG and PNG
images, or raw grey ones with size=(width, height)), or a folder that grows. Iterating gives Frames;
their numbers have gaps where a camera's frames were dropped. Ends after idle_s of nothing.)");
}

void bind_sequence(py::module_& m) {
  using Class = py::class_<SharedSequence, std::shared_ptr<SharedSequence>>;
  Class(m, "Sequence", R"(Images in order, read one at a time.

Iterating gives Frames, from the start each time. What is known of all frames (poses, times,
labels) is an array, or None where a frame lacks it.)")
      .def("__len__", &SharedSequence::size)
      .def("__iter__",
           [](std::shared_ptr<SharedSequence> s) { return FrameIterator{std::move(s)}; })
      .def("__getitem__", &frame_at, py::arg("index"))
      .def("__getitem__",
           [](const std::shared_ptr<SharedSequence>& s, const py::slice& slice) {
             py::ssize_t start = 0;
             py::ssize_t stop = 0;
             py::ssize_t step = 0;
             py::ssize_t length = 0;
             if (!slice.compute(static_cast<py::ssize_t>(s->size()), &start, &stop, &step,
                                &length)) {
               throw py::error_already_set();
             }
             py::list frames;
             for (py::ssize_t i = 0; i < length; ++i) frames.append(frame_at(s, start + i * step));
             return frames;
           })
      .def(
          "image", [](SharedSequence& s, std::size_t frame) { return array_from(s.image(frame)); },
          py::arg("frame"), "The image of any frame, uint8 of shape (height, width).")
      .def_property_readonly("format", [](const SharedSequence& s) { return s.info().format; })
      .def_property_readonly("is_route", [](const SharedSequence& s) { return s.info().is_route; })
      .def_property_readonly("calibration",
                             [](const SharedSequence& s) { return s.info().calibration; })
      .def_property_readonly(
          "depth",
          [](const SharedSequence& s) { return name_of<DepthFrom>(kDepths, s.best_depth()); },
          "What tells the depth of its features: 'images' of depth, 'stereo' (a second camera), or "
          "'none'.")
      .def_property_readonly(
          "inverse_depth_sigma",
          [](const SharedSequence& s) { return inverse_depth_sigma(s.info(), s.best_depth()); },
          "How well it tells: one sigma of 1 / depth, in 1/metres; what LoopDetector, relocalize() "
          "and metric_pose() take. 0 where nothing does.")
      .def_property_readonly("names",
                             [](const SharedSequence& s) {
                               std::vector<std::string> names;
                               names.reserve(s.size());
                               for (const auto& each : s.info().frames) names.push_back(each.name);
                               return names;
                             })
      .def_property_readonly(
          "poses", [](const SharedSequence& s) { return every(s.info(), pose_or_none); },
          "Ground truth, world_from_camera, of shape (frames, 4, 4), or None.")
      .def_property_readonly(
          "times_s",
          [](const SharedSequence& s) {
            return every(s.info(), [](const SequenceFrame& f) { return py::cast(f.time_s); });
          })
      .def_property_readonly(
          "labels",
          [](const SharedSequence& s) {
            return every(s.info(), [](const SequenceFrame& f) { return py::cast(f.label); });
          },
          "Retrieval sets: what each image shows; None elsewhere.")
      .def_property_readonly(
          "loops",
          [](const py::object& self) -> py::object {
            const auto& loops = self.cast<const SharedSequence&>().info().loops;
            if (!loops) return py::none();
            const auto n = static_cast<py::ssize_t>(loops->frames);
            return view_of(loops->same_place.data(), {n, n}, {n, 1}, self);
          },
          "Ground truth as a matrix of 0 and 1, frames x frames, or None.")
      .def("__repr__", [](const SharedSequence& s) {
        return "Sequence(" + std::to_string(s.size()) + " frames, " + s.info().format + ")";
      });
}

void bind_opening(py::module_& m) {
  m.def(
      "open_sequence",
      [](const std::filesystem::path& path, const std::string& format, const std::string& camera,
         const std::string& topic) {
        static constexpr std::array known{Named<CameraSide>{CameraSide::left, "left"},
                                          Named<CameraSide>{CameraSide::right, "right"},
                                          Named<CameraSide>{CameraSide::both, "both"}};
        const OpenOptions options{format, parse_name<CameraSide>("camera", known, camera), topic};
        return std::make_shared<SharedSequence>(
            unlocked([&] { return open_sequence(path, options); }));
      },
      py::arg("path"), py::kw_only(), py::arg("format") = "", py::arg("camera") = "left",
      py::arg("topic") = "",
      R"(Opens a folder of images, a video, a dataset or a bag of ROS without reading an image.

format: a name of sequence_formats(), or empty: found by looking at the path. 'demo' as the path is
the rendered street scene. topic: of a bag with images of several.)");
  m.def(
      "sequence_formats",
      [] {
        const auto names = sequence_formats();
        return std::vector<std::string_view>(names.begin(), names.end());
      },
      "The readers, in the order in which they look at a path.");
  m.def(
      "open_demo_world",
      [](std::size_t frames, int width, int height, std::uint32_t seed, double baseline_m,
         bool depth) {
        return std::make_shared<SharedSequence>(unlocked([&] {
          return open_demo_world({frames, width, height, seed, baseline_m, depth});
        }));
      },
      py::kw_only(), py::arg("frames") = 600, py::arg("width") = 640, py::arg("height") = 360,
      py::arg("seed") = 2016, py::arg("baseline_m") = 0.0, py::arg("depth") = false,
      "A street scene rendered on the spot, with exact poses and calibration; with a second camera "
      "baseline_m to the right, and with exact depth images, if asked for.");
  m.def(
      "export_kitti",
      [](SharedSequence& sequence, const std::filesystem::path& folder,
         const py::object& progress) {
        const ProgressCallback callback = progress_of(progress);
        sequence.use([&](Sequence& s) { export_kitti(s, folder, callback); });
      },
      py::arg("sequence"), py::arg("folder"), py::kw_only(), py::arg("progress") = py::none(),
      "Writes a sequence as a folder in KITTI odometry layout.");
  m.def(
      "extract_features",
      [](std::shared_ptr<SharedSequence> sequence, std::shared_ptr<FeatureExtractor> extractor,
         std::size_t threads, std::size_t stride, const std::string& depth) {
        require(stride >= 1, ErrorKind::invalid_argument,
                "expected a stride of at least 1, found 0");
        const auto from = parse_name<DepthFrom>("depth", kDepths, depth);
        return std::make_unique<FeatureIterator>(std::move(sequence), std::move(extractor), threads,
                                                 stride, from);
      },
      py::arg("sequence"), py::arg("extractor"), py::kw_only(), py::arg("threads") = 0,
      py::arg("stride") = 1, py::arg("depth") = "none",
      "Iterates over the frames with their features, worked out ahead on other threads. With "
      "depth, "
      "sequence.depth say, these have inverse_depths. A video cannot be read otherwise meanwhile.");
  m.def(
      "read_calibration",
      [](const std::filesystem::path& path, const std::string& camera) {
        return unlocked([&] { return read_calibration_file(path, camera).calibration; });
      },
      py::arg("path"), py::arg("camera") = "",
      "The camera of a calibration file of OpenCV, ROS (camera_info), Kalibr (camera 'cam0', ...), "
      "ORB-SLAM or KITTI.");
  m.def(
      "read_image",
      [](const std::filesystem::path& path) {
        return array_from(unlocked([&] { return read_image(path.string()); }));
      },
      py::arg("path"), "Reads an image from any file OpenCV decodes; colour is turned grey.");
  m.def(
      "make_thumbnail",
      [](const py::object& pixels, int width) {
        const Image image = image_of(pixels);
        const auto jpeg = unlocked([&] { return make_thumbnail(image, width); });
        return py::bytes(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
      },
      py::arg("image"), py::arg("width") = kThumbnailWidth,
      "A JPEG of an image, at most so many pixels wide, for Map.insert() and "
      "LoopDetector.process() to keep.");
}

}  // namespace

void bind_dataset(py::module_& m) {
  bind_frames(m);
  bind_sequence(m);
  bind_live(m);
  bind_opening(m);
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/features.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "looptree/common/error.hpp"
#include "looptree/features/keypoint_depth.hpp"

#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

[[noreturn]] void refuse(const char* expected, const py::handle& found) {
  throw Error(ErrorKind::invalid_argument,
              std::string("expected ") + expected + ", found " + describe(found));
}

/// From an array of keypoint_dtype, or of coordinates (rows, 2).
std::vector<Keypoint> keypoints_of(const py::object& object) {
  constexpr auto kExpected =
      "keypoints as floats of shape (rows, 2), x and y, or as an array of looptree.keypoint_dtype";
  const py::array any = py::array::ensure(object);
  if (!any) refuse(kExpected, object);
  if (any.dtype().equal(py::dtype::of<Keypoint>())) {
    const py::array_t<Keypoint, py::array::c_style> keypoints(any);
    return {keypoints.data(), keypoints.data() + keypoints.size()};
  }
  const auto points = array_of<float>(any, kExpected);
  if (points.size() == 0) return {};
  if (points.ndim() != 2 || points.shape(1) != 2) refuse(kExpected, any);
  std::vector<Keypoint> keypoints;
  for (py::ssize_t i = 0; i < points.shape(0); ++i) {
    keypoints.push_back({.x = points.at(i, 0), .y = points.at(i, 1)});
  }
  return keypoints;
}

/// A copy of the rows: features own their descriptors.
Descriptors own(const DescriptorView& view) {
  Descriptors owned{view.type(), view.width(), {}, {}};
  if (view.empty()) return owned;
  const std::size_t values = view.size() * view.width();
  if (view.type() == DescriptorType::binary) {
    owned.bytes.assign(view.bytes(0).data(), view.bytes(0).data() + values);
  } else {
    owned.floats.assign(view.floats(0).data(), view.floats(0).data() + values);
  }
  return owned;
}

/// 1 / depth per keypoint, from metres along the camera's axis or from points of the camera's
/// frame; what is not above 0, or not finite, is unknown.
std::vector<float> inverse_depths_of(const py::object& depths) {
  if (depths.is_none()) return {};
  constexpr auto kExpected =
      "depths as floats, one per keypoint, or points as floats of shape (rows, 3)";
  const auto values = array_of<float>(depths, kExpected);
  if (values.ndim() == 2 && values.shape(1) == 3) {
    std::vector<std::array<float, 3>> points;
    for (py::ssize_t i = 0; i < values.shape(0); ++i) {
      points.push_back({values.at(i, 0), values.at(i, 1), values.at(i, 2)});
    }
    return inverse_depths_from_points(points);
  }
  if (values.ndim() != 1) refuse(kExpected, depths);
  std::vector<float> inverse;
  for (py::ssize_t i = 0; i < values.shape(0); ++i) {
    const float metres = values.at(i);
    inverse.push_back(metres > 0 && std::isfinite(metres) ? 1 / metres : 0.0F);
  }
  return inverse;
}

SharedFeatures make_features(const py::object& keypoints, const py::object& descriptors, int width,
                             int height, const py::object& depths) {
  auto features = std::make_shared<Features>();
  features->keypoints = keypoints_of(keypoints);
  features->descriptors = own(descriptors_of(descriptors).view);
  features->width = width;
  features->height = height;
  features->inverse_depths = inverse_depths_of(depths);
  check(*features);
  return features;
}

py::array points_of(const py::object& self) {
  const auto& keypoints = self.cast<const Features&>().keypoints;
  const float* first = keypoints.empty() ? nullptr : &keypoints.front().x;
  static_assert(offsetof(Keypoint, y) == sizeof(float));
  return view_of(first, {static_cast<py::ssize_t>(keypoints.size()), 2},
                 {sizeof(Keypoint), sizeof(float)}, self);
}

py::array rows_of(const py::object& self) {
  const Descriptors& d = self.cast<const Features&>().descriptors;
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(d.size()),
                                       static_cast<py::ssize_t>(d.width)};
  if (d.type == DescriptorType::binary) {
    return view_of(d.bytes.data(), shape, {static_cast<py::ssize_t>(d.width), 1}, self);
  }
  return view_of(d.floats.data(), shape,
                 {static_cast<py::ssize_t>(d.width * sizeof(float)), sizeof(float)}, self);
}

}  // namespace

Image image_of(const py::handle& object) {
  constexpr auto kExpected = "a grey image as an array of uint8 of shape (height, width)";
  if (!py::isinstance<py::array>(object)) refuse(kExpected, object);
  const auto any = py::reinterpret_borrow<py::array>(object);
  if (any.ndim() == 3) {
    throw Error(ErrorKind::invalid_argument,
                std::string("expected ") + kExpected + ", found " + describe(any) +
                    ": turn colour into grey first, say with cv2.cvtColor");
  }
  if (any.ndim() != 2 || !py::isinstance<py::array_t<std::uint8_t>>(any)) refuse(kExpected, any);
  const auto pixels = array_of<std::uint8_t>(any, kExpected);
  Image image(static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)));
  if (!image.empty()) std::memcpy(image.pixels.data(), pixels.data(), image.pixels.size());
  return image;
}

py::array array_from(Image&& image) {
  const std::vector<py::ssize_t> shape{image.height, image.width};
  return take<std::uint8_t>(std::move(image.pixels), shape);
}

void bind_features(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(Keypoint, x, y, size, angle, response, octave);
  PYBIND11_NUMPY_DTYPE(Correspondence, query, match, distance, ratio);
  m.attr("keypoint_dtype") = py::dtype::of<Keypoint>();
  m.attr("correspondence_dtype") = py::dtype::of<Correspondence>();

  py::class_<Features, SharedFeatures>(
      m, "Features", R"(Keypoints of one image and, row for row, their descriptors.

From FeatureExtractor, or from any other detector, learned ones included. Immutable; its arrays are
read-only views of its own memory.)")
      .def(py::init(&make_features), py::arg("keypoints"), py::arg("descriptors"), py::kw_only(),
           py::arg("width"), py::arg("height"), py::arg("depths") = py::none(),
           "keypoints: coordinates of shape (rows, 2), pixels, x to the right and y down; or an "
           "array of looptree.keypoint_dtype. descriptors: uint8 or float32 of shape (rows, "
           "width). width and height are those of the image. depths: metres along the camera's "
           "axis, "
           "one per keypoint, or their points in the camera's frame, of shape (rows, 3); 0 or NaN "
           "where unknown.")
      .def_property_readonly(
          "keypoints",
          [](const py::object& self) {
            return view_of(std::span<const Keypoint>(self.cast<const Features&>().keypoints), self);
          },
          "All that is known of the keypoints, as a structured array of keypoint_dtype.")
      .def_property_readonly("points", &points_of, "Their coordinates, float32 of shape (rows, 2).")
      .def_property_readonly("descriptors", &rows_of, "uint8 or float32 of shape (rows, width).")
      .def_property_readonly(
          "inverse_depths",
          [](const py::object& self) {
            return view_of(std::span<const float>(self.cast<const Features&>().inverse_depths),
                           self);
          },
          "1 / depth per keypoint, 1/metres, 0 where unknown; empty if it is known of none.")
      .def_readonly("width", &Features::width)
      .def_readonly("height", &Features::height)
      .def("__len__", &Features::size)
      .def("__repr__", [](const Features& f) {
        const bool binary = f.descriptors.type == DescriptorType::binary;
        return "Features(" + std::to_string(f.size()) + " of " +
               std::to_string(f.descriptors.width) + (binary ? " bytes" : " floats") + ", image " +
               std::to_string(f.width) + " x " + std::to_string(f.height) + ")";
      });

  m.def(
      "match_descriptors",
      [](const py::object& query, const py::object& match, float max_ratio, bool mutual) {
        const HeldDescriptors q = descriptors_of(query);
        const HeldDescriptors d = descriptors_of(match);
        return take<Correspondence>(unlocked([&] {
          return match_descriptors(q.view, d.view, {.max_ratio = max_ratio, .mutual = mutual});
        }));
      },
      py::arg("query"), py::arg("match"), py::kw_only(), py::arg("max_ratio") = 0.8F,
      py::arg("mutual") = true,
      "The nearest row of `match` for every row of `query`, kept where the ratio and mutual tests "
      "allow: an array of correspondence_dtype, in the order of `query`.");
}

}  // namespace looptree::python

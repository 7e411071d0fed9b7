// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/arrays.hpp"

#include <algorithm>

#include "looptree/common/error.hpp"

namespace looptree::python {
namespace {

[[noreturn]] void refuse(const std::string& expected, const py::handle& found,
                         const std::string& advice = "") {
  throw Error(ErrorKind::invalid_argument,
              "expected " + expected + ", found " + describe(found) + advice);
}

bool is_float(const py::array& array) {
  return array.dtype().kind() == 'f';
}

/// The array in C order and aligned, of that type: itself if it is so already.
py::object in_order(const py::array& array, const py::dtype& type) {
  return py::module_::import("numpy").attr("require")(array, type, "CA");
}

bool is_aligned(const py::handle& array) {
  const int flags = py::reinterpret_borrow<py::array>(array).flags();
  return (flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

}  // namespace

std::string describe(const py::handle& object) {
  if (!py::isinstance<py::array>(object)) {
    return py::str(py::type::of(object).attr("__name__")).cast<std::string>();
  }
  return py::str(object.attr("dtype")).cast<std::string>() + " of shape " +
         py::str(object.attr("shape")).cast<std::string>();
}

template <typename T>
py::array_t<T, py::array::c_style> array_of(const py::handle& object, const char* what) {
  using Array = py::array_t<T, py::array::c_style>;
  if (py::isinstance<Array>(object) && is_aligned(object)) {
    return py::reinterpret_borrow<Array>(object);  // the common case, without asking numpy
  }
  const py::array any = py::array::ensure(object);
  if (!any) {
    PyErr_Clear();
    refuse(what, object);
  }
  const py::dtype wanted = py::dtype::of<T>();
  // An empty list is an array of floats to numpy; here it is an array of nothing.
  const char* rule = wanted.kind() == 'f' || any.size() == 0 ? "same_kind" : "safe";
  const bool fits =
      any.size() == 0 ||
      py::module_::import("numpy").attr("can_cast")(any.dtype(), wanted, rule).cast<bool>();
  if (!fits) refuse(what, any);
  return Array(in_order(any, wanted));
}
template py::array_t<double, py::array::c_style> array_of(const py::handle&, const char*);
template py::array_t<float, py::array::c_style> array_of(const py::handle&, const char*);
template py::array_t<std::uint8_t, py::array::c_style> array_of(const py::handle&, const char*);
template py::array_t<bool, py::array::c_style> array_of(const py::handle&, const char*);

HeldDescriptors descriptors_of(const py::handle& object) {
  constexpr auto kExpected =
      "descriptors as a numpy array of shape (rows, width), uint8 (binary) or float32 (real)";
  if (!py::isinstance<py::array>(object)) refuse(kExpected, object);
  const auto any = py::reinterpret_borrow<py::array>(object);
  if (any.ndim() != 2) refuse(kExpected, object);
  if (any.shape(1) == 0) refuse(kExpected, object, ": a descriptor has at least one element");
  const auto rows = static_cast<std::size_t>(any.shape(0));
  const auto width = static_cast<std::size_t>(any.shape(1));
  if (is_float(any)) {
    auto floats = array_of<float>(object, kExpected);
    const DescriptorView view(floats.data(), rows, width);
    return {std::move(floats), view};
  }
  if (!py::isinstance<py::array_t<std::uint8_t>>(any)) {
    refuse(kExpected, object, ": convert it with .astype(), if that is what it means");
  }
  auto bytes = array_of<std::uint8_t>(object, kExpected);
  const DescriptorView view(bytes.data(), rows, width);
  return {std::move(bytes), view};
}

namespace {

HeldWords hold(py::array_t<std::uint32_t, py::array::c_style> words) {
  const std::span view(reinterpret_cast<const WordId*>(words.data()),
                       static_cast<std::size_t>(words.size()));
  return {std::move(words), view};
}

}  // namespace

HeldWords words_of(const py::handle& object) {
  constexpr auto kExpected = "words as a one-dimensional array of integers";
  using Array = py::array_t<std::uint32_t, py::array::c_style>;
  if (py::isinstance<Array>(object) && is_aligned(object)) {
    const auto words = py::reinterpret_borrow<Array>(object);
    if (words.ndim() == 1) return hold(words);
  }
  const py::array any = py::array::ensure(object);
  if (!any) {
    PyErr_Clear();
    refuse(kExpected, object);
  }
  const char kind = any.dtype().kind();
  if (any.ndim() != 1 || (any.size() > 0 && kind != 'u' && kind != 'i')) refuse(kExpected, any);
  if (any.size() > 0 && (kind == 'i' || any.itemsize() > 4)) {
    const py::int_ least(any.attr("min")());
    const py::int_ most(any.attr("max")());
    if (least < py::int_(0) || most > py::int_(0xFFFFFFFFU)) {
      refuse("words in [0, 2^32)", any,
             " with values from " + py::repr(least).cast<std::string>() + " to " +
                 py::repr(most).cast<std::string>());
    }
  }
  return hold(Array(in_order(any, py::dtype::of<std::uint32_t>())));
}

namespace {

Pose pose_at(const double* rows) {
  Pose pose;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) pose.rotation[r * 3 + c] = rows[r * 4 + c];
    pose.translation[r] = rows[r * 4 + 3];
  }
  return pose;
}

bool is_matrix(py::ssize_t rows, py::ssize_t columns) {
  return (rows == 3 || rows == 4) && columns == 4;
}

}  // namespace

Pose pose_of(const py::handle& object) {
  constexpr auto kExpected = "a pose, world_from_camera, as a 3x4 or 4x4 matrix of floats";
  const auto matrix = array_of<double>(object, kExpected);
  if (matrix.ndim() != 2 || !is_matrix(matrix.shape(0), matrix.shape(1))) {
    refuse(kExpected, matrix);
  }
  return pose_at(matrix.data());
}

py::array_t<double> array_from(const Pose& pose) {
  py::array_t<double> matrix({4, 4});
  auto m = matrix.mutable_unchecked<2>();
  for (py::ssize_t r = 0; r < 3; ++r) {
    for (py::ssize_t c = 0; c < 3; ++c)
      m(r, c) = pose.rotation[static_cast<std::size_t>(r * 3 + c)];
    m(r, 3) = pose.translation[static_cast<std::size_t>(r)];
    m(3, r) = 0;
  }
  m(3, 3) = 1;
  return matrix;
}

std::vector<Pose> poses_of(const py::handle& object) {
  constexpr auto kExpected =
      "poses, world_from_camera, as floats of shape (frames, 3, 4) or (frames, 4, 4)";
  const auto matrices = array_of<double>(object, kExpected);
  if (matrices.size() == 0) return {};
  if (matrices.ndim() != 3 || !is_matrix(matrices.shape(1), matrices.shape(2))) {
    refuse(kExpected, matrices);
  }
  std::vector<Pose> poses;
  const py::ssize_t step = matrices.shape(1) * matrices.shape(2);
  for (py::ssize_t i = 0; i < matrices.shape(0); ++i) {
    poses.push_back(pose_at(matrices.data() + i * step));
  }
  return poses;
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/ids.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/histogram/histogram.hpp"

// numpy in and out. An array of the type and layout the library wants is looked at in place; one
// of another layout is copied once; one of another meaning gets an Error that says what was
// expected and what was found.
namespace looptree::python {

namespace py = pybind11;

/// "uint8 of shape (480, 640, 3)", or the name of a type that is no array: for messages.
std::string describe(const py::handle& object);

/// `object` as an array of T with C order, in place where it is one already. Of another dtype it is
/// converted if numpy's "safe" rules allow (or, for floats, "same_kind"), else Error.
template <typename T>
py::array_t<T, py::array::c_style> array_of(const py::handle& object, const char* what);

/// Descriptors and the array that holds their rows.
struct HeldDescriptors {
  py::array rows;
  DescriptorView view;
};
/// Rows of uint8 (binary) or of any float (real; other than float32 is converted).
HeldDescriptors descriptors_of(const py::handle& object);

/// Words of any integer type; in place if uint32.
struct HeldWords {
  py::array_t<std::uint32_t, py::array::c_style> array;
  std::span<const WordId> view;
};
HeldWords words_of(const py::handle& object);

/// A camera pose, world_from_camera, from a 3x4 or 4x4 matrix; and back, as 4x4.
Pose pose_of(const py::handle& object);
py::array_t<double> array_from(const Pose& pose);
/// Many of them, from an array (n, 3, 4) or (n, 4, 4) or a sequence of matrices.
std::vector<Pose> poses_of(const py::handle& object);

/// A read-only array over memory that `owner` keeps alive.
template <typename T>
py::array view_of(const T* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                  const py::handle& owner) {
  py::array array(py::dtype::of<T>(), std::move(shape), std::move(strides), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}
template <typename T>
py::array view_of(std::span<const T> values, const py::handle& owner) {
  return view_of(values.data(), {static_cast<py::ssize_t>(values.size())},
                 {static_cast<py::ssize_t>(sizeof(T))}, owner);
}
inline py::array view_of(std::span<const WordId> words, const py::handle& owner) {
  static_assert(sizeof(WordId) == sizeof(std::uint32_t));
  return view_of(std::span(reinterpret_cast<const std::uint32_t*>(words.data()), words.size()),
                 owner);
}

/// An array that takes over a vector, without copying its elements. As<T> names the elements' type
/// where it is a struct around one number.
template <typename As, typename T>
py::array take(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
  static_assert(sizeof(As) == sizeof(T));
  auto* owned = new std::vector<T>(std::move(values));
  const py::capsule owner(owned, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array(py::dtype::of<As>(), std::move(shape), {},
                   reinterpret_cast<const As*>(owned->data()), owner);
}
template <typename As, typename T>
py::array take(std::vector<T>&& values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return take<As>(std::move(values), {size});
}

}  // namespace looptree::python

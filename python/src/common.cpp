// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/common/simd.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

/// The class of looptree/_errors.py for a kind.
const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "InvalidArgumentError";
    case ErrorKind::not_found:
      return "NotFoundError";
    case ErrorKind::corruption:
      return "CorruptionError";
    case ErrorKind::unsupported:
      return "UnsupportedError";
    case ErrorKind::io:
      return "IoError";
    case ErrorKind::cancelled:
      return "CancelledError";
  }
  return "Error";
}

void translate(std::exception_ptr thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& error) {
    const py::object type = py::module_::import("looptree._errors").attr(class_of(error.kind()));
    PyErr_SetString(type.ptr(), error.what());
  }
}

Calibration make_camera(double fx, double fy, double cx, double cy,
                        const std::vector<double>& distortion, const std::string& lens) {
  Calibration camera{fx, fy, cx, cy};
  if (distortion.size() > camera.distortion.size()) {
    throw Error(ErrorKind::invalid_argument, "expected at most 8 coefficients of the lens, found " +
                                                 std::to_string(distortion.size()));
  }
  std::copy(distortion.begin(), distortion.end(), camera.distortion.begin());
  if (!distortion.empty()) camera.lens = LensModel::brown_conrady;
  if (!lens.empty()) camera.lens = parse_lens_model(lens);
  check(camera);
  return camera;
}

}  // namespace

void bind_errors(py::module_& m) {
  py::module_::import("looptree._errors");
  py::register_local_exception_translator(translate);
  static_cast<void>(m);
}

void refuse_name(std::string_view what, std::span<const std::string_view> names,
                 std::string_view found) {
  std::string message = "expected ";
  message.append(what).append(" ");
  for (std::size_t i = 0; i < names.size(); ++i) {
    message.append(i == 0 ? "'" : i + 1 == names.size() ? " or '" : ", '");
    message.append(names[i]).append("'");
  }
  throw Error(ErrorKind::invalid_argument, message.append(", found '").append(found).append("'"));
}

void refuse_type(const char* expected, const py::handle& found) {
  throw py::type_error(std::string("expected ") + expected + ", found " + describe(found));
}

std::string repr_fields(const py::object& self, std::initializer_list<const char*> names) {
  auto text = py::type::of(self).attr("__name__").cast<std::string>() + "(";
  const char* separator = "";
  for (const char* name : names) {
    text.append(separator).append(name).append("=");
    text += py::repr(self.attr(name)).cast<std::string>();
    separator = ", ";
  }
  return text + ")";
}

ProgressCallback progress_of(const py::object& callback) {
  // The job may copy its callback from a thread without the interpreter, so the object is shared.
  const std::shared_ptr<py::object> shared(new py::object(callback), [](py::object* object) {
    const py::gil_scoped_acquire held;
    delete object;
  });
  return [shared](std::size_t done, std::size_t total) {
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (shared->is_none()) return true;
    return !(*shared)(done, total).is(py::bool_(false));
  };
}

void bind_common(py::module_& m) {
  m.def("simd_level", &simd_level,
        "The instruction set the inner loops use. LOOPTREE_SIMD in the environment chooses one.");
  m.def("simd_levels", &simd_levels, "Those this machine can run, best first.");

  py::class_<Calibration>(
      m, "Calibration",
      R"(A camera; pixels. Wherever one is asked for, a tuple (fx, fy, cx, cy) will do.

lens: 'pinhole', 'brown-conrady' (OpenCV's ordinary model; distortion k1 k2 p1 p2 [k3 [k4 k5 k6]]) or
'fisheye' (k1 k2 k3 k4). With distortion and no lens, 'brown-conrady' is meant.)")
      .def(py::init(&make_camera), py::arg("fx"), py::arg("fy"), py::arg("cx"), py::arg("cy"),
           py::arg("distortion") = std::vector<double>(), py::arg("lens") = "")
      .def(py::init([](const py::tuple& numbers) {
             if (numbers.size() != 4) {
               throw Error(
                   ErrorKind::invalid_argument,
                   "expected fx, fy, cx, cy, found a tuple of " + std::to_string(numbers.size()));
             }
             return make_camera(numbers[0].cast<double>(), numbers[1].cast<double>(),
                                numbers[2].cast<double>(), numbers[3].cast<double>(), {}, "");
           }),
           py::arg("numbers"))
      .def_static(
          "from_matrix",
          [](const py::object& matrix, const std::vector<double>& distortion,
             const std::string& lens) {
            constexpr auto kExpected = "a camera matrix of shape (3, 3)";
            const auto k = array_of<double>(matrix, kExpected);
            if (k.ndim() != 2 || k.shape(0) != 3 || k.shape(1) != 3) {
              throw Error(ErrorKind::invalid_argument,
                          std::string("expected ") + kExpected + ", found " + describe(k));
            }
            return make_camera(k.at(0, 0), k.at(1, 1), k.at(0, 2), k.at(1, 2), distortion, lens);
          },
          py::arg("matrix"), py::arg("distortion") = std::vector<double>(), py::arg("lens") = "",
          "From the 3x3 matrix K that OpenCV uses, and its distortion coefficients.")
      .def_readonly("fx", &Calibration::fx)
      .def_readonly("fy", &Calibration::fy)
      .def_readonly("cx", &Calibration::cx)
      .def_readonly("cy", &Calibration::cy)
      .def_readonly("distortion", &Calibration::distortion, "Eight numbers, 0 where not used.")
      .def_property_readonly("lens", [](const Calibration& c) { return to_string(c.lens); })
      .def(
          "undistort",
          [](const Calibration& c, double x, double y) {
            return undistort(c, {x, y});
          },
          py::arg("x"), py::arg("y"), "Where a pinhole would show what the lens shows at a pixel.")
      .def("__eq__",
           [](const Calibration& a, const py::object& b) {
             return py::isinstance<Calibration>(b) && a == b.cast<Calibration>();
           })
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"fx", "fy", "cx", "cy", "lens"});
      });
  py::implicitly_convertible<py::tuple, Calibration>();
}

}  // namespace looptree::python

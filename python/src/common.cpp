// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/error.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/common/simd.hpp"

#include "arrays.hpp"
#include "bind.hpp"

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

  py::class_<Calibration>(m, "Calibration", "A pinhole camera without distortion; pixels.")
      .def(py::init([](double fx, double fy, double cx, double cy) {
             return Calibration{fx, fy, cx, cy};
           }),
           py::arg("fx"), py::arg("fy"), py::arg("cx"), py::arg("cy"))
      .def_static(
          "from_matrix",
          [](const py::object& matrix) {
            constexpr auto kExpected = "a camera matrix of shape (3, 3)";
            const auto k = array_of<double>(matrix, kExpected);
            if (k.ndim() != 2 || k.shape(0) != 3 || k.shape(1) != 3) {
              throw Error(ErrorKind::invalid_argument,
                          std::string("expected ") + kExpected + ", found " + describe(k));
            }
            return Calibration{k.at(0, 0), k.at(1, 1), k.at(0, 2), k.at(1, 2)};
          },
          py::arg("matrix"), "From the 3x3 matrix K that OpenCV uses.")
      .def_readonly("fx", &Calibration::fx)
      .def_readonly("fy", &Calibration::fy)
      .def_readonly("cx", &Calibration::cx)
      .def_readonly("cy", &Calibration::cy)
      .def("__eq__",
           [](const Calibration& a, const py::object& b) {
             return py::isinstance<Calibration>(b) && a == b.cast<Calibration>();
           })
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"fx", "fy", "cx", "cy"});
      });
}

}  // namespace looptree::python

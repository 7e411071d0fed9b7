// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "looptree/common/progress.hpp"
#include "looptree/index/topology.hpp"

// What the files of the extension share. One file per folder of the library: each adds its classes
// and functions to the module.
//
// Every call that works or waits for a lock lets go of the interpreter first. That is for speed,
// and for safety: a query holds its index while it waits for the interpreter to ask a predicate, so
// nobody may hold the interpreter while waiting for an index.
namespace looptree::python {

namespace py = pybind11;

void bind_errors(py::module_& m);
void bind_common(py::module_& m);
void bind_features(py::module_& m);
void bind_vocabulary(py::module_& m);
void bind_histogram(py::module_& m);
void bind_topology(py::module_& m);
void bind_query(py::module_& m);
void bind_index(py::module_& m);
void bind_evaluate(py::module_& m);
void bind_words(py::module_& m);
void bind_map_types(py::module_& m);
void bind_map(py::module_& m);
void bind_dataset(py::module_& m);
void bind_detect(py::module_& m);
void bind_metric(py::module_& m);
void bind_candidates(py::module_& m);
void bind_pairs(py::module_& m);

using Unlocked = py::gil_scoped_release;

/// Runs `work` without the interpreter.
template <typename Work>
auto unlocked(Work&& work) {
  const Unlocked free;
  return std::forward<Work>(work)();
}

/// Something that is not for several threads at once, made safe for them: Python's users never see
/// a crash for sharing it.
template <typename T>
class Guarded {
 public:
  template <typename... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}

  /// `work(value)`, alone and without the interpreter.
  template <typename Work>
  auto use(Work&& work) {
    const Unlocked free;
    const std::lock_guard lock(mutex_);
    return std::forward<Work>(work)(value_);
  }

 private:
  std::mutex mutex_;
  T value_;
};

/// Tells a Python function of progress, and stops the job where it returns False, raises, or the
/// user pressed Ctrl-C. None hears nothing, and still gives Ctrl-C its chance.
ProgressCallback progress_of(const py::object& callback);

/// A value of an enumeration from the name that Python uses for it.
template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};
[[noreturn]] void refuse_name(std::string_view what, std::span<const std::string_view> names,
                              std::string_view found);
template <typename Enum>
Enum parse_name(std::string_view what, std::span<const Named<Enum>> known, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Named<Enum>& each : known) {
    if (each.name == name) return each.value;
    names.push_back(each.name);
  }
  refuse_name(what, names, name);
}
template <typename Enum>
std::string_view name_of(std::span<const Named<Enum>> known, Enum value) {
  for (const Named<Enum>& each : known) {
    if (each.value == value) return each.name;
  }
  return "unknown";
}

/// A topology, or its name.
Topology topology_of(const py::object& object);
Pooling pooling_of(std::string_view name);

/// `object` as a T; TypeError where it is none.
[[noreturn]] void refuse_type(const char* expected, const py::handle& found);
template <typename T>
T cast_to(const py::handle& object, const char* expected) {
  try {
    return object.cast<T>();
  } catch (const py::cast_error&) {
    refuse_type(expected, object);
  }
}

/// Numbers in a repr: as many digits as bring them back, and no more.
inline std::string repr(double value) {
  return py::repr(py::float_(value)).cast<std::string>();
}

inline std::vector<std::uint8_t> bytes_of(const py::bytes& bytes) {
  const auto view = static_cast<std::string_view>(bytes);
  return {view.begin(), view.end()};
}

/// "Match(frame=3, score=0.5)": the class and the named attributes.
std::string repr_fields(const py::object& self, std::initializer_list<const char*> names);

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/index/query.hpp"

#include "looptree/common/error.hpp"

#include "python/src/arrays.hpp"

namespace looptree::python {
namespace {

/// One field of every match as an array over the result's own memory.
template <typename T>
py::array column(const py::object& self, const T Match::*field) {
  const auto& matches = self.cast<const QueryResult&>().matches;
  const T* first = matches.empty() ? nullptr : &(matches.front().*field);
  if constexpr (std::is_same_v<T, FrameId>) {
    return view_of(reinterpret_cast<const std::uint32_t*>(first),
                   {static_cast<py::ssize_t>(matches.size())}, {sizeof(Match)}, self);
  } else {
    return view_of(first, {static_cast<py::ssize_t>(matches.size())}, {sizeof(Match)}, self);
  }
}

Match at(const QueryResult& result, py::ssize_t i) {
  const auto size = static_cast<py::ssize_t>(result.matches.size());
  if (i < 0) i += size;
  if (i < 0 || i >= size) throw py::index_error("match index out of range");
  return result.matches[static_cast<std::size_t>(i)];
}

std::string describe_result(const QueryResult& result) {
  std::string text = "QueryResult([";
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < result.matches.size() && i < kShown; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(result.matches[i].frame.value) + ": " + repr(result.matches[i].score);
  }
  if (result.matches.size() > kShown) {
    text += ", ... " + std::to_string(result.matches.size()) + " matches";
  }
  return text + "])";
}

}  // namespace

QueryOptions options_of(const QueryArguments& arguments) {
  QueryOptions options;
  options.top_k = arguments.top_k.value_or(QueryOptions::kUnlimited);
  options.threshold = arguments.threshold;
  options.slack = arguments.slack;
  options.beam = arguments.beam.value_or(QueryOptions::kUnlimited);
  options.filter.exclude_recent = arguments.exclude_recent;
  options.filter.first = FrameId{arguments.first};
  if (arguments.last) options.filter.last = FrameId{*arguments.last};
  if (arguments.sessions) {
    options.filter.sessions.emplace();
    for (const std::uint32_t each : *arguments.sessions) {
      options.filter.sessions->emplace_back(each);
    }
  }
  if (arguments.accept) {
    options.filter.accept = [accept = arguments.accept](FrameId frame) {
      return accept(frame.value);
    };
  }
  options.threads = arguments.threads;
  return options;
}

std::optional<FrameId> frame_id(const py::object& object) {
  py::detail::make_caster<std::uint32_t> id;
  if (!id.load(object, true)) return std::nullopt;
  return FrameId{py::detail::cast_op<std::uint32_t>(id)};
}

void bind_query(py::module_& m) {
  py::class_<Match>(m, "Match", "A frame returned by a query. Unpacks: frame, score = match.")
      .def_property_readonly("frame", [](const Match& match) { return match.frame.value; })
      .def_readonly("score", &Match::score, "The intersection with the query, in (0, 1].")
      .def("__iter__",
           [](const Match& match) {
             return py::iter(py::make_tuple(match.frame.value, match.score));
           })
      .def("__eq__",
           [](const Match& a, const py::object& b) {
             return py::isinstance<Match>(b) && a == b.cast<Match>();
           })
      .def("__hash__",
           [](const Match& match) {
             return py::hash(py::make_tuple(match.frame.value, match.score));
           })
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"frame", "score"});
      });

  py::class_<LayerStats>(m, "LayerStats", "What the search did in one layer.")
      .def_readonly("nodes", &LayerStats::nodes, "Nodes (or frames) the layer holds.")
      .def_readonly("scored", &LayerStats::scored, "Of these, compared with the query.")
      .def_readonly("descended", &LayerStats::descended,
                    "Pooled layers: nodes whose children were searched.")
      .def_readonly("exact", &LayerStats::exact,
                    "Layer 0: frames whose score was computed in full.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"nodes", "scored", "descended", "exact"});
      });

  py::class_<QueryResult>(m, "QueryResult", R"(The matches of a query, best first.

A sequence of Match; equal scores come by lower frame. frames and scores are the same as read-only
arrays over the result's own memory.)")
      .def_property_readonly(
          "frames", [](const py::object& self) { return column(self, &Match::frame); },
          "uint32, best first.")
      .def_property_readonly(
          "scores", [](const py::object& self) { return column(self, &Match::score); }, "float64.")
      .def_readonly("layers", &QueryResult::layers,
                    "What the search did, from the frames (element 0) up to the top layer.")
      .def("__len__", [](const QueryResult& result) { return result.matches.size(); })
      .def("__getitem__", &at, py::arg("index"))
      .def("__getitem__",
           [](const QueryResult& result, const py::slice& slice) {
             py::list all;
             for (const Match& match : result.matches) all.append(match);
             return py::list(all[slice]);
           })
      .def(
          "__iter__",
          [](const QueryResult& result) {
            return py::make_iterator<py::return_value_policy::copy>(result.matches.begin(),
                                                                    result.matches.end());
          },
          py::keep_alive<0, 1>())
      .def("__repr__", &describe_result);
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/topology.hpp"

#include "looptree/index/grouping.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

Groups groups_of(const py::handle& object) {
  const HeldWords held = words_of(object);  // numbers of 32 bits, as words are
  Groups groups;
  groups.reserve(held.view.size());
  for (const WordId each : held.view) groups.push_back(each.value);
  return groups;
}

Topology grouped(const py::iterable& layers, const std::string& pooling) {
  std::vector<Groups> groups;
  for (const py::handle layer : layers) groups.push_back(groups_of(layer));
  return Topology::grouped(std::move(groups), pooling_of(pooling));
}

void bind_grouping(py::module_& m) {
  m.def(
      "random_groups",
      [](std::size_t items, std::size_t size, std::uint64_t seed) {
        return take<std::uint32_t>(random_groups(items, size, seed));
      },
      py::arg("items"), py::arg("size"), py::arg("seed") = 0,
      "Groups of `size` items drawn at random: for each item the number of its group.");
  m.def(
      "affinity_groups",
      [](const std::vector<Histogram>& histograms, std::size_t size) {
        return take<std::uint32_t>(unlocked([&] { return affinity_groups(histograms, size); }));
      },
      py::arg("histograms"), py::arg("size"),
      "Groups of `size` by affinity, greedily: the lowest item not yet in a group takes the free "
      "items with the highest intersection with it.");
  m.def(
      "label_groups",
      [](const py::object& labels) { return take<std::uint32_t>(label_groups(groups_of(labels))); },
      py::arg("labels"), "Groups by label, numbered in order of first appearance.");
  m.def(
      "pool",
      [](const std::vector<Histogram>& histograms, const py::object& groups,
         const std::string& pooling) {
        const Groups numbers = groups_of(groups);
        const Pooling kind = pooling_of(pooling);
        return unlocked([&] { return pool(histograms, numbers, kind); });
      },
      py::arg("histograms"), py::arg("groups"), py::arg("pooling"),
      "The pooled histogram of every group, word by word, not normalised.");
}

}  // namespace

Topology topology_of(const py::object& object) {
  if (py::isinstance<py::str>(object)) return Topology::parse(object.cast<std::string>());
  return cast_to<Topology>(object, "a Topology or its name");
}

void bind_topology(py::module_& m) {
  py::class_<Topology>(m, "Topology",
                       R"(How frames are grouped into nodes, and how groups are pooled.

Wherever one is asked for, its name does as well: 'd1' is the flat inverted index, 'd2b16-mean' the
paper's two layers of branching 16 with mean pooling.)")
      .def(py::init([](const std::string& name) { return Topology::parse(name); }),
           py::arg("name") = "d1", "By the paper's names: 'd1', 'd2b4-mean', 'd3b8-max'.")
      .def_static(
          "fixed",
          [](std::size_t depth, std::size_t branching, const std::string& pooling) {
            return Topology::fixed(depth, branching, pooling_of(pooling));
          },
          py::arg("depth"), py::arg("branching"), py::arg("pooling"),
          "`depth` layers in [1, 32], each node pooling `branching` neighbours, by 'mean', 'sum' "
          "or 'max'.")
      .def_static("grouped", &grouped, py::arg("layers"), py::arg("pooling"),
                  "Groups you give: per layer, from the frames up, the number of the group each "
                  "item belongs to, from 0 without gaps.")
      .def_property_readonly("name", &Topology::name)
      .def_property_readonly("depth", &Topology::depth, "Layers, the frames included.")
      .def_property_readonly("branching", &Topology::branching,
                             "Children per node; 0 for given groups and for one layer.")
      .def_property_readonly("pooling", [](const Topology& t) { return to_string(t.pooling()); })
      .def_property_readonly("is_grouped", &Topology::is_grouped)
      .def_property_readonly("is_exact", &Topology::is_exact,
                             "Whether a search returns exactly what scoring every frame would.")
      .def_property_readonly(
          "groups",
          [](const Topology& t) {
            py::list layers;
            for (Groups layer : t.groups()) layers.append(take<std::uint32_t>(std::move(layer)));
            return layers;
          },
          "The given groups, layer by layer; empty for a fixed topology.")
      .def("__str__", &Topology::name)
      .def("__eq__",
           [](const Topology& a, const py::object& b) {
             return py::isinstance<Topology>(b) && a == b.cast<const Topology&>();
           })
      .def("__hash__", [](const Topology& t) { return py::hash(py::str(t.name())); })
      .def("__repr__", [](const Topology& t) { return "Topology('" + t.name() + "')"; });
  bind_grouping(m);
}

}  // namespace looptree::python

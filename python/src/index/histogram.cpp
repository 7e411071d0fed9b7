// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/histogram.hpp"

#include "looptree/common/error.hpp"
#include "looptree/histogram/scores.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/names.hpp"

namespace looptree::python {
namespace {

Histogram histogram_of(const py::object& words, const py::object& weights) {
  const HeldWords w = words_of(words);
  constexpr auto kExpected = "weights as a one-dimensional array of floats";
  const auto values = array_of<double>(weights, kExpected);
  if (values.ndim() != 1) {
    throw Error(ErrorKind::invalid_argument,
                std::string("expected ") + kExpected + ", found " + describe(values));
  }
  return Histogram({w.view.begin(), w.view.end()}, {values.data(), values.data() + values.size()});
}

Histogram make(const py::object& words, const py::object& word_weights,
               const std::string& weighting, const std::string& norm) {
  const HeldWords held = words_of(words);
  const HistogramOptions options{.weighting = weighting_of(weighting), .norm = norm_of_name(norm)};
  constexpr auto kExpected = "word_weights as a one-dimensional array of floats, one per word";
  const py::array any = py::array::ensure(word_weights);
  if (any && any.ndim() == 1 && py::isinstance<py::array_t<float>>(any)) {
    const auto weights = array_of<float>(any, kExpected);
    const std::span<const float> view(weights.data(), static_cast<std::size_t>(weights.size()));
    return unlocked([&] { return make_histogram(held.view, view, options); });
  }
  PyErr_Clear();
  const auto weights = array_of<double>(word_weights, kExpected);
  if (weights.ndim() != 1) {
    throw Error(ErrorKind::invalid_argument,
                std::string("expected ") + kExpected + ", found " + describe(weights));
  }
  const std::span<const double> view(weights.data(), static_cast<std::size_t>(weights.size()));
  return unlocked([&] { return make_histogram(held.view, view, options); });
}

}  // namespace

void bind_histogram(py::module_& m) {
  py::class_<Histogram>(m, "Histogram", R"(The words of one image with their weights.

Sparse, sorted by word, every weight above zero. Immutable, so safe to share between threads.
words and weights are read-only arrays over its own memory.)")
      .def(py::init<>(), "Empty: no words. An index refuses to store or query it.")
      .def(py::init(&histogram_of), py::arg("words"), py::arg("weights"),
           "From words in strictly ascending order and one finite weight >= 0 for each; words of "
           "weight zero are dropped. Nothing is normalised.")
      .def_property_readonly(
          "words",
          [](const py::object& self) {
            return view_of(self.cast<const Histogram&>().words(), self);
          },
          "uint32, strictly ascending.")
      .def_property_readonly(
          "weights",
          [](const py::object& self) {
            return view_of(self.cast<const Histogram&>().weights(), self);
          },
          "float64, one per word.")
      .def("sum", &Histogram::sum, "The sum of the weights; 1 up to rounding after norm 'l1'.")
      .def(
          "normalized",
          [](const Histogram& h, const std::string& norm) {
            return h.normalized(norm_of_name(norm));
          },
          py::arg("norm") = "l1", "The same words with their weights divided by the norm.")
      .def("__len__", &Histogram::size)
      .def("__eq__",
           [](const Histogram& a, const py::object& b) {
             return py::isinstance<Histogram>(b) && a == b.cast<const Histogram&>();
           })
      .def("__repr__",
           [](const Histogram& h) {
             return "Histogram(" + std::to_string(h.size()) + " words, sum " + repr(h.sum()) + ")";
           })
      .def(py::pickle(
          [](const py::object& self) {
            // Copies, because a pickled view would carry nothing to look at.
            return py::make_tuple(self.attr("words").attr("copy")(),
                                  self.attr("weights").attr("copy")());
          },
          [](const py::tuple& state) { return histogram_of(state[0], state[1]); }));

  m.def("make_histogram", &make, py::arg("words"), py::arg("word_weights"), py::kw_only(),
        py::arg("weighting") = "tf-idf", py::arg("norm") = "l1",
        R"(The histogram of an image from the words of its descriptors, in any order, repeated as
they occur.

word_weights holds one weight per word of the vocabulary; a word of weight zero is stopped, that
is, left out. weighting: 'tf-idf', 'tf', 'idf', 'binary'; norm: 'l1', which an index asks for, 'l2',
'size'. No words, or only stopped ones, give an empty histogram.)");
  m.def(
      "score",
      [](const std::string& name, const Histogram& a, const Histogram& b) {
        return score(score_of(name), a, b);
      },
      py::arg("score"), py::arg("a"), py::arg("b"),
      "The score of two histograms by DBoW2's formulas: 'l1', 'l2', 'chi-square', 'kl', "
      "'bhattacharyya' or 'dot-product'.");
  m.def("intersection", &intersection, py::arg("a"), py::arg("b"),
        "The score of the index: sum of min(a, b) over words, in [0, 1], for L1-normalised "
        "histograms; the very number every query returns.");
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/error.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/dataset/word_stream.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"

namespace looptree::python {
namespace {

WordSequence make_sequence(std::uint32_t vocabulary_size, const py::iterable& frames,
                           const py::object& word_weights, const py::object& poses,
                           const py::object& labels) {
  WordSequence sequence;
  sequence.vocabulary_size = vocabulary_size;
  for (const py::handle frame : frames) {
    const HeldWords held = words_of(frame);
    sequence.frames.emplace_back(held.view.begin(), held.view.end());
  }
  if (!word_weights.is_none()) {
    const auto weights = array_of<float>(word_weights, "word_weights as an array of floats");
    sequence.word_weights.assign(weights.data(), weights.data() + weights.size());
  }
  if (!poses.is_none()) sequence.poses = poses_of(poses);
  if (!labels.is_none()) {
    for (const WordId each : words_of(labels).view) sequence.labels.push_back(each.value);
  }
  return sequence;
}

py::object poses_or_none(const WordSequence& sequence) {
  if (sequence.poses.empty()) return py::none();
  py::list poses;
  for (const Pose& pose : sequence.poses) poses.append(array_from(pose));
  return py::module_::import("numpy").attr("array")(poses);
}

void bind_stream(py::module_& m) {
  py::class_<WordStream>(m, "WordStream", R"(Words of the frames of an endless made-up drive.

It comes back to places it has seen. Frame i is computed from i alone, the same on every machine: for
measuring at scale without images. 10,000 words seen through ORB, or 884,885 with million=True.)")
      .def(py::init([](std::uint64_t seed, bool million) {
             WordStreamOptions options =
                 million ? WordStreamOptions::million() : WordStreamOptions{};
             options.seed = seed;
             return WordStream(options);
           }),
           py::kw_only(), py::arg("seed") = 1, py::arg("million") = false)
      .def_property_readonly("vocabulary_size",
                             [](const WordStream& s) { return s.options().vocabulary_size; })
      .def_property_readonly(
          "word_weights",
          [](const py::object& self) {
            return view_of(self.cast<const WordStream&>().word_weights(), self);
          },
          "float32, one per word.")
      .def(
          "histograms",
          [](const WordStream& s, std::uint64_t first, std::uint64_t last) {
            return unlocked([&] {
              const std::vector<double> weights(s.word_weights().begin(), s.word_weights().end());
              std::vector<Histogram> histograms;
              for (std::uint64_t i = first; i < last; ++i) {
                histograms.push_back(make_histogram(s.frame(i), weights));
              }
              return histograms;
            });
          },
          py::arg("first"), py::arg("last"), "Those of the frames from first up to last.")
      .def("position", &WordStream::position, py::arg("frame"),
           "Where on the road it is, in frames of fresh road: one place, one position.");
}

}  // namespace

void bind_words(py::module_& m) {
  bind_stream(m);
  py::class_<WordSequence>(m, "WordSequence", R"(A sequence reduced to the words of its images.

Enough to repeat every experiment with an index, without images, features or the vocabulary.)")
      .def(py::init(&make_sequence), py::arg("vocabulary_size"), py::arg("frames"), py::kw_only(),
           py::arg("word_weights") = py::none(), py::arg("poses") = py::none(),
           py::arg("labels") = py::none(),
           "frames: the words of each, in any order, repeated as they occur.")
      .def_readonly("vocabulary_size", &WordSequence::vocabulary_size)
      .def("__len__", [](const WordSequence& s) { return s.frames.size(); })
      .def(
          "words",
          [](const py::object& self, std::size_t frame) {
            const auto& frames = self.cast<const WordSequence&>().frames;
            if (frame >= frames.size()) throw py::index_error("frame number out of range");
            return view_of(std::span<const WordId>(frames[frame]), self);
          },
          py::arg("frame"), "The words of a frame, uint32; read-only, over the sequence's memory.")
      .def_property_readonly(
          "word_weights",
          [](const py::object& self) {
            const auto& weights = self.cast<const WordSequence&>().word_weights;
            return view_of(std::span<const float>(weights), self);
          },
          "float32, one per word; empty: the inverse document frequency of these frames is taken.")
      .def_property_readonly("poses", &poses_or_none, "Of shape (frames, 4, 4), or None.")
      .def_property_readonly(
          "labels",
          [](const py::object& self) -> py::object {
            const auto& labels = self.cast<const WordSequence&>().labels;
            if (labels.empty()) return py::none();
            return view_of(std::span<const std::uint32_t>(labels), self);
          },
          "uint32, or None.")
      .def(
          "histograms",
          [](const WordSequence& s) { return unlocked([&] { return make_histograms(s); }); },
          "The tf-idf histogram of every frame, L1-normalised; empty for one without words.")
      .def("__repr__", [](const WordSequence& s) {
        return "WordSequence(" + std::to_string(s.frames.size()) + " frames, " +
               std::to_string(s.vocabulary_size) + " words)";
      });
  m.def("read_words", &read_words, py::arg("path"), py::call_guard<Unlocked>(),
        "Reads a file of words; docs/formats/words.md describes it.");
  m.def("write_words", &write_words, py::arg("path"), py::arg("sequence"),
        py::call_guard<Unlocked>(), "Writes what read_words() reads, numbers in full.");
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/vocabulary.hpp"

#include <numeric>

#include "looptree/common/error.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/vocabulary/box.hpp"
#include "looptree/vocabulary/descriptor_file.hpp"
#include "looptree/vocabulary/training.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/names.hpp"

namespace looptree::python {
namespace {

constexpr std::array kFormats{VocabularyFormat::looptree,
                              VocabularyFormat::orbslam_text,
                              VocabularyFormat::dbow2_yaml,
                              VocabularyFormat::dbow2_brief_yaml,
                              VocabularyFormat::dbow3_yaml,
                              VocabularyFormat::dbow3_binary,
                              VocabularyFormat::openvslam_binary,
                              VocabularyFormat::vins_binary,
                              VocabularyFormat::fbow};

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kFormats));
  for (const VocabularyFormat each : kFormats) names.push_back(to_string(each));
  return names;
}

VocabularyFormat format_of(const std::string& name) {
  if (const auto format = vocabulary_format(name)) return *format;
  refuse_name("format", format_names(), name);
}

/// Training rows, and how many each image has: from one array of rows, or one array per image.
struct TrainingRows {
  HeldDescriptors held;
  std::vector<std::size_t> per_image;
};

TrainingRows training_rows(const py::object& descriptors, const py::object& rows_per_image) {
  if (!rows_per_image.is_none()) {
    return {descriptors_of(descriptors),
            cast_to<std::vector<std::size_t>>(rows_per_image, "rows_per_image as integers")};
  }
  if (py::isinstance<py::array>(descriptors)) {
    throw Error(ErrorKind::invalid_argument,
                "expected one array of descriptors per image, or rows_per_image beside an array "
                "of all of them, found one array alone");
  }
  const py::list images(descriptors);
  if (images.empty()) {
    throw Error(ErrorKind::invalid_argument, "expected descriptors to train on, found no image");
  }
  std::vector<std::size_t> per_image;
  for (const py::handle image : images) per_image.push_back(descriptors_of(image).view.size());
  const auto numpy = py::module_::import("numpy");
  const HeldDescriptors first = descriptors_of(images[0]);
  for (const py::handle image : images) {
    const HeldDescriptors each = descriptors_of(image);
    if (each.view.type() != first.view.type() || each.view.width() != first.view.width()) {
      throw Error(ErrorKind::invalid_argument, "expected descriptors of one kind, found " +
                                                   describe(images[0]) + " and " + describe(image));
    }
  }
  return {descriptors_of(numpy.attr("concatenate")(images)), std::move(per_image)};
}

Vocabulary train(const py::object& descriptors, const py::object& rows_per_image,
                 std::size_t branching, std::size_t depth, const std::string& weighting,
                 const std::string& scoring, std::uint64_t seed, std::size_t max_iterations,
                 std::size_t threads, double stop_below_weight, double stop_most_frequent,
                 const py::object& progress) {
  const TrainingRows rows = training_rows(descriptors, rows_per_image);
  const TrainOptions options{.branching = branching,
                             .depth = depth,
                             .weighting = weighting_of(weighting),
                             .scoring = score_of(scoring),
                             .seed = seed,
                             .max_iterations = max_iterations,
                             .threads = threads,
                             .stop_words = {stop_below_weight, stop_most_frequent},
                             .progress = progress_of(progress)};
  return unlocked([&] { return train_vocabulary(rows.held.view, rows.per_image, options); });
}

py::array words(const Vocabulary& vocabulary, const py::object& descriptors) {
  const HeldDescriptors held = descriptors_of(descriptors);
  return take<std::uint32_t>(unlocked([&] { return vocabulary.words(held.view); }));
}

py::tuple quantize(const Vocabulary& vocabulary, const py::object& descriptors,
                   std::size_t levels_up) {
  const HeldDescriptors held = descriptors_of(descriptors);
  Quantized result = unlocked([&] { return vocabulary.quantize(held.view, levels_up); });
  const auto type = py::module_::import("looptree._results").attr("Quantized");
  return type(take<std::uint32_t>(std::move(result.words)), take<double>(std::move(result.weights)),
              take<std::uint32_t>(std::move(result.nodes)));
}

Histogram histogram(const Vocabulary& vocabulary, const py::object& descriptors) {
  const HeldDescriptors held = descriptors_of(descriptors);
  return unlocked([&] {
    return make_histogram(vocabulary.words(held.view), vocabulary.word_weights(),
                          {.weighting = vocabulary.weighting()});
  });
}

std::string describe_vocabulary(const Vocabulary& v) {
  const bool binary = v.descriptor_type() == DescriptorType::binary;
  return "Vocabulary(" + std::to_string(v.size()) + " words, k=" + std::to_string(v.branching()) +
         ", L=" + std::to_string(v.depth()) + ", " + std::to_string(v.descriptor_width()) +
         (binary ? " bytes" : " floats") + ", " + std::string(to_string(v.weighting())) + ", " +
         std::string(to_string(v.scoring())) + ")";
}

void bind_properties(py::class_<Vocabulary>& type) {
  type.def("__len__", &Vocabulary::size)
      .def_property_readonly("branching", &Vocabulary::branching, "The most children of a node, k.")
      .def_property_readonly("depth", &Vocabulary::depth, "The most levels below the root, L.")
      .def_property_readonly(
          "descriptor_type",
          [](const Vocabulary& v) {
            return v.descriptor_type() == DescriptorType::binary ? "binary" : "real";
          },
          "'binary' (rows of uint8) or 'real' (rows of float32).")
      .def_property_readonly("descriptor_width", &Vocabulary::descriptor_width,
                             "Bytes or floats of a descriptor.")
      .def_property_readonly("weighting",
                             [](const Vocabulary& v) { return to_string(v.weighting()); })
      .def_property_readonly("scoring", [](const Vocabulary& v) { return to_string(v.scoring()); })
      .def_property_readonly(
          "word_weights",
          [](const py::object& self) {
            return view_of(self.cast<const Vocabulary&>().word_weights(), self);
          },
          "float64, one per word, in general the inverse document frequency; 0 for a stopped word. "
          "Read-only, over the vocabulary's own memory.")
      .def_property_readonly("content_hash", &Vocabulary::content_hash,
                             "Equal for vocabularies that give the same answers.")
      .def_property_readonly("node_count", &Vocabulary::node_count)
      .def("leaves_by_level", &Vocabulary::leaves_by_level, "Leaves by level, root first.")
      .def_property_readonly("memory_bytes", &Vocabulary::memory_bytes,
                             "Bytes in memory, or of the mapped file.")
      .def_property_readonly(
          "format",
          [](const Vocabulary& v) -> std::optional<std::string_view> {
            if (!v.origin().format) return std::nullopt;
            return to_string(*v.origin().format);
          },
          "The format of the file it came from; None if it was trained, cut or changed here.")
      .def("__eq__",
           [](const Vocabulary& a, const py::object& b) {
             return py::isinstance<Vocabulary>(b) &&
                    a.content_hash() == b.cast<const Vocabulary&>().content_hash();
           })
      .def("__hash__", &Vocabulary::content_hash)
      .def("__repr__", &describe_vocabulary);
}

void bind_descriptor_files(py::module_& m) {
  m.def(
      "read_descriptor_file",
      [](const std::filesystem::path& path) {
        ImageDescriptors read = unlocked([&] { return read_descriptor_file(path); });
        Descriptors& d = read.descriptors;
        const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(d.size()),
                                             static_cast<py::ssize_t>(d.width)};
        py::array rows = d.type == DescriptorType::binary
                             ? take<std::uint8_t>(std::move(d.bytes), shape)
                             : take<float>(std::move(d.floats), shape);
        return py::make_tuple(rows, take<std::size_t>(std::move(read.rows_per_image)));
      },
      py::arg("path"),
      "(descriptors, rows_per_image) of NAME.u8 or NAME.f32 and the NAME.txt beside it.");
  m.def(
      "write_descriptor_file",
      [](const std::filesystem::path& path, const py::object& descriptors,
         const std::vector<std::size_t>& rows_per_image) {
        const HeldDescriptors held = descriptors_of(descriptors);
        unlocked([&] { write_descriptor_file(path, held.view, rows_per_image); });
      },
      py::arg("path"), py::arg("descriptors"), py::arg("rows_per_image"),
      "Writes what read_descriptor_file() reads.");
}

}  // namespace

void bind_vocabulary(py::module_& m) {
  py::class_<Vocabulary> type(m, "Vocabulary",
                              R"(A tree of descriptors that turns descriptors into words.

Immutable; every method may be called from any number of threads at once. load() reads the files of
DBoW2, DBoW3, FBoW, ORB-SLAM, OpenVSLAM and VINS, recognised by their content; train_vocabulary()
makes one.)");
  type.def_static(
          "load",
          [](const std::filesystem::path& path, bool verify, const py::object& progress) {
            const LoadOptions options{verify, progress_of(progress)};
            return unlocked([&] { return Vocabulary::load(path, options); });
          },
          py::arg("path"), py::kw_only(), py::arg("verify") = true,
          py::arg("progress") = py::none(),
          "Reads a file of any format. Our own is mapped, not read; verify=False skips its "
          "checksums. progress(done, total) hears of bytes, and stops by returning False.")
      .def_static(
          "from_bytes",
          [](const py::bytes& bytes, bool verify) {
            const auto view = static_cast<std::string_view>(bytes);
            return unlocked([&] {
              return Vocabulary::from_bytes(std::as_bytes(std::span(view.data(), view.size())),
                                            {.verify = verify});
            });
          },
          py::arg("data"), py::kw_only(), py::arg("verify") = true, "The same from memory.")
      .def(
          "save",
          [](const Vocabulary& v, const std::filesystem::path& path, const std::string& format,
             const py::object& progress) {
            const VocabularyFormat to = format_of(format);
            const ProgressCallback callback = progress_of(progress);
            unlocked([&] { v.save(path, to, callback); });
          },
          py::arg("path"), py::arg("format") = "looptree", py::kw_only(),
          py::arg("progress") = py::none(),
          "Writes the file, or replaces it as a whole; text and YAML are compressed if the name "
          "ends in '.gz'. vocabulary_formats() lists the formats.")
      .def("words", &words, py::arg("descriptors"),
           "The word of each row, uint32. Rows are uint8 or float32, as descriptor_type says.")
      .def("quantize", &quantize, py::arg("descriptors"), py::arg("levels_up") = 0,
           "Words, weights and nodes of each row, the node that lies levels_up levels above the "
           "deepest level: what a direct index groups features by.")
      .def(py::pickle(
          [](const Vocabulary& v) {
            // Through a file, as it is saved; what is read from it is the same vocabulary.
            const py::object folder = py::module_::import("tempfile").attr("TemporaryDirectory")();
            const py::object path =
                py::module_::import("pathlib").attr("Path")(folder.attr("name")) /
                py::str("vocabulary");
            const auto file = path.cast<std::filesystem::path>();
            unlocked([&] { v.save(file); });
            const py::object bytes = path.attr("read_bytes")();
            folder.attr("cleanup")();
            return py::make_tuple(bytes);
          },
          [](const py::tuple& state) {
            if (state.size() != 1) throw py::value_error("expected the state of a Vocabulary");
            const auto bytes = state[0].cast<py::bytes>();
            const auto view = static_cast<std::string_view>(bytes);
            return Vocabulary::from_bytes(std::as_bytes(std::span(view.data(), view.size())));
          }))
      .def("histogram", &histogram, py::arg("descriptors"),
           "The L1-normalised histogram of an image, weighted as the vocabulary says.")
      .def(
          "cut",
          [](const Vocabulary& v, std::size_t level) {
            return unlocked([&] { return v.cut(level); });
          },
          py::arg("level"),
          "The same tree with the nodes of a level as words: a tree of a million words, cut at "
          "level 4, has ten thousand.")
      .def(
          "stopped",
          [](const Vocabulary& v, double below_weight, double most_frequent) {
            return unlocked([&] { return v.stopped({below_weight, most_frequent}); });
          },
          py::kw_only(), py::arg("below_weight") = 0.0, py::arg("most_frequent") = 0.0,
          "The same with more words stopped: those lighter than below_weight, and the share "
          "most_frequent of the words that weighs least.");
  bind_properties(type);
  bind_descriptor_files(m);

  m.def("train_vocabulary", &train, py::arg("descriptors"), py::arg("rows_per_image") = py::none(),
        py::kw_only(), py::arg("branching") = 10, py::arg("depth") = 6,
        py::arg("weighting") = "tf-idf", py::arg("scoring") = "l1", py::arg("seed") = 0,
        py::arg("max_iterations") = 11, py::arg("threads") = 0, py::arg("stop_below_weight") = 0.0,
        py::arg("stop_most_frequent") = 0.0, py::arg("progress") = py::none(),
        R"(A vocabulary of up to branching ** depth words, clustered from training descriptors.

descriptors: one array per image, or one array of all rows with rows_per_image beside it (no copy).
The result depends on the input and the seed alone, to the bit. progress(done, total) stops the
training by returning False, which raises CancelledError.)");
  m.def(
      "box_vocabulary", [](const std::string& features) { return box_vocabulary(features); },
      py::arg("features"),
      "The vocabulary of ten thousand words that comes with looptree for features of this kind.");
  m.def(
      "box_vocabularies",
      [] {
        const auto kinds = box_vocabularies();
        return std::vector<std::string>(kinds.begin(), kinds.end());
      },
      "The kinds of features that a vocabulary comes with looptree for.");
  m.def("vocabulary_formats", format_names,
        "The names of the formats; 'vins-binary' and 'fbow' are read only.");
}

}  // namespace looptree::python

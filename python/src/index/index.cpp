// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <memory>
#include <shared_mutex>

#include "looptree/common/error.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/index_options.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bind.hpp"
#include "python/src/index/query.hpp"

namespace looptree::python {
namespace {

using Histograms = std::vector<Histogram>;

py::object range(FrameId first, std::size_t count) {
  const auto type = py::module_::import("builtins").attr("range");
  return type(first.value, first.value + count);
}

std::unique_ptr<PooledIndex> make_index(const py::object& vocabulary, const py::object& topology,
                                        const py::object& word_weights) {
  IndexOptions options{.topology = topology_of(topology)};
  if (py::isinstance<Vocabulary>(vocabulary)) {
    options = index_options(vocabulary.cast<const Vocabulary&>(), std::move(options.topology));
  } else {
    options.vocabulary_size =
        cast_to<std::uint32_t>(vocabulary, "a Vocabulary or a number of words");
  }
  if (!word_weights.is_none()) {
    const auto weights = array_of<double>(word_weights, "word_weights as an array of floats");
    options.word_weights.assign(weights.data(), weights.data() + weights.size());
  }
  return unlocked([&] { return std::make_unique<PooledIndex>(std::move(options)); });
}

/// The oracle, which leaves it to its caller to keep changes away from queries.
class SharedExhaustiveIndex {
 public:
  explicit SharedExhaustiveIndex(std::uint32_t vocabulary_size) : index_(vocabulary_size) {}

  template <typename Work>
  auto change(Work&& work) {
    const Unlocked free;
    const std::unique_lock lock(mutex_);
    return std::forward<Work>(work)(index_);
  }
  /// The caller has let go of the interpreter.
  QueryResult query(const Histogram& histogram, const QueryOptions& options) const {
    const std::shared_lock lock(mutex_);
    return index_.query(histogram, options);
  }

 private:
  mutable std::shared_mutex mutex_;
  ExhaustiveIndex index_;
};

void bind_memory(py::module_& m) {
  py::class_<MemoryUsage>(m, "MemoryUsage", "Heap bytes an index holds, capacity included.")
      .def_readonly("frames", &MemoryUsage::frames, "Frames stored now.")
      .def_readonly("bytes", &MemoryUsage::bytes, "All of it.")
      .def_readonly("layers", &MemoryUsage::layers, "Of which each layer's, from the frames up.")
      .def_property_readonly("bytes_per_frame", &MemoryUsage::bytes_per_frame)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"frames", "bytes", "layers"});
      });
}

void bind_changes(py::class_<PooledIndex>& type) {
  type.def(
          "insert",
          [](PooledIndex& index, const Histogram& histogram, std::uint32_t session) {
            return unlocked([&] { return index.insert(histogram, {SessionId{session}}).value; });
          },
          py::arg("histogram"), py::kw_only(), py::arg("session") = 0,
          "Adds a frame and returns its id, the next in order. The histogram is L1-normalised.")
      .def(
          "insert_batch",
          [](PooledIndex& index, const Histograms& histograms, std::uint32_t session) {
            const FrameId first = unlocked([&] {
              return index.insert(std::span<const Histogram>(histograms), {SessionId{session}});
            });
            return range(first, histograms.size());
          },
          py::arg("histograms"), py::kw_only(), py::arg("session") = 0,
          "Adds frames in order, all or none, and returns the range of their ids.")
      .def(
          "erase",
          [](PooledIndex& index, std::uint32_t frame) {
            return unlocked([&] { return index.erase(FrameId{frame}); });
          },
          py::arg("frame"), "Removes a frame; False if there is no such frame (any more).")
      .def("clear", &PooledIndex::clear, py::call_guard<Unlocked>(),
           "Back to an empty index with the same options; ids start at 0 again.");
}

void bind_reads(py::class_<PooledIndex>& type) {
  type.def("__len__", &PooledIndex::size, py::call_guard<Unlocked>())
      .def(
          "__contains__",
          [](const PooledIndex& index, const py::object& frame) {
            const auto id = frame_id(frame);
            return id && unlocked([&] { return index.contains(*id); });
          },
          py::arg("frame"))
      .def_property_readonly(
          "next_id",
          [](const PooledIndex& index) { return unlocked([&] { return index.next_id().value; }); },
          "The id the next frame will get.")
      .def(
          "histogram",
          [](const PooledIndex& index, std::uint32_t frame) {
            return unlocked([&] { return index.histogram(FrameId{frame}); });
          },
          py::arg("frame"),
          "The histogram of a frame, weights rounded to 2**-31 as the index keeps them; None if it "
          "is not stored.")
      .def(
          "session",
          [](const PooledIndex& index, std::uint32_t frame) -> std::optional<std::uint32_t> {
            const auto session = unlocked([&] { return index.session(FrameId{frame}); });
            return session ? std::optional(session->value) : std::nullopt;
          },
          py::arg("frame"), "The session of a frame; None if it is not stored.")
      .def("memory", &PooledIndex::memory, py::call_guard<Unlocked>(), "What it holds, in bytes.")
      .def_property_readonly("vocabulary_size",
                             [](const PooledIndex& i) { return i.options().vocabulary_size; })
      .def_property_readonly("topology", [](const PooledIndex& i) { return i.options().topology; })
      .def_property_readonly(
          "word_weights",
          [](const py::object& self) {
            const auto& weights = self.cast<const PooledIndex&>().options().word_weights;
            return view_of(std::span<const double>(weights), self);
          },
          "float64, as given; empty if nothing was.")
      .def("__repr__", [](const PooledIndex& index) {
        const std::size_t frames = unlocked([&] { return index.size(); });
        return "PooledIndex(" + std::to_string(frames) + " frames, " +
               index.options().topology.name() + ", " +
               std::to_string(index.options().vocabulary_size) + " words)";
      });
}

void bind_exhaustive(py::module_& m) {
  using Index = SharedExhaustiveIndex;
  py::class_<Index> type(m, "ExhaustiveIndex", R"(The oracle: scores every frame one by one.

Slow, and obviously right; PooledIndex returns the same frames and scores, to the bit.)");
  type.def(py::init<std::uint32_t>(), py::arg("vocabulary_size"))
      .def(
          "insert",
          [](Index& index, const Histogram& histogram, std::uint32_t session) {
            return index.change([&](ExhaustiveIndex& i) {
              return i.insert(histogram, {SessionId{session}}).value;
            });
          },
          py::arg("histogram"), py::kw_only(), py::arg("session") = 0,
          "Adds a frame and returns its id.")
      .def(
          "erase",
          [](Index& index, std::uint32_t frame) {
            return index.change([&](ExhaustiveIndex& i) { return i.erase(FrameId{frame}); });
          },
          py::arg("frame"), "Removes a frame; False if there is no such frame (any more).")
      .def(
          "clear", [](Index& index) { index.change([](ExhaustiveIndex& i) { i.clear(); }); },
          "Back to an empty index.")
      .def("__len__",
           [](Index& index) { return index.change([](ExhaustiveIndex& i) { return i.size(); }); });
  def_query<Histogram>(type, "query", "histogram", 1, kQueryDoc,
                       [](const Index& index, const Histogram& histogram,
                          const QueryOptions& options) { return index.query(histogram, options); });
}

}  // namespace

void bind_index(py::module_& m) {
  bind_memory(m);
  py::class_<PooledIndex> type(
      m, "PooledIndex",
      R"(Frames of a route as histograms, pooled into a tree that a query descends.

With topology 'd1' and with max or sum pooling a query returns exactly the frames and scores of
ExhaustiveIndex; mean pooling follows the paper's lossy rule. Grows by insertion: a query may follow
any insert. Any number of threads may query while one inserts or erases.)");
  type.def(py::init(&make_index), py::arg("vocabulary"), py::kw_only(), py::arg("topology") = "d1",
           py::arg("word_weights") = py::none(),
           "For the words of a Vocabulary, or of a number of words. word_weights: what one "
           "occurrence of each word weighs; a Vocabulary brings them. Answers do not depend on "
           "it, speed and memory do.");
  bind_changes(type);
  bind_reads(type);
  def_query<Histogram>(type, "query", "histogram", 1, kQueryDoc,
                       [](const PooledIndex& index, const Histogram& histogram,
                          const QueryOptions& options) { return index.query(histogram, options); });
  def_query<Histograms>(
      type, "query_batch", "histograms", 0, kBatchDoc,
      [](const PooledIndex& index, const Histograms& histograms, const QueryOptions& options) {
        return index.query(std::span<const Histogram>(histograms), options);
      });
  bind_exhaustive(m);
}

}  // namespace looptree::python

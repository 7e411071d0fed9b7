// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/map.hpp"

#include <array>
#include <chrono>

#include "looptree/store/dbow_database.hpp"
#include "looptree/store/export_csv.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "python/src/arrays.hpp"
#include "python/src/features.hpp"
#include "python/src/index/query.hpp"
#include "python/src/store/map_types.hpp"

namespace looptree::python {
namespace {

using Histograms = std::vector<Histogram>;
using MapClass = py::class_<Map, std::shared_ptr<Map>>;

const std::size_t kStoredFeatures = StoredFeatures().max_per_frame;

MapOpenOptions open_options(std::string_view access, std::optional<std::size_t> commit_every,
                            std::size_t commit_interval_ms, std::optional<std::size_t> max_frames,
                            std::string_view eviction, std::size_t stored_features,
                            std::size_t threads, const py::object& progress) {
  static constexpr std::array known{Named<MapAccess>{MapAccess::write, "write"},
                                    Named<MapAccess>{MapAccess::read, "read"}};
  MapOpenOptions options;
  options.access = parse_name<MapAccess>("access", known, access);
  options.durability.changes = commit_every.value_or(std::numeric_limits<std::size_t>::max());
  options.durability.interval = std::chrono::milliseconds(commit_interval_ms);
  if (max_frames) options.bound.max_frames = *max_frames;
  options.bound.eviction = eviction_of(eviction);
  options.stored_features.max_per_frame = stored_features;
  options.threads = threads;
  options.progress = progress_of(progress);
  return options;
}

/// create() and open_or_create(), which take the same keywords.
void def_create(MapClass& type, const char* name, const char* doc,
                Map (*make)(const std::filesystem::path&, const MapOptions&,
                            const MapOpenOptions&)) {
  type.def_static(
      name,
      [make](const std::filesystem::path& path, const py::object& vocabulary,
             const py::object& vocabulary_path, const py::object& topology,
             std::optional<std::size_t> commit_every, std::size_t commit_interval_ms,
             std::optional<std::size_t> max_frames, const std::string& eviction,
             std::size_t stored_features, std::size_t threads, const py::object& progress) {
        const MapOptions options{map_vocabulary(vocabulary, vocabulary_path),
                                 topology_of(topology)};
        const MapOpenOptions open =
            open_options("write", commit_every, commit_interval_ms, max_frames, eviction,
                         stored_features, threads, progress);
        return unlocked([&] { return make(path, options, open); });
      },
      py::arg("path"), py::arg("vocabulary"), py::kw_only(),
      py::arg("vocabulary_path") = py::none(), py::arg("topology") = "d1",
      py::arg("commit_every") = 1, py::arg("commit_interval_ms") = 0,
      py::arg("max_frames") = py::none(), py::arg("eviction") = "age",
      py::arg("stored_features") = kStoredFeatures, py::arg("threads") = 0,
      py::arg("progress") = py::none(), doc);
}

void bind_opening(MapClass& type) {
  def_create(type, "create",
             R"(A new map, opened for writing.

The vocabulary is embedded, or, with vocabulary_path, referred to. commit_every: how many changes may
wait for their commit, None for any number; commit_interval_ms: how long they may, 0 for ever.
max_frames bounds the map: one frame goes for each that comes, by eviction 'age' or 'redundancy'.
stored_features: how many features of a frame are kept, at most.)",
             &Map::create);
  def_create(type, "open_or_create",
             "open() if there is a map, else create(). A map made with another vocabulary or "
             "topology is refused.",
             &Map::open_or_create);
  type.def_static(
      "open",
      [](const std::filesystem::path& path, const std::string& access,
         std::optional<std::size_t> commit_every, std::size_t commit_interval_ms,
         std::optional<std::size_t> max_frames, const std::string& eviction,
         std::size_t stored_features, std::size_t threads, const py::object& progress) {
        const MapOpenOptions open =
            open_options(access, commit_every, commit_interval_ms, max_frames, eviction,
                         stored_features, threads, progress);
        return unlocked([&] { return Map::open(path, open); });
      },
      py::arg("path"), py::kw_only(), py::arg("access") = "write", py::arg("commit_every") = 1,
      py::arg("commit_interval_ms") = 0, py::arg("max_frames") = py::none(),
      py::arg("eviction") = "age", py::arg("stored_features") = kStoredFeatures,
      py::arg("threads") = 0, py::arg("progress") = py::none(),
      "An existing map; access 'write' (one process at a time) or 'read' (any number). The other "
      "keywords are create()'s.");
  type.def("close", &Map::close, py::call_guard<Unlocked>(),
           "Commits what waits and lets go of the file. Afterwards queries still answer.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__",
           [](Map& map, const py::args& /*exception*/) { unlocked([&] { map.close(); }); });
}

void bind_changes(MapClass& type) {
  type.def(
          "insert",
          [](Map& map, const Histogram& histogram, std::uint32_t session,
             std::optional<double> time_s, const py::object& pose, const std::string& name,
             const Features* features, const py::bytes& thumbnail) {
            const FrameInfo info = frame_info(session, time_s, pose, name, thumbnail);
            const Features none;
            return unlocked([&] {
              return map.insert(histogram, info, features != nullptr ? *features : none).value;
            });
          },
          py::arg("histogram"), py::kw_only(), py::arg("session") = 0,
          py::arg("time_s") = py::none(), py::arg("pose") = py::none(), py::arg("name") = "",
          py::arg("features") = py::none(), py::arg("thumbnail") = py::bytes(),
          "Adds a frame and returns its id. thumbnail: a small JPEG, as make_thumbnail() makes it.")
      .def(
          "insert_batch",
          [](Map& map, const std::vector<NewFrame>& frames) {
            const FrameId first = unlocked([&] { return map.insert(frames); });
            return py::module_::import("builtins")
                .attr("range")(first.value, first.value + frames.size());
          },
          py::arg("frames"),
          "Adds NewFrames in order, all or none, in one commit; returns the range of their ids.")
      .def(
          "erase",
          [](Map& map, std::uint32_t frame) {
            return unlocked([&] { return map.erase(FrameId{frame}); });
          },
          py::arg("frame"), "Removes a frame; False if there is no such frame (any more).")
      .def(
          "erase_batch",
          [](Map& map, const std::vector<std::uint32_t>& frames) {
            std::vector<FrameId> ids;
            ids.reserve(frames.size());
            for (const std::uint32_t each : frames) ids.emplace_back(each);
            return unlocked([&] { return map.erase(ids); });
          },
          py::arg("frames"), "Removes several, all or none, in one commit; returns how many.")
      .def(
          "erase_session",
          [](Map& map, std::uint32_t session) {
            return unlocked([&] { return map.erase_session(SessionId{session}); });
          },
          py::arg("session"), "Removes all frames of a session; returns how many.")
      .def(
          "start_session",
          [](Map& map, const std::string& name) {
            return unlocked([&] { return map.start_session(name).value; });
          },
          py::arg("name"), "A session id not used yet, with a name for it.")
      .def(
          "add_closure",
          [](Map& map, std::uint32_t query, std::uint32_t match, double score,
             std::uint32_t inliers) {
            unlocked([&] { map.add_closure({FrameId{query}, FrameId{match}, score, inliers}); });
          },
          py::arg("query"), py::arg("match"), py::arg("score"), py::arg("inliers") = 0,
          "Notes a loop between two frames.")
      .def("flush", &Map::flush, py::call_guard<Unlocked>(), "Commits everything that waits.")
      .def("refresh", &Map::refresh, py::call_guard<Unlocked>(),
           "Readers: takes in what was committed since; whether there was anything.")
      .def(
          "merge",
          [](Map& map, const std::filesystem::path& other, const py::object& progress) {
            const ProgressCallback callback = progress_of(progress);
            return unlocked([&] { return map.merge(other, callback); });
          },
          py::arg("other"), py::kw_only(), py::arg("progress") = py::none(),
          "Adds every frame of another map file made with the same vocabulary.")
      .def("compact", &Map::compact, py::call_guard<Unlocked>(),
           "Drops what erased frames left on disk and shrinks the file.");
}

void bind_reads(MapClass& type) {
  type.def("__len__", &Map::size, py::call_guard<Unlocked>())
      .def(
          "__contains__",
          [](const Map& map, const py::object& frame) {
            const auto id = frame_id(frame);
            return id && unlocked([&] { return map.index()->contains(*id); });
          },
          py::arg("frame"))
      .def_property_readonly(
          "next_id", [](const Map& map) { return unlocked([&] { return map.next_id().value; }); },
          "The id the next frame will get.")
      .def(
          "info",
          [](const Map& map, std::uint32_t frame) {
            return unlocked([&] { return map.info(FrameId{frame}); });
          },
          py::arg("frame"), "What is known of a frame; None if it is not stored (any more).")
      .def(
          "histogram",
          [](const Map& map, std::uint32_t frame) {
            return unlocked([&] { return map.index()->histogram(FrameId{frame}); });
          },
          py::arg("frame"), "Its histogram; None if it is not stored (any more).")
      .def(
          "features",
          [](const Map& map, std::uint32_t frame) -> SharedFeatures {
            auto features = unlocked([&] { return map.features(FrameId{frame}); });
            if (!features) return nullptr;
            return std::make_shared<Features>(std::move(*features));
          },
          py::arg("frame"), "Empty if the frame came without; None if it is not stored (any more).")
      .def(
          "thumbnail",
          [](const Map& map, std::uint32_t frame) -> py::object {
            const auto jpeg = unlocked([&] { return map.thumbnail(FrameId{frame}); });
            if (!jpeg) return py::none();
            return py::bytes(reinterpret_cast<const char*>(jpeg->data()), jpeg->size());
          },
          py::arg("frame"),
          "The small JPEG that came with it, or b''; None if it is not stored (any more).")
      .def("closures", &Map::closures, py::call_guard<Unlocked>())
      .def("sessions", &Map::sessions, py::call_guard<Unlocked>())
      .def(
          "memory", [](const Map& map) { return unlocked([&] { return map.index()->memory(); }); },
          "What its index holds, in bytes.")
      .def_property_readonly("vocabulary", &Map::vocabulary,
                             "Which vocabulary it was made with; load_vocabulary() gives it.")
      .def(
          "load_vocabulary",
          [](const Map& map) { return unlocked([&] { return load_vocabulary(map); }); },
          "The vocabulary: the embedded one, or the file it refers to.")
      .def_property_readonly("topology", &Map::topology)
      .def_property_readonly("path", &Map::path)
      .def("__repr__", [](const Map& map) {
        const std::size_t frames = unlocked([&] { return map.size(); });
        return "Map('" + map.path().string() + "', " + std::to_string(frames) + " frames, " +
               map.topology().name() + ")";
      });
  def_query<Histogram>(type, "query", "histogram", 1, kQueryDoc,
                       [](const Map& map, const Histogram& histogram, const QueryOptions& options) {
                         return map.query(histogram, options);
                       });
  def_query<Histograms>(
      type, "query_batch", "histograms", 0, kBatchDoc,
      [](const Map& map, const Histograms& histograms, const QueryOptions& options) {
        return map.index()->query(std::span<const Histogram>(histograms), options);
      });
}

void bind_functions(py::module_& m) {
  m.def("summarize_map", &summarize_map, py::arg("path"), py::call_guard<Unlocked>(),
        "What a map file holds. Cost: a scan of the frames, not of their words.");
  m.def(
      "measure_storage", &measure_storage, py::arg("path"), py::call_guard<Unlocked>(),
      "Where the bytes of a map file are, by part. Cost: a scan of all rows, not of their bytes.");
  m.def(
      "verify_map",
      [](const std::filesystem::path& path, const py::object& progress) {
        const ProgressCallback callback = progress_of(progress);
        return unlocked([&] { return verify_map(path, callback); });
      },
      py::arg("path"), py::kw_only(), py::arg("progress") = py::none(),
      "Reads every byte of a map that means something and checks it. Damage is reported, not "
      "raised.");
  m.def(
      "export_csv",
      [](const Map& map, const std::filesystem::path& folder, const py::object& progress) {
        const ProgressCallback callback = progress_of(progress);
        unlocked([&] { export_csv(map, folder, callback); });
      },
      py::arg("map"), py::arg("folder"), py::kw_only(), py::arg("progress") = py::none(),
      "Writes a map as sessions.csv, frames.csv, words.csv and closures.csv.");
  m.def(
      "read_dbow_database",
      [](const std::filesystem::path& path, const py::object& progress) {
        const ProgressCallback callback = progress_of(progress);
        return unlocked([&] { return read_dbow_database(path, callback); });
      },
      py::arg("path"), py::kw_only(), py::arg("progress") = py::none(),
      "Reads a file that DBoW2's or DBoW3's Database::save() wrote, plain or gzip-compressed.");
  m.def(
      "insert_dbow_database",
      [](Map& map, const DbowDatabase& database, std::uint32_t session) {
        const FrameInfo info = frame_info(session, {}, py::none(), "");
        return unlocked([&] { return insert_dbow_database(map, database, info).value; });
      },
      py::arg("map"), py::arg("database"), py::kw_only(), py::arg("session") = 0,
      "Adds the images to a map, in one commit; image i becomes frame (what is returned) + i.");
}

}  // namespace

void bind_map(py::module_& m) {
  MapClass type(m, "Map",
                R"(A map on disk: a PooledIndex whose every change is written to a database.

One file, which any SQLite tool can read. It opens again to exactly the index it was, with the same
answers to the bit. Made by create(), open() or open_or_create(); a context manager. Every method
may be called from any thread.)");
  bind_opening(type);
  bind_changes(type);
  bind_reads(type);
  bind_functions(m);
}

}  // namespace looptree::python

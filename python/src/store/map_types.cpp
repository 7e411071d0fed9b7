// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/store/map_types.hpp"

#include <array>

#include "looptree/store/dbow_database.hpp"
#include "looptree/store/map.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "python/src/arrays.hpp"
#include "python/src/features.hpp"

namespace looptree::python {
namespace {

void bind_frames(py::module_& m) {
  py::class_<FrameInfo>(m, "FrameInfo", "What a map knows of a frame beside its words.")
      .def_property_readonly("session", [](const FrameInfo& i) { return i.session.value; })
      .def_readonly("time_s", &FrameInfo::time_s, "Seconds of any clock, or None.")
      .def_property_readonly(
          "pose",
          [](const FrameInfo& i) -> py::object {
            return i.pose ? py::object(array_from(*i.pose)) : py::none();
          },
          "world_from_camera, 4x4, or None.")
      .def_readonly("name", &FrameInfo::name)
      .def_readonly("number", &FrameInfo::number, "What its owner counts, or None.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"session", "time_s", "name"});
      });

  py::class_<NewFrame>(m, "NewFrame", "A frame to insert with others, in one commit.")
      .def(py::init([](const Histogram& histogram, std::uint32_t session,
                       std::optional<double> time_s, const py::object& pose,
                       const std::string& name, const Features* features,
                       std::optional<std::uint64_t> number, const py::bytes& thumbnail) {
             NewFrame frame{histogram, frame_info(session, time_s, pose, name, thumbnail),
                            features != nullptr ? *features : Features{}};
             frame.info.number = number;
             return frame;
           }),
           py::arg("histogram"), py::kw_only(), py::arg("session") = 0,
           py::arg("time_s") = py::none(), py::arg("pose") = py::none(), py::arg("name") = "",
           py::arg("features") = py::none(), py::arg("number") = py::none(),
           py::arg("thumbnail") = py::bytes())
      .def_readonly("histogram", &NewFrame::histogram)
      .def_readonly("info", &NewFrame::info)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"histogram", "info"});
      });
}

void bind_closures(py::module_& m) {
  py::class_<MapClosure>(m, "MapClosure", "A loop: `query` sees the place that `match` saw before.")
      .def_property_readonly("query", [](const MapClosure& c) { return c.query.value; })
      .def_property_readonly("match", [](const MapClosure& c) { return c.match.value; })
      .def_readonly("score", &MapClosure::score)
      .def_readonly("inliers", &MapClosure::inliers, "0 if it was not verified.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"query", "match", "score", "inliers"});
      });
  py::class_<MapSession>(m, "MapSession", "A session of a map.")
      .def_property_readonly("id", [](const MapSession& s) { return s.id.value; })
      .def_readonly("name", &MapSession::name)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"id", "name"});
      });
  py::class_<MergeResult>(m, "MergeResult", "What a merge added.")
      .def_property_readonly(
          "first", [](const MergeResult& r) { return r.first.value; },
          "Id of the first frame added; the others follow in order.")
      .def_readonly("frames", &MergeResult::frames, "Frames added.")
      .def_readonly("closures", &MergeResult::closures)
      .def_property_readonly(
          "sessions",
          [](const MergeResult& r) {
            py::dict names;
            for (const auto& [theirs, ours] : r.sessions) {
              names[py::int_(theirs.value)] = py::int_(ours.value);
            }
            return names;
          },
          "The sessions of the other map, and what they are called here.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"first", "frames", "closures", "sessions"});
      });
}

void bind_files(py::module_& m) {
  py::class_<MapVocabulary>(m, "MapVocabulary", R"(The vocabulary a map was made with.

To create a map for words of a vocabulary that looptree has no file of, give their number and a hash
that tells this vocabulary from others; word_weights, one per word, halve what the index holds.)")
      .def(py::init([](std::uint32_t words, std::uint64_t hash, const std::string& path,
                       const py::object& word_weights) {
             MapVocabulary vocabulary{hash, words, path};
             if (!word_weights.is_none()) {
               const auto weights = array_of<double>(word_weights, "word_weights as floats");
               vocabulary.word_weights.assign(weights.data(), weights.data() + weights.size());
             }
             return vocabulary;
           }),
           py::arg("words"), py::arg("hash") = 0, py::arg("path") = "",
           py::arg("word_weights") = py::none())
      .def_readonly("words", &MapVocabulary::words)
      .def_readonly("hash", &MapVocabulary::hash)
      .def_readonly("path", &MapVocabulary::path, "Where its file lies, if the map refers to one.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"words", "hash", "path"});
      });
  py::class_<MapSummary>(m, "MapSummary",
                         "What a map file holds, told without rebuilding its index.")
      .def_readonly("schema_version", &MapSummary::schema_version)
      .def_readonly("vocabulary", &MapSummary::vocabulary)
      .def_readonly("embedded_bytes", &MapSummary::embedded_bytes)
      .def_readonly("topology", &MapSummary::topology)
      .def_readonly("frames", &MapSummary::frames, "Stored now.")
      .def_readonly("erased", &MapSummary::erased, "Erased, and not yet compacted away.")
      .def_readonly("next_id", &MapSummary::next_id)
      .def_readonly("closures", &MapSummary::closures)
      .def_readonly("with_pose", &MapSummary::with_pose)
      .def_readonly("with_features", &MapSummary::with_features)
      .def_readonly("with_thumbnail", &MapSummary::with_thumbnail)
      .def_readonly("sessions", &MapSummary::sessions, "(session, stored frames) pairs.")
      .def_readonly("file_bytes", &MapSummary::file_bytes)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"frames", "erased", "topology", "vocabulary", "closures"});
      });
  py::class_<MapStorage>(m, "MapStorage", "Bytes of what a map holds, by part.")
      .def_readonly("vocabulary", &MapStorage::vocabulary,
                    "The embedded file and the words' weights.")
      .def_readonly("words", &MapStorage::words)
      .def_readonly("features", &MapStorage::features)
      .def_readonly("thumbnails", &MapStorage::thumbnails)
      .def_readonly("other", &MapStorage::other,
                    "Poses, names, closures, SQLite's own, and what erasing left behind.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"vocabulary", "words", "features", "thumbnails", "other"});
      });
  py::class_<VerifyResult>(m, "VerifyResult", "What verify_map() found.")
      .def_readonly("frames", &VerifyResult::frames)
      .def_readonly("problems", &VerifyResult::problems, "One sentence each; empty if sound.")
      .def_property_readonly("sound", &VerifyResult::sound)
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"frames", "problems"});
      });
  py::class_<DbowDatabase>(m, "DbowDatabase", "The images of a database that DBoW2 or DBoW3 saved.")
      .def_readonly("words", &DbowDatabase::words, "Of the vocabulary.")
      .def_readonly("images", &DbowDatabase::images, "Their histograms, by image id.")
      .def("__repr__", [](const DbowDatabase& d) {
        return "DbowDatabase(" + std::to_string(d.images.size()) + " images, " +
               std::to_string(d.words) + " words)";
      });
}

}  // namespace

FrameInfo frame_info(std::uint32_t session, std::optional<double> time_s, const py::object& pose,
                     const std::string& name, const py::bytes& thumbnail) {
  FrameInfo info{.session = SessionId{session}, .time_s = time_s, .pose = {}, .name = name};
  info.thumbnail = bytes_of(thumbnail);
  if (!pose.is_none()) info.pose = pose_of(pose);
  return info;
}

MapVocabulary map_vocabulary(const py::object& vocabulary, const py::object& path) {
  if (py::isinstance<MapVocabulary>(vocabulary)) return vocabulary.cast<MapVocabulary>();
  const auto& given = cast_to<const Vocabulary&>(vocabulary, "a Vocabulary or a MapVocabulary");
  if (path.is_none()) return unlocked([&] { return embedded_vocabulary(given); });
  return referenced_vocabulary(given, cast_to<std::filesystem::path>(path, "a path"));
}

Eviction eviction_of(std::string_view name) {
  static constexpr std::array known{Named<Eviction>{Eviction::age, "age"},
                                    Named<Eviction>{Eviction::redundancy, "redundancy"}};
  return parse_name<Eviction>("eviction", known, name);
}

void bind_map_types(py::module_& m) {
  bind_frames(m);
  bind_closures(m);
  bind_files(m);
}

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/map.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/store/dbow_database.hpp"
#include "looptree/store/export_csv.hpp"
#include "looptree/store/map_vocabulary.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/command.hpp"
#include "cli/progress_bar.hpp"
#ifdef LOOPTREE_WITH_VISION
#include "looptree/dataset/open.hpp"

#include "cli/map/import_images.hpp"
#include "cli/vocabulary/choose_vocabulary.hpp"
#endif

namespace looptree::cli {
namespace {

/// What the commands below are told; each uses its part.
struct Arguments {
  std::string map;
  std::vector<std::string> others;
  std::string folder;
  std::string topology = "d1";
  std::string vocabulary;                      ///< of a new map
  std::string vocabulary_format = "looptree";  ///< of the one exported
  StoredFeatures stored_features;
  std::vector<std::uint32_t> frames;
  std::vector<std::uint32_t> sessions;
};

Map open(const std::string& path, MapAccess access, const StoredFeatures& stored = {}) {
  ProgressBar bar("opening " + path);
  MapOpenOptions options;
  options.stored_features = stored;
  options.access = access;
  options.progress = bar.callback();
  return Map::open(path, options);
}

void info(const Arguments& arguments) {
  const MapSummary summary = summarize_map(arguments.map);
  fmt::print("map         {} (schema version {})\n", arguments.map, summary.schema_version);
  fmt::print("frames      {}\n", summary.frames);
  fmt::print("next id     {}\n", summary.next_id);
  fmt::print("erased      {} not yet compacted\n", summary.erased);
  fmt::print("closures    {}\n", summary.closures);
  fmt::print("with pose   {}\n", summary.with_pose);
  fmt::print("with features {}\n", summary.with_features);
  fmt::print("with picture  {}\n", summary.with_thumbnail);
  fmt::print("topology    {}\n", summary.topology);
  fmt::print("vocabulary  {:016x}, {} words, {}\n", summary.vocabulary.hash,
             summary.vocabulary.words,
             summary.embedded_bytes > 0 ? fmt::format("{} bytes embedded", summary.embedded_bytes)
             : summary.vocabulary.path.empty() ? std::string("not embedded")
                                               : "at " + summary.vocabulary.path);
  fmt::print("bytes       {}", summary.file_bytes);
  if (summary.frames > 0) fmt::print(", {} per frame", summary.file_bytes / summary.frames);
  fmt::print("\n");
  const MapStorage storage = measure_storage(arguments.map);
  fmt::print("of them     {} vocabulary, {} words, {} features, {} thumbnails, {} other\n",
             storage.vocabulary, storage.words, storage.features, storage.thumbnails,
             storage.other);
  for (const auto& [session, frames] : summary.sessions) {
    fmt::print("session {:3} {} frames{}{}\n", session.id.value, frames,
               session.name.empty() ? "" : "  ", session.name);
  }
}

void verify(const Arguments& arguments) {
  std::size_t unsound = 0;
  for (const std::string& path : arguments.others) {
    ProgressBar bar("verifying " + path);
    const VerifyResult result = verify_map(path, bar.callback());
    if (result.sound()) {
      fmt::print("{}: sound, {} frames\n", path, result.frames);
      continue;
    }
    ++unsound;
    for (const std::string& problem : result.problems) fmt::print("{}\n", problem);
  }
  if (unsound > 0) {
    throw Error(ErrorKind::corruption, fmt::format("expected sound maps, found {} of {} damaged",
                                                   unsound, arguments.others.size()));
  }
}

void merge(const Arguments& arguments) {
  Map map = open(arguments.map, MapAccess::write);
  for (const std::string& other : arguments.others) {
    ProgressBar bar("merging " + other);
    const MergeResult result = map.merge(other, bar.callback());
    fmt::print("{}: {} frames from id {} on, {} sessions, {} closures\n", other, result.frames,
               result.first.value, result.sessions.size(), result.closures);
  }
  map.close();
}

void compact(const Arguments& arguments) {
  const std::size_t before = summarize_map(arguments.map).file_bytes;
  Map map = open(arguments.map, MapAccess::write);
  map.compact();
  map.close();
  fmt::print("{} -> {} bytes\n", before, summarize_map(arguments.map).file_bytes);
}

void export_map(const Arguments& arguments) {
  const auto format = vocabulary_format(arguments.vocabulary_format);
  if (!format) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected a format of vocabularies (looptree, dbow2-yaml, dbow3-yaml, "
                            "dbow3-binary, orbslam-text, openvslam-binary), found \"{}\"",
                            arguments.vocabulary_format));
  }
  const Map map = open(arguments.map, MapAccess::read);
  ProgressBar bar("exporting");
  export_csv(map, arguments.folder, bar.callback());
  fmt::print("{} frames to {}\n", map.size(), arguments.folder);
  if (!map.embedded_vocabulary() && map.vocabulary().path.empty()) {
    fmt::print("the map has no vocabulary with it, so none was exported\n");
    return;
  }
  const auto file =
      std::filesystem::path(arguments.folder) / ("vocabulary." + arguments.vocabulary_format);
  load_vocabulary(map).save(file, *format);
  fmt::print("its vocabulary to {}\n", file.string());
}

void erase(const Arguments& arguments) {
  Map map = open(arguments.map, MapAccess::write);
  std::vector<FrameId> frames;
  for (const std::uint32_t frame : arguments.frames) frames.emplace_back(frame);
  std::size_t erased = map.erase(frames);
  for (const std::uint32_t session : arguments.sessions) {
    erased += map.erase_session(SessionId{session});
  }
  map.close();
  fmt::print("{} frames erased\n", erased);
  if (erased == 0) {
    throw Error(ErrorKind::not_found,
                arguments.map +
                    ": expected frames to erase, found none of these ids and sessions; "
                    "\"looptree map info\" lists the sessions");
  }
}

#ifdef LOOPTREE_WITH_VISION
/// A folder of images, or anything else that detect takes.
void import_sequence(const Arguments& arguments, const std::string& path) {
  const auto sequence = open_sequence(path);
  std::optional<Map> map;
  if (std::filesystem::exists(arguments.map)) {
    map = open(arguments.map, MapAccess::write, arguments.stored_features);
  } else {
    ExtractorChoice features;
    const auto vocabulary = choose_vocabulary(arguments.vocabulary, features);
    if (!vocabulary) {
      throw Error(ErrorKind::invalid_argument,
                  "expected the file of a vocabulary or \"box\" for a new map, found \"" +
                      arguments.vocabulary + "\"");
    }
    map = Map::create(arguments.map,
                      {embedded_vocabulary(*vocabulary), Topology::parse(arguments.topology)},
                      {.stored_features = arguments.stored_features});
  }
  const FrameId first = map->next_id();
  const ImportedImages imported = import_images(*map, load_vocabulary(*map), *sequence, path);
  map->close();
  if (!imported.session) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected images with features in {}, found none in {} images", path,
                            sequence->size()));
  }
  fmt::print("{}: {} frames from id {} on, session {}\n", path, imported.frames, first.value,
             imported.session->value);
}
#endif

void import(const Arguments& arguments) {
  for (const std::string& path : arguments.others) {
#ifdef LOOPTREE_WITH_VISION
    if (path == "demo" || std::filesystem::is_directory(path)) {
      import_sequence(arguments, path);
      continue;
    }
#endif
    ProgressBar bar("reading " + path);
    const DbowDatabase database = read_dbow_database(path, bar.callback());
    MapOptions options;
    options.vocabulary = embedded_vocabulary(Vocabulary::load(path));
    options.topology = Topology::parse(arguments.topology);
    Map map = Map::open_or_create(arguments.map, options);
    const SessionId session = map.start_session(path);
    const FrameId first = insert_dbow_database(map, database, {.session = session});
    map.close();
    fmt::print("{}: {} frames from id {} on, session {}\n", path, database.images.size(),
               first.value, session.value);
  }
}

}  // namespace

void add_map(CLI::App& app) {
  CLI::App* map = app.add_subcommand("map", "Look at a map on disk, and look after it");
  map->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  const auto add = [&](const char* name, const char* what, void (*run)(const Arguments&)) {
    CLI::App* command = map->add_subcommand(name, what);
    command->callback([arguments, run] { run(*arguments); });
    return command;
  };
  const auto add_on_map = [&](const char* name, const char* what, void (*run)(const Arguments&)) {
    CLI::App* command = add(name, what, run);
    command->add_option("MAP", arguments->map, "The map's file")->required();
    return command;
  };
  add_on_map("info", "Say what a map holds", info);
  add("verify", "Check every byte of maps; exit 1 if one is damaged", verify)
      ->add_option("MAP", arguments->others, "Files of maps")
      ->required();
  add_on_map("merge", "Add the frames of other maps made with the same vocabulary", merge)
      ->add_option("OTHER", arguments->others, "Files of maps to add; they stay as they are")
      ->required();
  add_on_map("compact", "Drop what erased frames left behind, and shrink the file", compact);
  CLI::App* exporting =
      add_on_map("export", "Write sessions, frames, words and closures as CSV, and the vocabulary",
                 export_map);
  exporting->add_option("FOLDER", arguments->folder, "Where to; made if need be")->required();
  exporting
      ->add_option("--vocabulary-format", arguments->vocabulary_format,
                   "looptree, dbow2-yaml, dbow3-yaml, dbow3-binary, orbslam-text, ...")
      ->capture_default_str();
  CLI::App* erasing = add_on_map("erase", "Erase frames, or whole sessions", erase);
  erasing->add_option("--frame", arguments->frames, "Ids of frames");
  erasing->add_option("--session", arguments->sessions, "Ids of sessions");
  CLI::App* importing =
      add_on_map("import", "Add databases that DBoW2 or DBoW3 saved, or images", import);
  importing
      ->add_option("SOURCE", arguments->others,
                   "Files .yml or .yml.gz; folders of images, KITTI's with times and poses")
      ->required();
  importing->add_option(
      "--vocabulary", arguments->vocabulary,
      "Of a new map of images, by default the one in the box; a database brings its own");
  importing
      ->add_option("--stored-features", arguments->stored_features.max_per_frame,
                   "Features of an image that are kept")
      ->capture_default_str();
  importing->add_option("--topology", arguments->topology, "Of a new map: d1, d2b16-mean, ...")
      ->capture_default_str();
}

}  // namespace looptree::cli

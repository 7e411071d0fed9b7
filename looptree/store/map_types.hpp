// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/common/information.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/common/progress.hpp"
#include "looptree/features/features.hpp"
#include "looptree/features/stored_features.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/topology.hpp"

namespace looptree {

/// The vocabulary a map was made with. Words mean nothing without it, so a map always knows which
/// one it was, and may carry the whole file.
struct MapVocabulary {
  std::uint64_t hash = 0;   ///< its content hash: equal hashes, equal words
  std::uint32_t words = 0;  ///< words lie below this; at least 1
  std::string path = {};    ///< where its file lies, if the map only refers to it
  /// Its file, in whatever format, to embed it; empty to leave it out. Up to 1 GB.
  std::vector<std::uint8_t> file = {};
  /// IndexOptions::word_weights: answers do not depend on them, but an index that is told needs a
  /// half of the memory and answers faster, and a map writes words in a fifth of the bytes. Empty,
  /// or one per word.
  std::vector<double> word_weights = {};
};

/// What a new map is made of. It cannot be changed later.
struct MapOptions {
  MapVocabulary vocabulary;
  Topology topology = {};
};

/// When a change is on disk. A change is acknowledged once it is: from then on it survives the end
/// of the process, of the power and of the space on the disk. Changes that are not yet acknowledged
/// are found by queries of this process but not by readers, and are lost in a crash.
struct Durability {
  /// Commit as soon as this many changes wait. At least 1; with 1, what a call changes is
  /// acknowledged when it returns.
  std::size_t changes = 1;
  /// Also commit what waits once the oldest has waited so long; 0: no such limit.
  std::chrono::milliseconds interval{0};

  static Durability every_frame() { return {}; }
  static Durability every(std::size_t changes) { return {changes, {}}; }
  static Durability every(std::chrono::milliseconds interval) {
    return {std::numeric_limits<std::size_t>::max(), interval};
  }
};

/// How a bounded map makes room.
enum class Eviction {
  age,         ///< the oldest frame goes
  redundancy,  ///< the frame goes that scores highest against the frame stored before it
};

/// Keeps a map that never stops growing at a size. A full map erases one frame for each that is
/// inserted, and compacts itself when as many are erased as are kept.
struct MapBound {
  std::size_t max_frames = std::numeric_limits<std::size_t>::max();  ///< at least 1
  Eviction eviction = Eviction::age;
};

enum class MapAccess {
  write,  ///< one process at a time
  read,   ///< any number, also while one writes
};

struct MapOpenOptions {
  MapAccess access = MapAccess::write;
  Durability durability = {};
  MapBound bound = {};
  /// Threads to rebuild the index with; 0: all of the machine.
  std::size_t threads = 0;
  /// Hears of the rebuild, in frames.
  ProgressCallback progress = {};
  /// A snapshot of the index is kept beside the map, in a file -snapshot, and used if it matches:
  /// the map then opens without a rebuild. A writer makes a new one, in the background, once so
  /// many changes came since the last, or half as many as there are frames if that is more; and
  /// when it closes, after a tenth of so many, or a fiftieth of the frames if that is more. 0:
  /// neither made nor used.
  std::size_t snapshot_every = 10000;
  /// What insert() keeps of the features it is given.
  StoredFeatures stored_features = {};
};

/// What is known of a frame beside its words.
struct FrameInfo {
  SessionId session{0};
  std::optional<double> time_s = {};  ///< of the image, in seconds of any clock
  std::optional<Pose> pose = {};      ///< world_from_camera
  std::string name = {};              ///< a file name, say
  /// What its owner calls it: a keyframe's id, the number of the image in its sequence. Frame ids
  /// count what was inserted; this counts whatever the owner counts.
  std::optional<std::uint64_t> number = {};
  /// A small picture of it, as JPEG, to show the frame when its image is gone; empty: none. Up to
  /// 1 GB. It is not looked into. Given on insertion; Map::info() leaves it out, Map::thumbnail()
  /// reads it.
  std::vector<std::uint8_t> thumbnail = {};
  friend bool operator==(const FrameInfo&, const FrameInfo&) = default;
};

/// A frame to insert. Features are optional; they are kept for geometric verification only.
struct NewFrame {
  Histogram histogram;
  FrameInfo info = {};
  Features features = {};
};

/// How the match's camera sees the query's.
struct ClosurePose {
  /// The translation is in the unit of the map's poses if `metric`; otherwise its length means
  /// nothing, only its direction does.
  Pose match_from_query{};
  bool metric = false;
  std::optional<Information> information = {};  ///< how sure it is; the query is the source
  friend bool operator==(const ClosurePose&, const ClosurePose&) = default;
};

/// A loop that was found: `query` sees the place that `match` saw before.
struct MapClosure {
  FrameId query;
  FrameId match;
  double score = 0;
  std::uint32_t inliers = 0;  ///< features that agree on the geometry; 0 if not verified
  std::optional<ClosurePose> pose = {};
  friend bool operator==(const MapClosure&, const MapClosure&) = default;
};

struct MapSession {
  SessionId id;
  std::string name;
  friend bool operator==(const MapSession&, const MapSession&) = default;
};

/// What a merge added.
struct MergeResult {
  FrameId first;           ///< id of the first frame added; the others follow in order
  std::size_t frames = 0;  ///< frames added
  std::size_t closures = 0;
  /// The sessions of the other map, and what they are called here.
  std::vector<std::pair<SessionId, SessionId>> sessions;
};

}  // namespace looptree

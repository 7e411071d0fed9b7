// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "looptree/index/pooled_index.hpp"
#include "looptree/store/map_types.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// A map on disk: a PooledIndex whose every change is written to one SQLite database before it is
/// acknowledged, and that opens again to exactly that index, with the same answers to the bit.
///
/// docs/formats/map.md describes the file, which any SQLite tool can read. While a map is open two
/// files of SQLite's (-wal, -shm) and, for a writer, a lock (-lock) and a count of what was
/// acknowledged (-acked) lie beside it; they belong to it, and after a crash the -wal holds frames:
/// never copy or move the map without it. A snapshot of the index (-snapshot) stays beside it, to
/// open it faster (MapOpenOptions::snapshot_every); it may be removed at any time.
///
/// One process writes, any number read (MapAccess). Frame ids are as in PooledIndex: dense, in
/// order of insertion, vacant once erased, never used again.
///
/// Errors: Error(io) where the system refuses (full disk, permission), Error(corruption) where the
/// file is damaged, with its name and what was found. A change that throws did not happen, neither
/// in memory nor on disk; earlier changes that wait for their commit keep waiting, and the next
/// change, flush() or close() tries again. A reader that changes anything gets
/// Error(invalid_argument).
///
/// Threads: every method may be called from any thread. Queries run concurrently with everything;
/// changes take turns.
class LOOPTREE_STORE_EXPORT Map {
 public:
  /// A new map, opened for writing. Throws Error(invalid_argument) if `path` holds anything
  /// already or an option is out of range, Error(io) if it cannot be made.
  static Map create(const std::filesystem::path& path, const MapOptions& options,
                    const MapOpenOptions& open = {});

  /// An existing map. Throws Error(not_found) if there is none; Error(io) if another process
  /// writes it, and names that process; Error(unsupported) for the file of a newer version;
  /// Error(corruption) for a file that is not a map or is damaged, and for one whose -wal lost what
  /// was acknowledged. Cost: the time to read the snapshot of the index, if there is one that fits;
  /// otherwise the index is rebuilt from the words, on `threads` threads.
  static Map open(const std::filesystem::path& path, const MapOpenOptions& open = {});

  /// open() if there is a map, else create(). Throws Error(invalid_argument) if the map was made
  /// with another vocabulary or topology than `options` says.
  static Map open_or_create(const std::filesystem::path& path, const MapOptions& options,
                            const MapOpenOptions& open = {});

  /// Commits what waits, as close() does, but cannot tell of a failure.
  ~Map();
  Map(Map&&) noexcept;
  Map& operator=(Map&&) noexcept;

  /// Commits what waits and lets go of the file. If that fails it throws, and may be called again.
  /// Afterwards queries still answer; anything that needs the file throws Error(invalid_argument).
  void close();

  /// Adds a frame and returns its id. The contract for histograms is that of PooledIndex::insert;
  /// weights are kept as the index keeps them, to 2^-31. Of the features
  /// MapOpenOptions::stored_features says which are kept, and feature_blob.hpp to what precision.
  /// When it returns, the frame is as safe as Durability says.
  FrameId insert(const Histogram& histogram, const FrameInfo& info = {},
                 const Features& features = {});

  /// Adds frames in order, all or none, in one commit, and returns the id of the first.
  FrameId insert(std::span<const NewFrame> frames);

  /// Removes a frame from every later answer. False if there is no such frame (any more). Its space
  /// is given back by compact().
  bool erase(FrameId frame);
  /// Removes several, all or none, in one commit. Returns how many there were.
  std::size_t erase(std::span<const FrameId> frames);
  /// Removes all frames of a session; returns how many.
  std::size_t erase_session(SessionId session);

  /// A session id not used yet, with a name for it. (Ids chosen by the caller need no such call.)
  SessionId start_session(const std::string& name);

  /// Notes a loop. Both frames must have ids of this map, erased or not; score in [0, 1]; what is
  /// in its pose is finite, the rotation one (to 1e-6), the information symmetric.
  void add_closure(const MapClosure& closure);

  /// Commits everything that waits: all earlier changes are acknowledged when it returns.
  void flush();

  /// Readers: takes in what was committed since, and returns whether there was anything. Commits of
  /// the writer are visible from the moment they are acknowledged. Cost: what is new; where there
  /// is nothing, a few microseconds. Writers: false.
  bool refresh();

  /// Adds every frame of another map made with the same vocabulary, with new ids and its sessions
  /// under new numbers; closures between frames that came along come too. All or none. Throws
  /// Error(invalid_argument) for another vocabulary.
  MergeResult merge(const std::filesystem::path& other, const ProgressCallback& progress = {});

  /// Drops what erased frames left on disk and shrinks the file. Ids stay as they are. With mean
  /// pooling answers may change, because pooled nodes forget erased frames; with any other
  /// topology they cannot.
  void compact();

  /// The matches of a histogram: PooledIndex::query on the state of this moment. To search some
  /// sessions only, see Filter::sessions.
  QueryResult query(const Histogram& histogram, const QueryOptions& options = {}) const;

  /// The index, for more queries. It follows the map until a compact() or a refresh() after one
  /// puts another in its place; the old one then stays as it was for as long as it is held.
  std::shared_ptr<const PooledIndex> index() const;

  std::size_t size() const;
  FrameId next_id() const;
  /// Nothing if the frame is not stored (any more). Without its thumbnail.
  std::optional<FrameInfo> info(FrameId frame) const;
  /// Empty features if the frame came without; nothing if it is not stored (any more).
  std::optional<Features> features(FrameId frame) const;
  /// Empty if the frame came without; nothing if it is not stored (any more).
  std::optional<std::vector<std::uint8_t>> thumbnail(FrameId frame) const;
  std::vector<MapClosure> closures() const;
  std::vector<MapSession> sessions() const;

  /// Without the embedded file, which embedded_vocabulary() reads; nothing if there is none.
  const MapVocabulary& vocabulary() const;
  std::optional<std::vector<std::uint8_t>> embedded_vocabulary() const;
  const Topology& topology() const;
  const std::filesystem::path& path() const;

 private:
  struct Impl;
  explicit Map(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What a map file holds, told without rebuilding its index.
struct MapSummary {
  std::uint32_t schema_version = 0;
  MapVocabulary vocabulary;  ///< without the embedded file
  std::size_t embedded_bytes = 0;
  std::string topology;
  std::size_t frames = 0;  ///< stored now
  std::size_t erased = 0;  ///< erased, and not yet compacted away
  std::uint32_t next_id = 0;
  std::size_t closures = 0;
  std::size_t with_pose = 0;
  std::size_t with_features = 0;
  std::size_t with_thumbnail = 0;
  /// Stored frames of each session.
  std::vector<std::pair<MapSession, std::size_t>> sessions;
  std::size_t file_bytes = 0;  ///< database and write-ahead log
};

/// Throws as Map::open() does for a file that is not a map. Cost: a scan of the frames, not of
/// their words.
LOOPTREE_STORE_EXPORT MapSummary summarize_map(const std::filesystem::path& path);

/// Bytes of what a map holds, by part.
struct MapStorage {
  std::size_t vocabulary = 0;  ///< the embedded file and the words' weights
  std::size_t words = 0;
  std::size_t features = 0;
  std::size_t thumbnails = 0;
  std::size_t other = 0;  ///< poses, names, closures, SQLite's own, and what erasing left behind
};

/// Where the bytes of a map are: the parts add up to MapSummary::file_bytes. Throws as
/// summarize_map() does. Cost: a scan of all rows, not of their bytes.
LOOPTREE_STORE_EXPORT MapStorage measure_storage(const std::filesystem::path& path);

struct VerifyResult {
  std::size_t frames = 0;
  /// One sentence per thing that is wrong; empty for a sound map. At most 100.
  std::vector<std::string> problems;
  bool sound() const { return problems.empty(); }
};

/// Reads every byte of a map that means something and checks it: SQLite's own structures, every
/// checksum, every rule of docs/formats/map.md, and that the index can be rebuilt. Damage is
/// reported, not thrown; throws Error(not_found) if there is no file.
LOOPTREE_STORE_EXPORT VerifyResult verify_map(const std::filesystem::path& path,
                                              const ProgressCallback& progress = {});

}  // namespace looptree

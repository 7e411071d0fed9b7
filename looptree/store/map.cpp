// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/map.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/features/stored_features.hpp"
#include "looptree/store/detail/map_impl.hpp"
#include "looptree/store/feature_blob.hpp"
#include "looptree/store/word_blob.hpp"

namespace looptree {
namespace {

using namespace detail;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(const MapOpenOptions& options) {
  if (options.durability.changes == 0) {
    refuse("expected Durability::changes of at least 1, found 0 (1 commits every change)");
  }
  if (options.durability.interval.count() < 0) {
    refuse("expected a Durability::interval of 0 or more, found a negative one");
  }
  if (options.bound.max_frames == 0) {
    refuse("expected MapBound::max_frames of at least 1, found 0");
  }
}

void check_finite(double value, const char* what) {
  if (!std::isfinite(value))
    refuse(std::string("expected a finite ") + what + ", found NaN or infinity");
}

void check(const FrameInfo& info) {
  if (info.time_s) check_finite(*info.time_s, "time");
  if (!info.pose) return;
  for (const double value : info.pose->translation) check_finite(value, "pose");
  for (const double value : info.pose->rotation) check_finite(value, "pose");
}

void check_room(const Topology& topology, std::uint64_t frames) {
  if (topology.is_grouped() && frames > topology.groups()[0].size()) {
    refuse("expected at most the " + std::to_string(topology.groups()[0].size()) +
           " frames that the given groups place, found one more");
  }
  if (frames >= std::numeric_limits<std::uint32_t>::max()) {
    refuse("expected fewer than 2^32 - 1 frames, found one more");
  }
}

void check(const ClosurePose& pose) {
  const Pose& relative = pose.match_from_query;
  for (const double value : relative.translation) check_finite(value, "pose of a closure");
  const auto& r = relative.rotation;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a; b < 3; ++b) {
      double dot = a == b ? -1 : 0;
      for (std::size_t i = 0; i < 3; ++i) dot += r[3 * a + i] * r[3 * b + i];
      if (std::abs(dot) <= 1e-6) continue;  // not so for NaN
      refuse(
          "expected a closure with a rotation, rows at right angles and of length 1, found a "
          "matrix that is " +
          std::to_string(dot) + " off");
    }
  }
  if (!pose.information) return;
  for (std::size_t i = 0; i < 36; ++i) {
    const double value = pose.information->values[i];
    check_finite(value, "information of a closure");
    if (value == pose.information->values[6 * (i % 6) + i / 6]) continue;
    refuse("expected a symmetric information of a closure, found one that is not");
  }
}

FrameRow to_row(const PooledIndex& index, const StoredFeatures& stored, FrameId id,
                const Histogram& histogram, const FrameInfo& info, const Features& features) {
  check(info);
  FrameRow row{id, info, FixedHistogram(histogram, index.options().vocabulary_size)};
  row.words = encode_words(row.histogram, id, index.options().word_weights);
  if (const Features kept = choose_features(features, stored); !kept.empty()) {
    row.features = encode_features(kept, id, stored.details);
    row.features_seal = seal_of(row.features);
  }
  row.thumbnail_hash = hash_thumbnail(info.thumbnail, id);
  row.hash = hash_frame(row);
  return row;
}

bool holds_map(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return false;
  Database database(path, OpenMode::read);
  return !is_blank(database);
}

void check_same(const std::filesystem::path& path, const MapVocabulary& vocabulary,
                const Topology& topology, const MapOptions& wanted) {
  if (vocabulary.hash != wanted.vocabulary.hash || vocabulary.words != wanted.vocabulary.words) {
    refuse(path.string() + ": expected a map made with the vocabulary given, of " +
           std::to_string(wanted.vocabulary.words) + " words, found one made with another, of " +
           std::to_string(vocabulary.words) + " words");
  }
  if (topology != wanted.topology) {
    refuse(path.string() + ": expected a map of topology " + wanted.topology.name() +
           ", found one of " + topology.name());
  }
}

}  // namespace

Map Map::create(const std::filesystem::path& path, const MapOptions& options,
                const MapOpenOptions& open) {
  check(open);
  if (open.access == MapAccess::read) refuse("expected to create a map for writing, found reading");
  if (options.vocabulary.words == 0) {
    refuse("expected a vocabulary of at least one word, found MapVocabulary::words 0");
  }
  if (const std::size_t weights = options.vocabulary.word_weights.size();
      weights != 0 && weights != options.vocabulary.words) {
    refuse("expected no word weights, or one for each of the " +
           std::to_string(options.vocabulary.words) + " words, found " + std::to_string(weights));
  }
  auto lock = std::make_unique<WriterLock>(path);
  auto database = std::make_unique<Database>(path, OpenMode::create);
  if (!is_blank(*database)) {
    refuse(path.string() + ": expected no file, found one; open it, or choose another name");
  }
  create_schema(*database, options);
  sync_folder_of(path);
  return Map(
      std::make_unique<Impl>(path, open, std::move(lock), std::move(database), std::nullopt));
}

Map Map::open(const std::filesystem::path& path, const MapOpenOptions& open) {
  check(open);
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::not_found, path.string() + ": expected a map, found no file");
  }
  const bool writing = open.access == MapAccess::write;
  auto lock = writing ? std::make_unique<WriterLock>(path) : nullptr;
  const std::optional<AtLeast> least = read_acknowledged(path);
  auto database = std::make_unique<Database>(path, writing ? OpenMode::write : OpenMode::read);
  if (is_blank(*database)) {
    database->damaged("expected a map, found an empty file, which a new one can be made in");
  }
  check_version(*database);
  if (writing) migrate(*database, migrations());
  check_schema(*database);
  return Map(std::make_unique<Impl>(path, open, std::move(lock), std::move(database), least));
}

Map Map::open_or_create(const std::filesystem::path& path, const MapOptions& options,
                        const MapOpenOptions& open) {
  if (!holds_map(path)) return create(path, options, open);
  Map map = Map::open(path, open);
  check_same(path, map.vocabulary(), map.topology(), options);
  return map;
}

Map::Map(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Map::~Map() = default;
Map::Map(Map&&) noexcept = default;
Map& Map::operator=(Map&&) noexcept = default;

void Map::close() {
  std::unique_ptr<Ticker> stopped;  // ends after the guard: its thread takes the mutex
  const std::lock_guard guard(impl_->mutex);
  impl_->close();
  stopped = std::move(impl_->ticker);
}

FrameId Map::insert(const Histogram& histogram, const FrameInfo& info, const Features& features) {
  const NewFrame frame{histogram, info, features};
  return insert(std::span(&frame, 1));
}

FrameId Map::insert(std::span<const NewFrame> frames) {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  if (frames.size() > impl_->options.bound.max_frames) {
    refuse("expected at most " + std::to_string(impl_->options.bound.max_frames) +
           " frames, all that the map may hold, found " + std::to_string(frames.size()));
  }
  const FrameId first{impl_->tip.next_frame};
  check_room(impl_->row.topology, std::uint64_t{first.value} + frames.size());
  std::vector<Row> rows;
  impl_->add_erasures(rows, impl_->evictor->victims(frames.size()));
  std::uint32_t id = first.value;
  for (const NewFrame& frame : frames) {
    impl_->add_session(rows, frame.info.session);
    rows.emplace_back(to_row(*impl_->index, impl_->options.stored_features, FrameId{id++},
                             frame.histogram, frame.info, frame.features));
  }
  impl_->change(rows);
  impl_->compact_if_due();
  return first;
}

bool Map::erase(FrameId frame) {
  return erase(std::span(&frame, 1)) == 1;
}

std::size_t Map::erase(std::span<const FrameId> frames) {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  const std::set<FrameId> distinct(frames.begin(), frames.end());
  std::vector<FrameId> stored;
  for (const FrameId frame : distinct) {
    if (impl_->index->contains(frame)) stored.push_back(frame);
  }
  std::vector<Row> rows;
  impl_->add_erasures(rows, stored);
  if (!rows.empty()) impl_->change(rows);
  return stored.size();
}

std::size_t Map::erase_session(SessionId session) {
  const std::shared_ptr<const PooledIndex> frames = index();
  std::vector<FrameId> doomed;
  for (std::uint32_t id = 0; id < frames->next_id().value; ++id) {
    if (frames->session(FrameId{id}) == session) doomed.emplace_back(id);
  }
  return erase(doomed);
}

SessionId Map::start_session(const std::string& name) {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  SessionId id{0};
  if (!impl_->sessions.empty()) {
    const std::uint32_t last = impl_->sessions.rbegin()->value;
    if (last == std::numeric_limits<std::uint32_t>::max()) {
      refuse("expected a session id to be left above the highest, found none");
    }
    id = SessionId{last + 1};
  }
  std::vector<Row> rows;
  rows.emplace_back(SessionRow{id, name});
  impl_->change(rows);
  return id;
}

void Map::add_closure(const MapClosure& closure) {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  for (const FrameId frame : {closure.query, closure.match}) {
    if (frame.value < impl_->tip.next_frame) continue;
    refuse("expected a closure between frames below " + std::to_string(impl_->tip.next_frame) +
           ", found frame " + std::to_string(frame.value));
  }
  if (!(closure.score >= 0 && closure.score <= 1)) {
    refuse("expected a closure with a score from 0 to 1, found " + std::to_string(closure.score));
  }
  if (closure.pose) check(*closure.pose);
  std::vector<Row> rows;
  rows.emplace_back(ClosureRow{impl_->tip.next_closure, closure});
  impl_->change(rows);
}

void Map::flush() {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  impl_->flush();
}

bool Map::refresh() {
  const std::lock_guard guard(impl_->mutex);
  impl_->check_open();
  if (impl_->is_writer()) return false;
  // Taken before the rows are: a commit in between is then seen again, not missed.
  const std::int64_t version = impl_->database->value("PRAGMA data_version");
  if (version == impl_->data_version) return false;
  const Digests before = impl_->committed.digests;
  impl_->catch_up({impl_->options.threads, impl_->options.progress});
  impl_->data_version = version;
  return impl_->committed.digests != before;
}

QueryResult Map::query(const Histogram& histogram, const QueryOptions& options) const {
  return index()->query(histogram, options);
}

std::shared_ptr<const PooledIndex> Map::index() const {
  return impl_->current_index();
}

std::size_t Map::size() const {
  return index()->size();
}

FrameId Map::next_id() const {
  return index()->next_id();
}

std::optional<FrameInfo> Map::info(FrameId frame) const {
  const std::lock_guard guard(impl_->mutex);
  const std::optional<FrameRow> row = impl_->stored_row(frame);
  if (!row) return std::nullopt;
  return row->info;
}

std::optional<Features> Map::features(FrameId frame) const {
  const std::lock_guard guard(impl_->mutex);
  const std::optional<FrameRow> row = impl_->stored_row(frame);
  if (!row) return std::nullopt;
  return read_features(*impl_->database, *row);
}

std::optional<std::vector<std::uint8_t>> Map::thumbnail(FrameId frame) const {
  const std::lock_guard guard(impl_->mutex);
  const std::optional<FrameRow> row = impl_->stored_row(frame);
  if (!row) return std::nullopt;
  return read_thumbnail(*impl_->database, *row);
}

std::vector<MapClosure> Map::closures() const {
  const std::lock_guard guard(impl_->mutex);
  impl_->check_open();
  impl_->flush();
  std::vector<MapClosure> result;
  for (const ClosureRow& row : read_closures(*impl_->database)) result.push_back(row.closure);
  return result;
}

std::vector<MapSession> Map::sessions() const {
  const std::lock_guard guard(impl_->mutex);
  impl_->check_open();
  impl_->flush();
  std::vector<MapSession> result;
  for (SessionRow& row : read_sessions(*impl_->database)) {
    result.push_back({row.id, std::move(row.name)});
  }
  return result;
}

const MapVocabulary& Map::vocabulary() const {
  return impl_->row.vocabulary;
}

std::optional<std::vector<std::uint8_t>> Map::embedded_vocabulary() const {
  const std::lock_guard guard(impl_->mutex);
  impl_->check_open();
  return read_vocabulary_file(*impl_->database, impl_->row);
}

const Topology& Map::topology() const {
  return impl_->row.topology;
}

const std::filesystem::path& Map::path() const {
  return impl_->path;
}

}  // namespace looptree

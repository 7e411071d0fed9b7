// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/snapshot.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "looptree/common/checksum.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/index/snapshot/file.hpp"
#include "looptree/index/snapshot/piece.hpp"
#include "looptree/index/tree/index_state.hpp"

namespace looptree {

using namespace detail;

namespace {

std::uint64_t hash_weights(const IndexOptions& options) {
  return checksum(std::as_bytes(std::span(options.word_weights)));
}

}  // namespace

/// What is noted while the state is fixed is small: how many frames there are, and the ids of the
/// newest segment. Frames only follow, so that everything else can be copied later, a little at a
/// time, as far as it is of those frames; for as long as nothing is erased or arranged anew.
struct IndexSnapshot::State {
  explicit State(std::shared_ptr<const PooledIndex> given) : index(std::move(given)) {
    const PooledIndex::Impl& now = *index->impl_;
    const std::shared_lock lock(now.mutex);
    sound = std::all_of(now.pooled.begin(), now.pooled.end(),
                        [](const PooledLayer& layer) { return layer.as_stored(); });
    if (!sound) return;
    erasures = now.erasures;
    next = now.sessions.next();
    const auto& all = now.frames.segments();
    segments = all.size();
    if (segments == 0) return;
    const Segment& last = *all.back();
    newest_slots = last.slots();
    last.save_head(newest_head, segments > 1 ? all[segments - 2]->layout().get() : nullptr);
    if (newest_slots % kBlockFrames != 0) {
      open_block = {newest_slots % kBlockFrames, last.block(last.blocks() - 1).scale};
    }
  }

  /// Copies something with the index held still; false once anything was erased.
  template <typename Copy>
  bool copy(Copy copying) const {
    const PooledIndex::Impl& now = *index->impl_;
    const std::shared_lock lock(now.mutex);
    if (now.erasures != erasures) return false;
    copying(now);
    return true;
  }

  /// Copies a part, and writes it with the index let go.
  template <typename Save>
  bool write_part(SnapshotFileWriter& file, Save save) {
    SnapshotPiece piece;
    if (!copy([&](const PooledIndex::Impl& now) { save(now.frames.segments(), piece); })) {
      return false;
    }
    last_start = file.append(piece.bytes());
    return true;
  }

  using Segments = std::vector<std::unique_ptr<Segment>>;

  bool write_block(SnapshotFileWriter& file, std::size_t i, std::size_t block, bool open) {
    BlockPart part = open_block;
    std::size_t lines = 0;
    const bool begun = write_part(file, [&](const Segments& all, SnapshotPiece& piece) {
      if (!open) part = {kBlockFrames, all[i]->block(block).scale};
      lines = all[i]->block(block).rows.bytes() / kLine;
      all[i]->save_block(piece, block, part);
    });
    if (!begun) return false;
    for (std::size_t first = 0; first < lines; first += kLinesAtOnce) {
      const std::size_t last = std::min(lines, first + kLinesAtOnce);
      const bool same = write_part(file, [&](const Segments& all, SnapshotPiece& piece) {
        all[i]->save_rows(piece, block, part, first, last);
      });
      if (!same) return false;
    }
    return true;
  }

  bool write_postings(SnapshotFileWriter& file, std::size_t i, std::uint32_t slots) {
    const std::uint32_t words = index->options().vocabulary_size;
    PostingLists lists(words);
    for (std::uint32_t first = 0; first < words; first += kWordsAtOnce) {
      const bool same = copy([&](const PooledIndex::Impl& now) {
        lists.copy_from(now.frames.segments()[i]->postings(), first,
                        std::min(words, first + kWordsAtOnce), slots);
      });
      if (!same) return false;
    }
    SnapshotPiece piece;
    lists.save(piece);
    file.append(piece.bytes());
    return true;
  }

  bool write_segment(SnapshotFileWriter& file, std::size_t i) {
    const bool newest = i + 1 == segments;
    std::uint32_t slots = newest_slots;
    if (newest) {
      last_start = file.append(newest_head.bytes());
    } else if (!write_part(file, [&](const Segments& all, SnapshotPiece& piece) {
                 slots = all[i]->slots();
                 all[i]->save_head(piece, i > 0 ? all[i - 1]->layout().get() : nullptr);
               })) {
      return false;
    }
    starts.push_back(last_start);
    for (std::uint32_t block = 0; block * kBlockFrames < slots; ++block) {
      const bool open = newest && (block + 1) * kBlockFrames > slots;
      if (!write_block(file, i, block, open)) return false;
    }
    return write_postings(file, i, slots);
  }

  /// For the directory at the end of the file.
  bool save_sessions(SnapshotPiece& piece) const {
    piece.put(next);
    for (std::size_t c = 0; c < Sessions::chunks(next); ++c) {
      const bool same = copy([&](const PooledIndex::Impl& now) {
        now.sessions.save_chunk(piece, c, next,
                                [&](std::uint32_t frame) { return now.frames.contains(frame); });
      });
      if (!same) return false;
    }
    return true;
  }

  // What is copied at a time takes a fraction of a millisecond.
  static constexpr std::size_t kLinesAtOnce = 16384;
  static constexpr std::uint32_t kWordsAtOnce = 32768;

  std::shared_ptr<const PooledIndex> index;
  bool sound = false;
  std::uint64_t erasures = 0;
  std::uint32_t next = 0;  // the id the next frame was to get
  std::size_t segments = 0;
  std::uint32_t newest_slots = 0;  // of the newest segment
  BlockPart open_block;            // of its last block, if that is not full
  SnapshotPiece newest_head;
  std::uint64_t last_start = 0;
  std::vector<std::uint64_t> starts;  // of the segments, in the file
};

IndexSnapshot::IndexSnapshot(std::shared_ptr<const PooledIndex> index)
    : state_(std::make_unique<State>(std::move(index))) {}
IndexSnapshot::~IndexSnapshot() = default;
IndexSnapshot::IndexSnapshot(IndexSnapshot&&) noexcept = default;
IndexSnapshot& IndexSnapshot::operator=(IndexSnapshot&&) noexcept = default;

bool IndexSnapshot::write(const std::filesystem::path& path, std::span<const std::byte> tag) {
  if (tag.size() > kMostTag) {
    throw Error(ErrorKind::invalid_argument, "expected the tag of a snapshot of at most " +
                                                 std::to_string(kMostTag) + " bytes, found " +
                                                 std::to_string(tag.size()));
  }
  State& state = *state_;
  if (!state.sound) return false;
  state.starts.clear();
  SnapshotFileWriter file(path);
  for (std::size_t i = 0; i < state.segments; ++i) {
    if (!state.write_segment(file, i)) return false;
  }
  SnapshotPiece sessions;
  if (!state.save_sessions(sessions)) return false;
  SnapshotPiece directory;
  directory.put(static_cast<std::uint64_t>(state.starts.size()));
  directory.put_array(std::span<const std::uint64_t>(state.starts));
  directory.align();
  directory.append(sessions.bytes().data(), sessions.bytes().size());
  const IndexOptions& options = state.index->options();
  file.finish({.vocabulary_size = options.vocabulary_size,
               .weights_hash = hash_weights(options),
               .directory = file.append(directory.bytes()),
               .tag = {tag.begin(), tag.end()}});
  return true;
}

std::vector<std::byte> snapshot_tag(const std::filesystem::path& path) {
  return read_snapshot_head(path).tag;
}

/// Reads the segments, and everything about them that one alone cannot know.
class detail::SnapshotRestore {
 public:
  SnapshotRestore(const SnapshotFile& file, PooledIndex::Impl& into) : file_(file), into_(into) {}

  void run(std::size_t threads) {
    SnapshotSource source = from(file_.head.directory, file_.body_end);
    const auto count = source.get<std::uint64_t>();
    const auto starts = source.get_array<std::uint64_t>(count);
    source.align();
    Sessions::Loaded loaded = Sessions::load(source);
    source.align();
    SnapshotSource::expect(source.at_end(), "nothing after the sessions");
    load_segments({starts.begin(), starts.end()}, threads);
    check_ids(loaded.stored);
    into_.sessions = std::move(loaded.sessions);
    into_.frames.restore(std::move(segments_));
    make_pooled(threads);
  }

 private:
  SnapshotSource from(std::uint64_t first, std::uint64_t end) const {
    SnapshotSource::expect(first >= kSnapshotPage && first <= end && end <= file_.body_end &&
                               first % kSnapshotAlignment == 0,
                           "parts one after another");
    return {file_.bytes().subspan(first, end - first), file_.file};
  }

  void load_segments(std::vector<std::uint64_t> starts, std::size_t threads) {
    starts.push_back(file_.head.directory);
    segments_.resize(starts.size() - 1);
    std::vector<SnapshotSource> sources;
    std::vector<std::shared_ptr<const RowLayout>> layouts;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      sources.push_back(from(starts[i], starts[i + 1]));
      layouts.push_back(Segment::load_layout(sources[i], i > 0 ? layouts[i - 1] : nullptr,
                                             into_.options.vocabulary_size));
    }
    parallel_for(segments_.size(), threads, [&](std::size_t i) {
      segments_[i] = Segment::load(sources[i], layouts[i], into_.idf);
    });
  }

  /// Ids ascend from segment to segment, and the frames stored are those that are to be.
  void check_ids(const std::vector<bool>& stored) const {
    std::uint64_t next = 0;
    std::size_t live = 0;
    for (const auto& segment : segments_) {
      SnapshotSource::expect(segment->id(0) >= next, "segments by ascending ids");
      next = std::uint64_t{segment->id(segment->slots() - 1)} + 1;
      SnapshotSource::expect(next <= stored.size(), "frames below the next id");
      SnapshotSource::expect(segment->live() > 0, "segments with frames");
      live += segment->live();
      for (std::uint32_t slot = 0; slot < segment->slots(); ++slot) {
        if (!segment->alive(slot)) continue;
        SnapshotSource::expect(stored[segment->id(slot)], "frames that have a session");
      }
    }
    const auto wanted = std::count(stored.begin(), stored.end(), true);
    SnapshotSource::expect(live == static_cast<std::size_t>(wanted), "every frame of a session");
  }

  /// Layers do not know of each other, so each is made on a thread of its own.
  void make_pooled(std::size_t threads) const {
    parallel_for(into_.pooled.size(), threads, [&](std::size_t l) {
      for (std::uint32_t frame = 0; frame < into_.sessions.next(); ++frame) {
        if (!into_.frames.contains(frame)) continue;
        into_.pool(l, frame, into_.frames.words(frame).view());
      }
    });
  }

  const SnapshotFile& file_;
  PooledIndex::Impl& into_;
  std::vector<std::unique_ptr<Segment>> segments_;
};

PooledIndex open_snapshot(const std::filesystem::path& path, IndexOptions options,
                          std::size_t threads) {
  PooledIndex index(std::move(options));
  const SnapshotHead head = read_snapshot_head(path);
  if (head.vocabulary_size != index.options().vocabulary_size ||
      head.weights_hash != hash_weights(index.options())) {
    throw Error(ErrorKind::invalid_argument,
                path.string() + ": expected the snapshot of an index of " +
                    std::to_string(index.options().vocabulary_size) +
                    " words with the weights given, found one of " +
                    std::to_string(head.vocabulary_size) + " words, or with other weights");
  }
  const SnapshotFile file = open_snapshot_file(path, threads);
  SnapshotRestore(file, *index.impl_).run(threads);
  return index;
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "looptree/common/checksum.hpp"
#include "looptree/common/error.hpp"
#include "looptree/index/snapshot.hpp"
#include "looptree/index/snapshot/file.hpp"

namespace looptree::test {

/// The index that snapshots under test are of.
inline IndexOptions snapshot_options() {
  return {40, Topology::parse("d2b4-max"), {}};
}

/// A snapshot as the target below takes it: the body, and where its directory starts.
inline std::vector<std::uint8_t> snapshot_input(const std::filesystem::path& path) {
  const detail::SnapshotFile file = detail::open_snapshot_file(path, 1);
  const auto body = file.bytes().subspan(detail::kSnapshotPage);
  const std::uint64_t directory = file.head.directory - detail::kSnapshotPage;
  std::vector<std::uint8_t> input(body.size() + sizeof(directory));
  std::memcpy(input.data(), body.data(), body.size());
  std::memcpy(input.data() + body.size(), &directory, sizeof(directory));
  return input;
}

/// Any bytes under right checksums are refused with an Error, or are an index that can be searched,
/// read and changed. Returns whether they were one.
inline bool try_snapshot(std::span<const std::uint8_t> input, const std::filesystem::path& path) {
  std::uint64_t directory = 0;
  if (input.size() < sizeof(directory)) return false;
  std::memcpy(&directory, input.data() + input.size() - sizeof(directory), sizeof(directory));
  {
    detail::SnapshotFileWriter writer(path);
    writer.append(std::as_bytes(input.first(input.size() - sizeof(directory))));
    const IndexOptions options = snapshot_options();
    writer.finish({.vocabulary_size = options.vocabulary_size,
                   .weights_hash = checksum(std::as_bytes(std::span(options.word_weights))),
                   .directory = directory % (std::uint64_t{1} << 40) + detail::kSnapshotPage,
                   .tag = {}});
  }
  try {
    PooledIndex index = open_snapshot(path, snapshot_options(), 1);
    const Histogram probe({WordId{0}, WordId{17}, WordId{39}}, {0.25, 0.5, 0.25});
    index.query(probe, {.threshold = 0.1});
    for (std::uint32_t id = 0; id < index.next_id().value && id < 100; ++id) {
      index.histogram(FrameId{id});
    }
    index.insert(probe);
    index.erase(FrameId{0});
    index.query(probe);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace looptree::test

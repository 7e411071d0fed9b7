// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/acknowledged.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "looptree/common/error.hpp"
#include "looptree/store/detail/bytes.hpp"
#include "looptree/store/detail/schema.hpp"

namespace looptree::detail {
namespace {

std::filesystem::path beside(const std::filesystem::path& map) {
  std::filesystem::path path = map;
  path += "-acked";
  return path;
}

}  // namespace

Acknowledged::Acknowledged(const std::filesystem::path& map) : path_(beside(map)) {}

Acknowledged::~Acknowledged() {
  if (file_ >= 0) ::close(file_);
}

void Acknowledged::note(const Cursor& cursor) noexcept {
  // Best effort: without it the map is as safe, and damage to its log harder to tell.
  if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return;
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(cursor.generation));
  for (const Digest& digest : cursor.digests.of) {
    writer.u64(static_cast<std::uint64_t>(digest.rows));
  }
  writer.seal(kApplicationId);
  (void)!::pwrite(file_, writer.view().data(), writer.view().size(), 0);
}

void Acknowledged::remove() noexcept {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
  file_ = -1;
}

std::optional<AtLeast> read_acknowledged(const std::filesystem::path& map) {
  std::ifstream stream(beside(map), std::ios::binary);
  if (!stream) return std::nullopt;
  const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
  try {
    ByteReader reader = ByteReader::sealed(bytes, kApplicationId, "acknowledged");
    AtLeast least;
    least.generation = static_cast<std::int64_t>(reader.u64());
    for (std::int64_t& rows : least.rows) rows = static_cast<std::int64_t>(reader.u64());
    reader.expect_end();
    return least;
  } catch (const Error&) {
    return std::nullopt;  // cut short by a power failure, say
  }
}

void check_acknowledged(Database& database, const std::optional<AtLeast>& least) {
  if (!least) return;
  const std::int64_t generation = read_map_row(database).generation;
  if (generation > least->generation) return;
  const Digests stored = read_digests(database);
  std::size_t i = 0;
  while (i < stored.of.size() && generation == least->generation &&
         stored.of[i].rows >= least->rows[i]) {
    ++i;
  }
  if (i == stored.of.size()) return;
  const std::string path = database.path().string();
  database.damaged("expected the " + std::to_string(least->rows[i]) + " rows of table " +
                   Digests::kTables[i] + " that were acknowledged, found " +
                   std::to_string(stored.of[i].rows) + ": its log, " + path +
                   "-wal, is damaged or gone. What is left is sound; to go on with that, remove " +
                   path + "-acked");
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// ROS 2's SQLite storage: a table of topics and one of messages.
#include <map>
#include <mutex>
#include <utility>

#ifdef LOOPTREE_WITH_SQLITE
#include <sqlite3.h>
#endif

#include "looptree/common/error.hpp"
#include "looptree/dataset/bags/detail/bag.hpp"
#include "looptree/dataset/bags/detail/decompress.hpp"

namespace looptree::detail {

#ifdef LOOPTREE_WITH_SQLITE
namespace {

/// A prepared statement.
class Rows {
 public:
  Rows(sqlite3* database, const char* query, const std::string& name)
      : database_(database), name_(name) {
    if (sqlite3_prepare_v2(database, query, -1, &statement_, nullptr) != SQLITE_OK) refuse();
  }
  ~Rows() { sqlite3_finalize(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next() {
    const int state = sqlite3_step(statement_);
    if (state != SQLITE_ROW && state != SQLITE_DONE) refuse();
    return state == SQLITE_ROW;
  }
  void bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_, place, value); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text != nullptr ? text : "";
  }
  std::vector<std::uint8_t> blob(int column) const {
    const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
    if (data == nullptr) return {};
    return {data, data + sqlite3_column_bytes(statement_, column)};
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::corruption, "expected a bag of ROS 2 (SQLite) in " + name_ +
                                           ", found: " + sqlite3_errmsg(database_));
  }

  sqlite3* database_;
  const std::string& name_;
  sqlite3_stmt* statement_ = nullptr;
};

class Db3 final : public Bag {
 public:
  explicit Db3(const std::filesystem::path& path) : name_(path.string()) {
    if (!std::filesystem::exists(path)) {
      throw Error(ErrorKind::not_found, "expected a bag at " + name_ + ", found none");
    }
    if (sqlite3_open_v2(name_.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
      const std::string why = sqlite3_errmsg(database_);
      sqlite3_close(database_);
      throw Error(ErrorKind::io, "expected to open " + name_ + ", found: " + why);
    }
    try {
      read_tables();
    } catch (...) {
      sqlite3_close(database_);
      throw;
    }
  }
  ~Db3() override { sqlite3_close(database_); }
  Db3(const Db3&) = delete;
  Db3& operator=(const Db3&) = delete;

  std::vector<std::uint8_t> read(std::size_t message, std::size_t at_most) const override {
    const std::lock_guard lock(mutex_);
    constexpr std::size_t kShort = std::size_t{1} << 16U;
    const bool part = at_most < kShort;
    Rows rows(database_,
              part ? "SELECT substr(data, 1, 65536) FROM messages WHERE id = ?"
                   : "SELECT data FROM messages WHERE id = ?",
              name_);
    rows.bind(1, ids_[message]);
    std::vector<std::uint8_t> data = rows.next() ? rows.blob(0) : std::vector<std::uint8_t>();
    if (is_zstd(data)) {
      if (part) return read_whole(message);
      data = decompress("zstd", data, name_);
    }
    if (data.size() > at_most) data.resize(at_most);
    return data;
  }

 private:
  /// A message that is compressed by itself; the mutex is held.
  std::vector<std::uint8_t> read_whole(std::size_t message) const {
    Rows rows(database_, "SELECT data FROM messages WHERE id = ?", name_);
    rows.bind(1, ids_[message]);
    const auto data = rows.next() ? rows.blob(0) : std::vector<std::uint8_t>();
    return decompress("zstd", data, name_);
  }

  void read_tables() {
    std::map<std::int64_t, std::uint32_t> topic_of;
    Rows topics(database_, "SELECT id, name, type FROM topics ORDER BY id", name_);
    while (topics.next()) {
      topic_of[topics.integer(0)] = static_cast<std::uint32_t>(topics_.size());
      topics_.push_back({topics.text(1), ros1_type(topics.text(2)), Encoding::cdr});
    }
    Rows rows(database_, "SELECT id, topic_id, timestamp FROM messages ORDER BY timestamp, id",
              name_);
    while (rows.next()) {
      const auto topic = topic_of.find(rows.integer(1));
      if (topic == topic_of.end()) {
        throw Error(ErrorKind::corruption, "expected a topic " + std::to_string(rows.integer(1)) +
                                               " in " + name_ + ", found messages of it alone");
      }
      messages_.push_back({topic->second, static_cast<std::uint64_t>(rows.integer(2))});
      ids_.push_back(rows.integer(0));
    }
  }

  std::string name_;
  sqlite3* database_ = nullptr;
  std::vector<std::int64_t> ids_;
  mutable std::mutex mutex_;
};

}  // namespace

std::unique_ptr<Bag> open_db3(const std::filesystem::path& path) {
  return std::make_unique<Db3>(path);
}
#else
std::unique_ptr<Bag> open_db3(const std::filesystem::path& path) {
  throw Error(ErrorKind::unsupported,
              "expected a build with SQLite (LOOPTREE_BUILD_STORE) to read " + path.string() +
                  ", found one without");
}
#endif

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "looptree/store/detail/bytes.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace looptree::detail {

class Database;

/// A prepared statement. Parameters and columns are numbered as SQLite does: from 1 and from 0.
/// Bound text and blobs must live until the next reset(). Failures throw as Database's do.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, ByteView blob);
  Statement& bind_null(int parameter);
  Statement& bind(int parameter, std::optional<double> value);

  /// To the next row; false after the last.
  bool step();
  /// Runs a statement that returns no rows, and makes it ready to run again.
  void run();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::optional<double> optional_real(int column) const;
  std::string text(int column) const;
  ByteView blob(int column) const;  ///< valid until the next step
  /// An integer in [0, 2^32), which ids are; throws Error(corruption) otherwise.
  std::uint32_t id(int column) const;

 private:
  void check(int code) const;

  Database* database_;
  sqlite3_stmt* statement_ = nullptr;
};

enum class OpenMode { create, write, read };

/// A connection to a database file. Failures throw looptree::Error with the file's name: io where
/// the system refused or another program holds the database, corruption where the content is not
/// what it should be.
class Database {
 public:
  Database(std::filesystem::path path, OpenMode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);
  /// The first column of the first row, as an integer; 0 where there is no row.
  std::int64_t value(const char* sql);
  std::string text_value(const char* sql);
  bool in_transaction() const;

  const std::filesystem::path& path() const { return path_; }
  sqlite3* handle() const { return handle_; }
  /// Throws what a failed call deserves.
  [[noreturn]] void fail(int code) const;
  /// Throws Error(corruption) about this file.
  [[noreturn]] void damaged(const std::string& found) const;

 private:
  void open(const std::string& name, int flags);
  void configure();

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

/// Everything between its begin and commit() happens, or nothing does.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace looptree::detail

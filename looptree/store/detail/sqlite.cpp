// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/sqlite.hpp"

#include <limits>
#include <new>
#include <utility>

#include <sqlite3.h>
#include <unistd.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

/// How long to wait for another connection, which holds its locks for one commit at a time.
constexpr int kBusyMs = 20000;

ErrorKind kind_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR:  // a table or column is missing: we prepare no wrong statements
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
      return ErrorKind::corruption;
    default:
      return ErrorKind::io;
  }
}

const char* advice(int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return "; free some space, then try again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another program holds the file open: close it, then try again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; the file is damaged or not a map: restore it from a copy";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return "; check that the file and its folder may be read and written";
    default:
      return "";
  }
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).parent_path();
}

/// As a file: URI, in which some characters have meanings of their own.
std::string to_uri(const std::filesystem::path& path, const char* query) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += '%';
      uri += kHex[(c >> 4) & 15];
      uri += kHex[c & 15];
    } else {
      uri += c;
    }
  }
  return uri + query;
}

}  // namespace

Database::Database(std::filesystem::path path, OpenMode mode) : path_(std::move(path)) {
  // Readers, too, open for writing where they may: after a crash somebody must recover the log.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == OpenMode::create ? SQLITE_OPEN_CREATE : 0);
  try {
    open(path_.string(), flags);
    configure();
    if (mode == OpenMode::read) run("PRAGMA query_only = ON");
  } catch (const Error& error) {
    sqlite3_close(std::exchange(handle_, nullptr));
    const bool may_write = ::access(folder_of(path_).c_str(), W_OK) == 0;
    const bool has_log = std::filesystem::exists(path_.string() + "-wal");
    if (mode != OpenMode::read || error.kind() != ErrorKind::io || may_write || has_log) throw;
    // Where nobody can write, nobody does: read the file as it is, without locks and log.
    open(to_uri(path_, "?immutable=1"),
         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE);
    configure();
  }
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::open(const std::string& name, int flags) {
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (code == SQLITE_OK) return;
  try {
    fail(code);
  } catch (...) {
    sqlite3_close(std::exchange(handle_, nullptr));
    throw;
  }
}

void Database::configure() {
  sqlite3_busy_timeout(handle_, kBusyMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  run("PRAGMA trusted_schema = OFF");
  run("PRAGMA cell_size_check = ON");
  // A commit is on the medium when it returns, not in the system's memory.
  run("PRAGMA synchronous = FULL");
  // After a merge the log has the merge's size; do not keep that.
  run("PRAGMA journal_size_limit = 67108864");
  value("SELECT count(*) FROM sqlite_schema");  // is it a database, and may we read it?
}

void Database::run(const char* sql) {
  Statement statement(*this, sql);
  while (statement.step()) {
  }
}

std::int64_t Database::value(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text_value(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

void Database::fail(int code) const {
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  std::string message = path_.string() + ": expected to read or write the map, found: ";
  message += handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  message += advice(code);
  throw Error(kind_of(code), std::move(message));
}

void Database::damaged(const std::string& found) const {
  throw Error(ErrorKind::corruption, path_.string() + ": " + found);
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  check(sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()), 0,
                           &statement_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_, parameter, text.data() == nullptr ? "" : text.data(),
                            text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, ByteView blob) {
  static const std::uint8_t none = 0;
  check(sqlite3_bind_blob64(statement_, parameter, blob.empty() ? &none : blob.data(), blob.size(),
                            SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_, parameter));
  return *this;
}

Statement& Statement::bind(int parameter, std::optional<double> value) {
  return value ? bind(parameter, *value) : bind_null(parameter);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_->fail(code);
}

void Statement::run() {
  try {
    while (step()) {
    }
  } catch (...) {
    reset();
    throw;
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);  // its code repeats the last step's
  sqlite3_clear_bindings(statement_);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::optional<double> Statement::optional_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return real(column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

ByteView Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? ByteView() : ByteView(data, static_cast<std::size_t>(size));
}

std::uint32_t Statement::id(int column) const {
  const std::int64_t value = integer(column);
  if (is_null(column) || value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    database_->damaged("expected an id below 2^32, found " + std::to_string(value));
  }
  return static_cast<std::uint32_t>(value);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // Some failures have rolled back already.
  if (!open_ || !database_.in_transaction()) return;
  sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/view/csv.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

const std::string kEmpty;

/// Takes a field off the front of `rest`, which then starts with what ended it. False where the
/// text ends inside quotes.
bool take_field(std::string_view& rest, std::string& field) {
  field.clear();
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find_first_of(",\n"), rest.size());
    field = rest.substr(0, end);
    rest.remove_prefix(end);
    if (field.ends_with('\r')) field.pop_back();
    return true;
  }
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
    rest.remove_prefix(1);
  }
  if (rest.starts_with('\r')) rest.remove_prefix(1);
  return true;
}

}  // namespace

Table Table::read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::not_found, "expected a table, found no " + path.string());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse(text, path.string());
}

Table Table::parse(std::string_view text, const std::string& name) {
  Table table;
  table.name_ = name;
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw Error(ErrorKind::corruption, "expected " + expected + " in row " +
                                           std::to_string(table.rows_.size() + 1) + " of " + name +
                                           ", found " + found);
  };
  std::vector<std::string> fields(1);
  while (!text.empty()) {
    const bool whole = take_field(text, fields.back());
    if (!whole || text.empty()) break;  // cut off before its line ended
    const char end = text.front();
    text.remove_prefix(1);
    if (end == ',') {
      fields.emplace_back();
      continue;
    }
    if (end != '\n') refuse("a comma or the end of the line behind a quoted field", "more");
    if (table.header_.empty()) {
      table.header_ = std::move(fields);
    } else if (fields.size() != table.header_.size()) {
      refuse(std::to_string(table.header_.size()) + " fields", std::to_string(fields.size()));
    } else {
      table.rows_.push_back(std::move(fields));
    }
    fields.assign(1, {});
  }
  if (table.header_.empty()) {
    throw Error(ErrorKind::corruption, "expected a header in " + name + ", found none");
  }
  return table;
}

std::size_t Table::position(std::string_view column) const {
  return static_cast<std::size_t>(std::find(header_.begin(), header_.end(), column) -
                                  header_.begin());
}

bool Table::has(std::string_view column) const {
  return position(column) < header_.size();
}

const std::string& Table::text(std::size_t row, std::string_view column) const {
  const std::size_t at = position(column);
  return at < header_.size() ? rows_[row][at] : kEmpty;
}

double Table::number(std::size_t row, std::string_view column, double missing) const {
  const std::string& field = text(row, column);
  if (field.empty()) return missing;
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) refuse(row, column);
  return value;
}

std::size_t Table::count(std::size_t row, std::string_view column, std::size_t missing) const {
  const std::string& field = text(row, column);
  if (field.empty()) return missing;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) refuse(row, column);
  return value;
}

void Table::refuse(std::size_t row, std::string_view column) const {
  throw Error(ErrorKind::corruption, "expected a number as \"" + std::string(column) +
                                         "\" in row " + std::to_string(row + 1) + " of " + name_ +
                                         ", found \"" + text(row, column) + '"');
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/common/error.hpp"

namespace looptree::evaluate::detail {

/// A table in a text file, read row by row. Fields hold no commas or quotes: ours are numbers and
/// names. Throws Error(not_found) if there is no file, Error(corruption) for what is no table.
class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path) : path_(path), file_(path) {
    if (!file_) throw Error(ErrorKind::not_found, "expected a table, found no " + path.string());
    if (!next())
      throw Error(ErrorKind::corruption, "expected a header, found an empty " + path.string());
    header_.assign(fields_.begin(), fields_.end());
  }

  const std::vector<std::string>& header() const { return header_; }

  /// The position of a column; nothing if there is none of that name.
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i] == name) return i;
    }
    return std::nullopt;
  }

  /// The position of a column that has to be there.
  std::size_t column(std::string_view name) const {
    if (const auto found = find(name)) return *found;
    throw Error(ErrorKind::corruption, "expected a column \"" + std::string(name) + "\" in " +
                                           path_.string() + ", found none");
  }

  /// Moves on to the next row that is not empty; false at the end.
  bool next() {
    do {
      if (!std::getline(file_, line_)) return false;
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    } while (line_.empty());
    fields_.clear();
    std::string_view rest = line_;
    for (std::size_t comma = rest.find(','); comma != std::string_view::npos;
         comma = rest.find(',')) {
      fields_.push_back(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    fields_.push_back(rest);
    if (!header_.empty() && fields_.size() != header_.size()) {
      refuse(std::to_string(header_.size()) + " fields", std::to_string(fields_.size()));
    }
    return true;
  }

  std::string_view text(std::size_t column) const { return fields_[column]; }

  template <typename Number>
  Number number(std::size_t column) const {
    Number value{};
    const std::string_view field = fields_[column];
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      refuse("a number", '"' + std::string(field) + '"');
    }
    return value;
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw Error(ErrorKind::corruption, "expected " + expected + " in line " +
                                           std::to_string(number_) + " of " + path_.string() +
                                           ", found " + found);
  }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::string line_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> header_;
  std::size_t number_ = 0;
};

}  // namespace looptree::evaluate::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace looptree::cli {

/// A table of a run folder in memory: a header, then rows of as many fields. Fields may stand in
/// double quotes, a quote in them doubled, and then hold commas and line ends.
class Table {
 public:
  /// Throws Error(not_found) without the file, Error(corruption), with the line, for what is no
  /// table. A last row that was cut off is left out: the run may still be going on.
  static Table read(const std::filesystem::path& path);
  static Table parse(std::string_view text, const std::string& name);

  std::size_t size() const { return rows_.size(); }
  bool has(std::string_view column) const;
  /// A field; empty where there is no such column.
  const std::string& text(std::size_t row, std::string_view column) const;
  /// A field as a number; `missing` where it is empty or there is no such column. Throws
  /// Error(corruption) for what is no number.
  double number(std::size_t row, std::string_view column, double missing = 0) const;
  /// The same for a whole number that is not negative.
  std::size_t count(std::size_t row, std::string_view column, std::size_t missing = 0) const;

 private:
  std::size_t position(std::string_view column) const;
  [[noreturn]] void refuse(std::size_t row, std::string_view column) const;

  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace looptree::cli

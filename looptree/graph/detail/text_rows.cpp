// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/detail/text_rows.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include "looptree/common/error.hpp"
#include "looptree/common/write_error.hpp"

namespace looptree::detail {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/// Takes the next word off the front of a text; empty at its end.
std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest.size() && !is_blank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  return word;
}

TextRow parse(std::string_view line) {
  TextRow row{.text = line};
  std::string_view rest = line;
  std::string_view word = take_word(rest);
  if (word.starts_with('#')) {
    row.tag = "#";
    return row;
  }
  if (!word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0) {
    row.tag = word;
    word = take_word(rest);
  }
  for (; !word.empty(); word = take_word(rest)) {
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
      row.is_whole = false;
      return row;
    }
    row.numbers.push_back(value);
  }
  return row;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::not_found, "expected a file " + path.string() + ", found none");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ofstream create_text(const std::filesystem::path& path) {
  std::ofstream file(path);
  if (!file) throw write_error(path);
  return file;
}

void close_text(std::ofstream& file, const std::filesystem::path& path) {
  file.close();
  if (!file) throw write_error(path);
}

std::vector<TextRow> text_rows(std::string_view text) {
  std::vector<TextRow> rows;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    TextRow row = parse(text.substr(0, end));
    row.line = line;
    if (!row.is_whole || !row.tag.empty() || !row.numbers.empty()) rows.push_back(std::move(row));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

void refuse_row(const TextRow& row, std::string_view name, std::string_view expected) {
  throw Error(ErrorKind::corruption, "expected " + std::string(expected) +
                                         (name.empty() ? "" : " in ") + std::string(name) +
                                         ", line " + std::to_string(row.line) + ", found '" +
                                         std::string(row.text.substr(0, 60)) + "'");
}

Pose pose_in(const TextRow& row, std::size_t first, std::string_view name) {
  const double* n = row.numbers.data() + first;
  const double length = std::hypot(std::hypot(n[3], n[4], n[5]), n[6]);
  if (!(length > 1e-6) || !std::isfinite(length)) {
    refuse_row(row, name, "a quaternion longer than 0");
  }
  return {rotation_of({n[3] / length, n[4] / length, n[5] / length, n[6] / length}),
          {n[0], n[1], n[2]}};
}

}  // namespace looptree::detail

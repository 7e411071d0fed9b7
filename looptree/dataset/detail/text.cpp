// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

namespace fs = std::filesystem;

std::ifstream open_text(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::not_found, "expected a file " + path.string() + ", found none");
  return file;
}

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

std::string where(const fs::path& path, std::size_t line) {
  return path.string() + ", line " + std::to_string(line);
}

/// The numbers of one line; an error names the line.
std::vector<double> parse_row(std::string_view text, const fs::path& path, std::size_t line) {
  std::vector<double> row;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_separator(*at)) ++at;
    if (at == end) return row;
    double value = 0;
    const auto [rest, problem] = std::from_chars(at, end, value);
    if (problem != std::errc() || (rest != end && !is_separator(*rest))) {
      throw Error(ErrorKind::corruption, "expected numbers in " + where(path, line) + ", found '" +
                                             std::string(text.substr(0, 40)) + "'");
    }
    row.push_back(value);
    at = rest;
  }
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Names compared with runs of digits taken as numbers.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i + 1 < a.size() && a[i] == '0' && digit(a[i + 1])) ++i;
    while (j + 1 < b.size() && b[j] == '0' && digit(b[j + 1])) ++j;
    const auto start_a = i;
    const auto start_b = j;
    while (i < a.size() && digit(a[i])) ++i;
    while (j < b.size() && digit(b[j])) ++j;
    if (i - start_a != j - start_b) return i - start_a < j - start_b;
    const int order = a.compare(start_a, i - start_a, b, start_b, j - start_b);
    if (order != 0) return order < 0;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // 01 and 1: any fixed order
}

/// The rows of `path`, one per frame, each of `width` numbers.
std::vector<std::vector<double>> rows_per_frame(const SequenceInfo& info, const fs::path& path,
                                                std::size_t width, std::string_view what) {
  auto rows = read_numbers(path);
  if (rows.size() != info.frames.size()) {
    throw Error(ErrorKind::corruption, "expected " + std::to_string(info.frames.size()) + " " +
                                           std::string(what) + ", one per image, found " +
                                           std::to_string(rows.size()) + " in " + path.string());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != width) {
      throw Error(ErrorKind::corruption, "expected " + std::to_string(width) +
                                             " numbers per row in " + path.string() + ", found " +
                                             std::to_string(rows[i].size()) + " in row " +
                                             std::to_string(i + 1));
    }
  }
  return rows;
}

/// The numbers behind the label `camera` of KITTI's calib.txt, or those before any label.
std::vector<double> calibration_row(const fs::path& path, const std::string& camera) {
  std::ifstream file = open_text(path);
  std::vector<double> numbers;
  bool wanted = true;  // numbers before any label count as well
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::string_view rest = line;
    // A matrix may go on over several lines, until the next label.
    if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      if (numbers.size() == 12) break;
      wanted = line.substr(0, colon) == camera;
      if (wanted) numbers.clear();
      rest.remove_prefix(colon + 1);
    }
    if (!wanted) continue;
    for (const double value : parse_row(rest, path, number)) numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

std::vector<std::vector<double>> read_numbers(const fs::path& path) {
  std::ifstream file = open_text(path);
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with('#')) continue;
    std::vector<double> row = parse_row(line, path, number);
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

void add_poses(SequenceInfo& info, const fs::path& path) {
  const auto rows = rows_per_frame(info, path, 12, "poses");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    info.frames[i].pose =
        Pose{{r[0], r[1], r[2], r[4], r[5], r[6], r[8], r[9], r[10]}, {r[3], r[7], r[11]}};
  }
}

void add_times(SequenceInfo& info, const fs::path& path) {
  const auto rows = rows_per_frame(info, path, 1, "times");
  for (std::size_t i = 0; i < rows.size(); ++i) info.frames[i].time_s = rows[i][0];
}

Calibration read_calibration(const fs::path& path, const std::string& camera) {
  const std::vector<double> numbers = calibration_row(path, camera);
  Calibration result;
  if (numbers.size() == 4) result = {numbers[0], numbers[1], numbers[2], numbers[3]};
  if (numbers.size() == 12) result = {numbers[0], numbers[5], numbers[2], numbers[6]};
  if (result.fx > 0 && result.fy > 0) return result;
  throw Error(ErrorKind::corruption, "expected '" + camera +
                                         ":' and 12 numbers, or fx fy cx cy, in " + path.string() +
                                         ", found neither");
}

std::optional<double> read_baseline(const fs::path& path, const std::string& left,
                                    const std::string& right) {
  const std::vector<double> a = calibration_row(path, left);
  const std::vector<double> b = calibration_row(path, right);
  if (a.size() != 12 || b.size() != 12 || !(a[0] > 0)) return std::nullopt;
  const double metres = (a[3] - b[3]) / a[0];
  if (!(metres > 0)) return std::nullopt;
  return metres;
}

void add_what_lies_beside(SequenceInfo& info, const fs::path& folder, const std::string& prefix) {
  const auto beside = [&](const char* name) { return folder / (prefix + name); };
  if (fs::exists(beside("poses.txt"))) add_poses(info, beside("poses.txt"));
  if (fs::exists(beside("times.txt"))) add_times(info, beside("times.txt"));
  if (fs::exists(beside("calib.txt"))) info.calibration = read_calibration(beside("calib.txt"));
}

bool is_image_name(const fs::path& file) {
  constexpr std::array<std::string_view, 10> known{".png", ".jpg", ".jpeg", ".ppm",  ".pgm",
                                                   ".pnm", ".bmp", ".tif",  ".tiff", ".webp"};
  return std::find(known.begin(), known.end(), lower(file.extension().string())) != known.end();
}

std::vector<std::string> files_left_out(const fs::path& folder) {
  constexpr std::array<std::string_view, 3> beside{"poses.txt", "times.txt", "calib.txt"};
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool known = std::find(beside.begin(), beside.end(), name) != beside.end();
    if (!known && !name.starts_with(".") && !is_image_name(entry.path())) {
      names.push_back(entry.is_directory(none) ? name + "/" : name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void sort_by_numbers(std::vector<fs::path>& files) {
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
}

std::vector<fs::path> image_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (is_image_name(entry.path())) files.push_back(entry.path());
  }
  sort_by_numbers(files);
  return files;
}

std::vector<SequenceFrame> frames_of(const std::vector<fs::path>& files) {
  std::vector<SequenceFrame> frames;
  frames.reserve(files.size());
  for (const fs::path& file : files) frames.push_back({.name = file.filename().string()});
  return frames;
}

std::optional<unsigned long> number_in(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t last = stem.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return std::strtoul(stem.substr(first, last - first + 1).c_str(), nullptr, 10);
}

}  // namespace looptree::detail

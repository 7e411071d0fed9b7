// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/settings_text.hpp"

#include <algorithm>
#include <cstddef>

namespace looptree::detail {
namespace {

constexpr std::string_view kBlanks = " \t\r\n,[]\"'";

/// Deeper than any calibration file; more is not looked at.
constexpr std::size_t kDeepest = 16;

void add_words(std::vector<std::string>& words, std::string_view text) {
  while (true) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return;
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    words.emplace_back(text.substr(start, end - start));
    text.remove_prefix(end);
  }
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view without_tag(std::string_view value) {
  if (!value.starts_with("!!")) return value;
  const std::size_t blank = value.find_first_of(" \t");
  return blank == std::string_view::npos ? std::string_view() : trimmed(value.substr(blank));
}

/// Reads line by line; where it stands in the tree is a stack of keys with their indentation.
class YamlReader {
 public:
  void line(std::string_view line) {
    line = without_comment(line);
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with("%") || content == "---") return;
    if (open_brackets_ > 0) return add(content);
    const auto indent = static_cast<std::size_t>(content.data() - line.data());
    if (content.starts_with("- ") || content == "-") return add(content.substr(1));
    const std::size_t colon = colon_of(content);
    if (colon == std::string_view::npos) return add(content);
    while (!stack_.empty() && stack_.back().indent >= indent) stack_.pop_back();
    if (stack_.size() == kDeepest) return;
    std::string_view key = trimmed(content.substr(0, colon));
    if (key.size() > 1 && key.front() == '"' && key.back() == '"') {
      key = key.substr(1, key.size() - 2);
    }
    stack_.push_back({indent, std::string(key)});
    path_.clear();
    for (const Level& level : stack_) path_ += (path_.empty() ? "" : ".") + level.key;
    found[path_].clear();
    add(without_tag(trimmed(content.substr(colon + 1))));
  }

  Settings found;

 private:
  struct Level {
    std::size_t indent;
    std::string key;
  };

  /// The colon behind a key: one at the end or before a blank.
  static std::size_t colon_of(std::string_view content) {
    if (content.starts_with("[")) return std::string_view::npos;
    for (std::size_t i = content.find(':'); i != std::string_view::npos;
         i = content.find(':', i + 1)) {
      if (i + 1 == content.size() || content[i + 1] == ' ' || content[i + 1] == '\t') return i;
    }
    return std::string_view::npos;
  }

  void add(std::string_view value) {
    open_brackets_ += std::count(value.begin(), value.end(), '[');
    open_brackets_ -= std::count(value.begin(), value.end(), ']');
    if (!path_.empty()) add_words(found[path_], value);
  }

  std::vector<Level> stack_;
  std::string path_;
  std::ptrdiff_t open_brackets_ = 0;
};

}  // namespace

Settings parse_yaml(std::string_view text) {
  YamlReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::erase_if(reader.found, [](const auto& entry) { return entry.second.empty(); });
  return std::move(reader.found);
}

Settings parse_xml(std::string_view text) {
  Settings found;
  std::vector<std::string> stack;
  while (!text.empty()) {
    const std::size_t start = std::min(text.find('<'), text.size());
    if (stack.size() > 1 && stack.size() <= kDeepest) {
      std::string path = stack[1];
      for (std::size_t i = 2; i < stack.size(); ++i) path += "." + stack[i];
      add_words(found[path], text.substr(0, start));
    }
    text.remove_prefix(start);
    const std::size_t end = text.find('>');
    if (end == std::string_view::npos) break;
    const std::string_view tag = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (tag.starts_with("?") || tag.starts_with("!") || tag.ends_with("/")) continue;
    if (tag.starts_with("/")) {
      if (!stack.empty()) stack.pop_back();
    } else {
      stack.emplace_back(tag.substr(0, tag.find_first_of(" \t\r\n")));
    }
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.empty(); });
  return found;
}

}  // namespace looptree::detail

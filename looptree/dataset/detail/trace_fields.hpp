// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "looptree/dataset/keyframe_trace.hpp"

namespace looptree::detail {

/// More than any image, map or vocabulary has; a damaged count should not take the memory for it.
inline constexpr std::uint64_t kMostWords = 50'000'000;
inline constexpr std::uint64_t kMostKeyframes = 10'000'000;

/// Takes the fields of a record off its front, one by one.
class Fields {
 public:
  Fields(std::string_view text, const KeyframeTraceReader& reader) : rest_(text), reader_(reader) {}

  /// The next field; fields are separated by exactly one space.
  std::string_view next(const char* expected) {
    if (rest_.empty()) reader_.refuse(expected, "the end of the line");
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    if (field.empty()) reader_.refuse(expected, "two spaces in a row");
    rest_.remove_prefix(field.size());
    if (!rest_.empty()) {
      rest_.remove_prefix(1);
      if (rest_.empty()) reader_.refuse("a record without spaces at its end", "one");
    }
    return field;
  }

  template <typename Number>
  Number parse(std::string_view field, const char* expected) const {
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      reader_.refuse(expected, '"' + std::string(field.substr(0, 40)) + '"');
    }
    return value;
  }

  template <typename Number>
  Number number(const char* expected) {
    return parse<Number>(next(expected), expected);
  }

  std::size_t count(const char* expected, std::uint64_t most) {
    const auto count = number<std::uint64_t>(expected);
    if (count > most) {
      reader_.refuse(std::string(expected) + " of at most " + std::to_string(most),
                     std::to_string(count));
    }
    return static_cast<std::size_t>(count);
  }

  std::vector<KeyframeNumber> list(const char* expected) {
    std::vector<KeyframeNumber> items;
    for (std::size_t left = count(expected, kMostKeyframes); left > 0; --left) {
      items.push_back(number<KeyframeNumber>(expected));
    }
    return items;
  }

  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  void end() const {
    if (!rest_.empty()) {
      reader_.refuse("the end of the line", '"' + std::string(rest_.substr(0, 40)) + '"');
    }
  }

  const KeyframeTraceReader& reader() const { return reader_; }

 private:
  std::string_view rest_;
  const KeyframeTraceReader& reader_;
};

}  // namespace looptree::detail

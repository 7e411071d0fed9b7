// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/shell.hpp"

namespace looptree::cli {
namespace {

std::string called_as = "looptree";

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";  // ends the quotes, a quote by itself, and quotes again
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string program() {
  return shell_word(called_as);
}

void remember_program(const char* called) {
  if (called != nullptr && *called != '\0') called_as = called;
}

}  // namespace looptree::cli

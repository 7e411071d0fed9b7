// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/require_number.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {

void require_number(bool holds, std::string_view expected, double found) {
  if (holds) return;
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%g", found);
  throw Error(ErrorKind::invalid_argument,
              "expected " + std::string(expected) + ", found " + digits.data());
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/near_miss.hpp"

#include <algorithm>
#include <cstddef>

namespace looptree::cli {
namespace {

/// Changes that turn one word into the other; two letters that changed places are one.
std::size_t changes(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      table[i][j] =
          std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string near_miss(const std::string& found, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = found.size() / 3 + 1;
  for (const std::string& name : names) {
    const std::size_t count = changes(found, name);
    if (count < fewest) {
      fewest = count;
      best = name;
    }
  }
  return best;
}

}  // namespace looptree::cli

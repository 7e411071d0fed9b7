// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace looptree::cli {

/// The name that was probably meant: the one that fewest letters must be changed, added, left out
/// or swapped for; empty if that is more than a third of them.
std::string near_miss(const std::string& found, const std::vector<std::string>& names);

}  // namespace looptree::cli

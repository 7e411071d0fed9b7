// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace looptree::cli {

/// A page of report/, cut where its data goes in: "report" in two, before and after its data;
/// "view" in three, before and after its data, and behind its pictures. Throws Error(unsupported)
/// if this program was built without npm, which bundles them.
std::vector<std::string> bundled_page(std::string_view name);

}  // namespace looptree::cli

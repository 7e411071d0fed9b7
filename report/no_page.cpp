// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/report_page.hpp"

namespace looptree::cli {

// Built without npm, which bundles the page.
std::optional<ReportPage> report_page() {
  return std::nullopt;
}

}  // namespace looptree::cli

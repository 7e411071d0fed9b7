// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace looptree::cli {

/// The bundled page (report/), cut where its data goes in.
struct ReportPage {
  std::string before;
  std::string after;
};

/// Nothing if this program was built without npm.
std::optional<ReportPage> report_page();

}  // namespace looptree::cli

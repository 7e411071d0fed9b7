// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "looptree/export.hpp"

namespace looptree {

/// Throws Error(invalid_argument), "expected {expected}, found {found}", unless `holds`.
LOOPTREE_EXPORT void require_number(bool holds, std::string_view expected, double found);

}  // namespace looptree

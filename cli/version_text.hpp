// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace looptree::cli {

/// "looptree 0.1.0 (4f2a9c1)": the version, and the commit it was built from.
std::string version_text();

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// Error(io) for a file that could not be written: which, why if that is known, and how much space
/// is free where it lies.
LOOPTREE_EXPORT Error write_error(const std::filesystem::path& path,
                                  const std::string& reason = {});

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace looptree::detail {

/// Unpacks "", "none", "lz4" (its frame format), "zstd" or "bz2"; `name` is for messages. Throws
/// Error(corruption) for damage and for more than a gigabyte, Error(unsupported) for other kinds.
std::vector<std::uint8_t> decompress(const std::string& kind, std::span<const std::uint8_t> bytes,
                                     const std::string& name);

/// Whether the bytes begin as a file of zstd does.
bool is_zstd(std::span<const std::uint8_t> bytes);

}  // namespace looptree::detail

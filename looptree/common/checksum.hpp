// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/export.hpp"

namespace looptree {

/// XXH3, 64 bits, of the bytes: the checksum of looptree's files, and the identity of a vocabulary.
/// It finds damage, not forgery. Cost: about the time to read the bytes.
LOOPTREE_EXPORT std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace looptree

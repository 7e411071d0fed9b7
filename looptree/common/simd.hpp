// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "looptree/export.hpp"

namespace looptree {

/// Inner loops are compiled once per instruction set, and the best one this machine has is chosen
/// at run time. All of them give the same answers, to the bit; these functions let a test or a
/// benchmark see the difference in speed. The environment variable LOOPTREE_SIMD names a level for
/// a whole process; it is read once, before the first inner loop runs.

/// The levels this machine can run, best first, in lower case: "avx3_dl", "avx3", "avx2", "sse4",
/// "ssse3", "neon", ...; the last is plain C++ or the machine's baseline. Never empty.
LOOPTREE_EXPORT std::vector<std::string> simd_levels();

/// The level in use. Throws Error(invalid_argument) if LOOPTREE_SIMD names none of simd_levels().
LOOPTREE_EXPORT std::string simd_level();

/// Uses the named level from now on; an empty name means the best one. Overrides LOOPTREE_SIMD.
/// Throws Error(invalid_argument) for a name that is not among simd_levels(). Not to be called
/// while another thread is inside the library.
LOOPTREE_EXPORT void force_simd_level(std::string_view name);

/// Applies LOOPTREE_SIMD if that has not happened yet. Whoever dispatches to an inner loop calls
/// this first. Throws as simd_level() does. Safe from any thread; costs one load once applied.
LOOPTREE_EXPORT void prepare_simd();

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "bench/measure.hpp"

namespace looptree::bench {

/// A table for people.
void print(const Results& results);

/// The machine, the compiler and the commit, one line each.
void print_machine(double bandwidth);

/// Appends to a CSV file, with a header if it is new.
void append_csv(const std::filesystem::path& path, const Results& results);

}  // namespace looptree::bench

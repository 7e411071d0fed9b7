// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "bench/vocabulary/million_words.hpp"

namespace looptree::bench {

/// Each prints a paragraph.
void bench_load(const MillionWords& files);
void bench_quantise(const MillionWords& files, const std::vector<Row>& nodes);
void bench_train(std::size_t rows);

/// Prints what bench_load() asks another process for: the peak of loading a file, in MB.
void print_peak(const std::filesystem::path& file);

}  // namespace looptree::bench

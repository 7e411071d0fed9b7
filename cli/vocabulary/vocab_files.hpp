// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/command.hpp"

namespace looptree::cli {

/// A vocabulary to write, as the command line names it.
struct VocabularyOutput {
  std::string path;
  std::string format;  ///< empty: told by the name of the file
};

void add_format_option(CLI::App& command, VocabularyOutput& output);

/// Refuses a bad name before hours of work, not after.
void check_output(const VocabularyOutput& output);

/// With a progress bar; says what was written.
void save_vocabulary(const Vocabulary& vocabulary, const VocabularyOutput& output);

/// Of any format, with a progress bar.
Vocabulary load_vocabulary(const std::string& path);

/// In kB or MB.
std::string readable_size(std::size_t bytes);

}  // namespace looptree::cli

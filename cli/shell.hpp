// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace looptree::cli {

/// The text as one word of a shell's command: in quotes where it has blanks or anything else that a
/// shell takes for its own.
std::string shell_word(std::string_view text);

/// This program as it was called ("looptree", or a path to it), quoted: what is printed for the
/// user to paste starts with it.
std::string program();

/// Called once, before program().
void remember_program(const char* called);

}  // namespace looptree::cli

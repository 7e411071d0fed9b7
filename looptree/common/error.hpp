// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "looptree/export.hpp"

namespace looptree {

/// What went wrong, coarse enough for a program to act on.
enum class ErrorKind {
  invalid_argument,  ///< the caller passed something out of contract
  not_found,         ///< a file or an object that should exist does not
  corruption,        ///< a file is truncated, altered or contradicts itself
  unsupported,       ///< well-formed, but of a version or kind this build does not handle
  io,                ///< the operating system refused: permission, full disk, ...
  cancelled,         ///< the caller asked to stop
};

/// The kind as one lower-case word or two, for messages and logs.
LOOPTREE_EXPORT std::string_view to_string(ErrorKind kind);

/// The one exception type of the library. `what()` is a sentence that says what was expected and
/// what was found. An object whose method throws keeps the state it had before the call.
class LOOPTREE_EXPORT Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  ErrorKind kind() const noexcept { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

/// Throws Error{kind, message} unless `holds`. For messages that are cheap to make; where one is
/// built from numbers, test first and throw by hand.
inline void require(bool holds, ErrorKind kind, std::string_view message) {
  if (!holds) throw Error(kind, std::string(message));
}

}  // namespace looptree

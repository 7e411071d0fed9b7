// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// A file of its own, so that a commit rebuilds nothing else.
#include "cli/version_text.hpp"

#include "looptree/commit.hpp"
#include "looptree/version.hpp"

namespace looptree::cli {

std::string version_text() {
  return std::string("looptree ") + LOOPTREE_VERSION + " (" + LOOPTREE_COMMIT + ")";
}

}  // namespace looptree::cli

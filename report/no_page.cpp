// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/error.hpp"

#include "cli/page/bundled_page.hpp"

namespace looptree::cli {

// Built without npm, which bundles the pages.
std::vector<std::string> bundled_page(std::string_view name) {
  throw Error(ErrorKind::unsupported,
              "expected a looptree built where npm was, to bundle the page " + std::string(name) +
                  "; found one built without");
}

}  // namespace looptree::cli

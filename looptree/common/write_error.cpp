// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/write_error.hpp"

#include <system_error>

namespace looptree {

Error write_error(const std::filesystem::path& path, const std::string& reason) {
  std::error_code unknown;
  const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), unknown);
  const std::string free =
      unknown ? "" : "; " + std::to_string(space.available >> 20U) + " MB are free there";
  return {ErrorKind::io, "expected to write " + path.string() + ", could not" +
                             (reason.empty() ? "" : ": " + reason) + free};
}

}  // namespace looptree

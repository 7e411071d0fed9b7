// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/information.hpp"

namespace looptree {

Information Information::from_sigmas(double translation_m, double rotation_rad) {
  Information information;
  for (std::size_t i = 0; i < 3; ++i) {
    information(i, i) = 1 / (translation_m * translation_m);
    information(i + 3, i + 3) = 1 / (rotation_rad * rotation_rad);
  }
  return information;
}

}  // namespace looptree

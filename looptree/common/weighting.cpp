// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/weighting.hpp"

namespace looptree {

std::string_view to_string(Weighting weighting) {
  switch (weighting) {
    case Weighting::tf_idf:
      return "tf-idf";
    case Weighting::tf:
      return "tf";
    case Weighting::idf:
      return "idf";
    case Weighting::binary:
      return "binary";
  }
  return "unknown";
}

std::string_view to_string(Score score) {
  switch (score) {
    case Score::l1:
      return "l1";
    case Score::l2:
      return "l2";
    case Score::chi_square:
      return "chi-square";
    case Score::kl:
      return "kl";
    case Score::bhattacharyya:
      return "bhattacharyya";
    case Score::dot_product:
      return "dot-product";
  }
  return "unknown";
}

}  // namespace looptree

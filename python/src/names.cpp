// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/names.hpp"

#include <array>

#include "python/src/bind.hpp"

namespace looptree::python {

Weighting weighting_of(std::string_view name) {
  static const std::array known{Named<Weighting>{Weighting::tf_idf, to_string(Weighting::tf_idf)},
                                Named<Weighting>{Weighting::tf, to_string(Weighting::tf)},
                                Named<Weighting>{Weighting::idf, to_string(Weighting::idf)},
                                Named<Weighting>{Weighting::binary, to_string(Weighting::binary)}};
  return parse_name<Weighting>("weighting", known, name);
}

Score score_of(std::string_view name) {
  static const std::array known{Named<Score>{Score::l1, to_string(Score::l1)},
                                Named<Score>{Score::l2, to_string(Score::l2)},
                                Named<Score>{Score::chi_square, to_string(Score::chi_square)},
                                Named<Score>{Score::kl, to_string(Score::kl)},
                                Named<Score>{Score::bhattacharyya, to_string(Score::bhattacharyya)},
                                Named<Score>{Score::dot_product, to_string(Score::dot_product)}};
  return parse_name<Score>("score", known, name);
}

Norm norm_of_name(std::string_view name) {
  static constexpr std::array known{Named<Norm>{Norm::l1, "l1"}, Named<Norm>{Norm::l2, "l2"},
                                    Named<Norm>{Norm::size, "size"}};
  return parse_name<Norm>("norm", known, name);
}

Pooling pooling_of(std::string_view name) {
  static constexpr std::array known{Named<Pooling>{Pooling::mean, "mean"},
                                    Named<Pooling>{Pooling::sum, "sum"},
                                    Named<Pooling>{Pooling::max, "max"}};
  return parse_name<Pooling>("pooling", known, name);
}

}  // namespace looptree::python

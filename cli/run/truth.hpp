// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/dataset/sequence.hpp"

#include "cli/run/detect_folder.hpp"

namespace looptree::cli {

/// When a claim is right, and what there was to find; README and docs/detect.md use these numbers.
struct TruthRule {
  double claim_m = 15;      ///< a closure is right if the two cameras are this close...
  double claim_deg = 60;    ///< ...and see part of the same, looking less than this apart
  double revisit_m = 5;     ///< a frame revisits a place if an earlier one is this close...
  double revisit_deg = 30;  ///< ...and looks the same way...
  std::size_t exclude_recent = 300;  ///< ...and is more than this many frames older
};

struct Truth {
  std::size_t closures = 0;
  std::size_t right = 0;
  std::size_t revisits = 0;  ///< in the same direction
  std::size_t found = 0;     ///< of these, closed, and rightly
  std::size_t near = 0;      ///< frames with an earlier one within claim_m, any direction
  std::size_t near_found = 0;
  std::vector<bool> is_revisit;  ///< per frame
  std::vector<bool> is_right;    ///< per closure

  double precision() const { return ratio(right, closures); }
  double recall() const { return ratio(found, revisits); }
  double near_recall() const { return ratio(near_found, near); }

 private:
  static double ratio(std::size_t part, std::size_t whole) {
    return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Compares closures with the poses, or with the mask, of a sequence. Nothing without either.
std::optional<Truth> judge(const SequenceInfo& info, const std::vector<Closure>& closures,
                           const TruthRule& rule);

}  // namespace looptree::cli

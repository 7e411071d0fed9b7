// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "looptree/dataset/sequence.hpp"

#include "cli/run/detect_folder.hpp"

namespace looptree::cli {

/// Prints how far closures with length are off, and whether they are as sure as they say; nothing
/// where there are none, or no true poses.
void print_metric_truth(const SequenceInfo& info, const std::vector<Closure>& closures);

}  // namespace looptree::cli

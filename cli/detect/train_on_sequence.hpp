// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/dataset/sequence.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::cli {

/// A vocabulary made on the spot, of up to 100,000 words of the sequence itself, with a progress
/// bar. Throws Error(invalid_argument) for a sequence without features.
Vocabulary train_on_sequence(Sequence& sequence, const FeatureExtractor& extractor);

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "looptree/dataset/sequence.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/sequence_options.hpp"

namespace looptree::cli {

/// For the help of --vocabulary.
inline constexpr const char* kVocabularyHelp =
    "A vocabulary of any format; \"box\": the one that comes with looptree; \"train\": one of the\n"
    "images themselves. Without, the box's, and where it has none for --features, \"train\"";

/// What --vocabulary names: a file, or what is in the box for the features; nothing where one has
/// to be trained. Features that the user left open become those that fit. Throws as
/// Vocabulary::load(), box_vocabulary() and fit_features() do.
std::optional<Vocabulary> choose_vocabulary(const std::string& name, ExtractorChoice& features);

/// A vocabulary made on the spot, of up to 100,000 words of the sequence itself, with a progress
/// bar. Throws Error(invalid_argument) for a sequence without features.
Vocabulary train_on_sequence(Sequence& sequence, const FeatureExtractor& extractor);

}  // namespace looptree::cli

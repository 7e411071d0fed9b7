// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "looptree/export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

/// The kinds of features that a vocabulary comes with the library for, by the names that the
/// command line has for them.
LOOPTREE_EXPORT std::span<const std::string_view> box_vocabularies() noexcept;

/// A vocabulary that comes with the library, so that loops are found from the first frame on: of
/// ten thousand words, trained on photographs of many kinds and on our rendered streets
/// (docs/vocabulary.md says on which, and how it compares). Descriptors of another kind get words,
/// too, where they are as wide, but meaningless ones.
///
/// Throws Error(not_found) for a kind that there is none for. Cost: a millisecond for the first
/// call, a pointer for others; they share one block of memory. Any number of threads may call it.
LOOPTREE_EXPORT Vocabulary box_vocabulary(std::string_view features);

/// The features that a vocabulary of this Vocabulary::content_hash() is for, if it is one of these;
/// nothing for any other. A map has the hash of its vocabulary, so features that fit it are known.
LOOPTREE_EXPORT std::optional<std::string_view> box_features(std::uint64_t content_hash);

}  // namespace looptree

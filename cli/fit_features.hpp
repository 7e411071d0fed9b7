// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "looptree/features/extractor.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "looptree/detect/relocalize.hpp"
#endif

#include "cli/sequence_options.hpp"

namespace looptree::cli {

/// The kind whose descriptors these are: OpenCV's ORB differs from ours in which corners it takes.
FeatureKind described_as(FeatureKind kind);

/// Completes what the user left open: the features that a vocabulary of this content hash is for if
/// it is one of the box's, ORB for any other, and learned ones where there is none yet or weights
/// are given. Throws Error(invalid_argument) if the user named others than the box's vocabulary is
/// for, whose words would mean nothing.
void fit_features(ExtractorChoice& features, std::optional<std::uint64_t> vocabulary_hash);

#ifdef LOOPTREE_WITH_STORE
/// What geometry must show of a single image, as usual for the features; `min_inliers` if the user
/// says so.
void ask_for_evidence(RelocalizeOptions& options, FeatureKind kind,
                      std::optional<std::size_t> min_inliers);
#endif

}  // namespace looptree::cli

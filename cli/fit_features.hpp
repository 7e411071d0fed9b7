// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "looptree/detect/loop_detector.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "looptree/detect/relocalize.hpp"
#endif

#include "cli/sequence_options.hpp"

namespace looptree::cli {

/// Completes what the user left open: the features that a vocabulary of this content hash is for if
/// it is one of the box's, ORB for any other, and learned ones where there is none yet or weights
/// are given. Throws Error(invalid_argument) if the user named others than the box's vocabulary is
/// for, whose words would mean nothing.
void fit_features(ExtractorChoice& features, std::optional<std::uint64_t> vocabulary_hash);

/// What geometry must show, as usual for the features.
void ask_for_evidence(LoopDetectorOptions& options, FeatureKind kind);
#ifdef LOOPTREE_WITH_STORE
/// The same of a single image; `min_inliers` if the user says so.
void ask_for_evidence(RelocalizeOptions& options, FeatureKind kind,
                      std::optional<std::size_t> min_inliers);
#endif

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/evaluate/protocols/synthetic_queries.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// The camera of KITTI 00 moves this far between two frames; the made-up drive does too.
inline constexpr double kMetresPerFrame = 0.82;

/// The pose of a frame of a made-up drive: its place on the road, in metres along x. Frames of one
/// place have one pose; roads that are far apart along the drive are far apart.
LOOPTREE_EVALUATE_EXPORT Pose pose_of(const WordStream& stream, std::uint64_t frame);

/// Query time against the size of the database, where only a made-up drive is long enough: the
/// first `frames` frames are inserted, later frames that come back to their places ask as positive
/// queries, and frames of another drive as negative ones. Otherwise as synthetic_queries(). Frames
/// are made as they are needed, so memory is that of the engines.
LOOPTREE_EVALUATE_EXPORT EvaluationResult scale(const WordStream& stream, std::size_t frames,
                                                std::span<const Variant> variants,
                                                const SyntheticOptions& options = {});

}  // namespace looptree::evaluate

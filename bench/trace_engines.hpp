// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>

#include "looptree/evaluate/protocols/trace_replay.hpp"

namespace looptree::bench {

/// What looptree is compared with when a SLAM system's keyframe database is replayed. Both select
/// candidates by ORB-SLAM's rules and give its answers.

/// ORB-SLAM's own structure: a linked list of keyframes per word, counters in the keyframes, and
/// vectors that are maps. Written anew, after what it does.
std::unique_ptr<evaluate::TraceEngine> make_orb_slam_like(std::span<const double> word_weights);

/// The flat inverted index one would write today: contiguous lists of frame numbers, a dense array
/// of counts, vectors that are sorted arrays.
std::unique_ptr<evaluate::TraceEngine> make_plain_keyframes(std::span<const double> word_weights);

}  // namespace looptree::bench

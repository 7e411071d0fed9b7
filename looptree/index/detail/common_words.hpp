// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/index/common_words.hpp"
#include "looptree/index/detail/frame_filter.hpp"
#include "looptree/index/detail/frame_segments.hpp"
#include "looptree/index/detail/terms.hpp"

namespace looptree::detail {

/// Counts the words that each stored frame shares with the query, from rows and lists, and keeps
/// the frames with enough of them.
CommonWords common_words(const FrameSegments& frames, const Terms& query, const FrameFilter& filter,
                         const CommonWordsOptions& options);

/// How many words more than which are enough, if the best frame has `most`.
std::uint32_t common_cut(std::uint32_t most, const CommonWordsOptions& options);

}  // namespace looptree::detail

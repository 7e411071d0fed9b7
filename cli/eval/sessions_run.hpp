// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"
#include "looptree/evaluate/protocols/sessions.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::cli {

/// What a detector answered to a drive, and what it took.
struct SessionsRun {
  std::vector<evaluate::SessionAnswer> answers;  ///< one per frame of the query that has features
  std::vector<evaluate::Metric> times;           ///< milliseconds per frame of the query, by stage
};

/// Shows the detector the reference drive, then asks it for every frame of the query. The query's
/// own frames are no answers; for the ranking by score they are left out, too. Images that cannot
/// be read count as not answered. Calibration is the query's.
SessionsRun run_sessions(Sequence& reference, Sequence& query, const FeatureExtractor& extractor,
                         const Vocabulary& vocabulary, LoopDetectorOptions options);

}  // namespace looptree::cli

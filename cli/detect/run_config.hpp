// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "looptree/dataset/sequence.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "cli/detect/detect_run.hpp"

namespace looptree::cli {

/// config.json of a run as far as it is known before the first frame. `job.depth` is chosen;
/// `vocabulary_file` says where the vocabulary came from.
nlohmann::json run_config(const DetectJob& job, const SequenceInfo& info,
                          const Vocabulary& vocabulary, const std::string& vocabulary_file);

}  // namespace looptree::cli

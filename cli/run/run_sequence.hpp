// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <nlohmann/json.hpp>

#include "looptree/dataset/sequence.hpp"

namespace looptree::cli {

/// Opens the sequence that a run was made of, as its config.json names it. Throws as
/// open_sequence() does, and Error(corruption) for a configuration without it.
std::unique_ptr<Sequence> open_sequence_of(const nlohmann::json& config);

}  // namespace looptree::cli

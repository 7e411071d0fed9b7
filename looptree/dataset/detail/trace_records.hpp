// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "looptree/dataset/detail/trace_fields.hpp"
#include "looptree/dataset/keyframe_trace.hpp"

namespace looptree::detail {

/// The record of a kind, one of KFAECNMGLR, whose letter was taken off the fields. `idf` are the
/// vocabulary's weights. Throws as KeyframeTraceReader::next() does.
TraceRecord read_record(char kind, Fields& fields, std::span<const double> idf);

}  // namespace looptree::detail

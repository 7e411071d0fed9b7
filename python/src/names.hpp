// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "looptree/common/weighting.hpp"
#include "looptree/histogram/histogram.hpp"

// Enumerations are plain strings in Python; these read them, with an Error that lists the choices.
namespace looptree::python {

Weighting weighting_of(std::string_view name);
Score score_of(std::string_view name);
Norm norm_of_name(std::string_view name);

}  // namespace looptree::python

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/common/information.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// The middle of squared_error() where information is honest: chi-square with 6 degrees of freedom,
/// whose mean is 6.
inline constexpr double kMedianSquaredError = 5.348;

/// How far a measured pose is from the true one, weighed with how sure it says it is. Over many
/// poses as sure as they say the mean is 6.
LOOPTREE_EXPORT double squared_error(const MeasuredPose& measured, const Pose& truth);

}  // namespace looptree

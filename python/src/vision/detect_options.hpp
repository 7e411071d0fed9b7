// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/detect/loop_detector.hpp"

#include "python/src/bind.hpp"

namespace looptree::python {

/// The keywords of LoopDetector(...): its options, with those of the stages inside them flattened.
/// Throws TypeError for a name that is none of them, and lists those that are.
LoopDetectorOptions detector_options(const py::kwargs& keywords, LoopDetectorOptions options = {});
/// The other way round.
py::dict keywords_of(const LoopDetectorOptions& options);
/// The keywords of verify(...), a part of them.
VerificationOptions verification_options(const py::kwargs& keywords);

}  // namespace looptree::python

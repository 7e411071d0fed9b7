// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/features/extractor.hpp"

#include "python/src/bind.hpp"

namespace looptree::python {

void bind_extractor(py::module_& m);

}  // namespace looptree::python

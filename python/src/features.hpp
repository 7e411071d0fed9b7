// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "looptree/detect/matching.hpp"
#include "looptree/features/features.hpp"
#include "looptree/features/image.hpp"

#include "python/src/arrays.hpp"

namespace looptree::python {

/// Features in Python are immutable and shared: the arrays that look at them keep them alive.
using SharedFeatures = std::shared_ptr<Features>;

/// A grey image from a two-dimensional array of uint8. A copy: an Image owns its pixels.
Image image_of(const py::handle& object);
/// An array that takes over the pixels.
py::array array_from(Image&& image);

}  // namespace looptree::python

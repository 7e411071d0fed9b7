// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/store/map_types.hpp"

#include "python/src/bind.hpp"

namespace looptree::python {

/// What insert() and NewFrame take beside the histogram.
FrameInfo frame_info(std::uint32_t session, std::optional<double> time_s, const py::object& pose,
                     const std::string& name, const py::bytes& thumbnail = {});
/// A Vocabulary to embed, or to refer to by its path; or a MapVocabulary as it is.
MapVocabulary map_vocabulary(const py::object& vocabulary, const py::object& path);
Eviction eviction_of(std::string_view name);

}  // namespace looptree::python

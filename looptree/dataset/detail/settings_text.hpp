// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace looptree::detail {

/// The leaves of a tree of settings, by their path ("cam0.intrinsics"), as words in order.
using Settings = std::map<std::string, std::vector<std::string>>;

/// The part of YAML that calibration files use: mappings by indentation, scalars, lists in brackets
/// over any number of lines or one item per line, tags and comments. What it does not understand it
/// leaves out; it never fails.
Settings parse_yaml(std::string_view text);
/// Elements without their attributes; the storage of OpenCV.
Settings parse_xml(std::string_view text);

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace looptree::cli {

/// JSON as text inside a script element of a page, which "</" would end.
std::string embeddable(const nlohmann::json& json);

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace looptree::cli

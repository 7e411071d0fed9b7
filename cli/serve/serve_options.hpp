// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/serve/http_server.hpp"

namespace looptree::cli {

/// Adds --port, --address and --token.
void add_serve_options(CLI::App& command, ServeOptions& options);

/// The page of `looptree view` around that data, without pictures of its own.
std::string served_page(const nlohmann::json& data);

}  // namespace looptree::cli

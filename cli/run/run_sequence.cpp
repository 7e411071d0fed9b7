// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/run_sequence.hpp"

#include <string>

#include "looptree/common/error.hpp"
#include "looptree/dataset/open.hpp"

namespace looptree::cli {

std::unique_ptr<Sequence> open_sequence_of(const nlohmann::json& config) {
  OpenOptions options;
  std::string path;
  try {
    const auto& sequence = config.at("sequence");
    const std::string side = sequence.at("camera");
    options.topic = sequence.value("topic", "");
    options.format = sequence.at("format");
    options.camera = side == "right"  ? CameraSide::right
                     : side == "both" ? CameraSide::both
                                      : CameraSide::left;
    path = sequence.at("path");
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorKind::corruption,
        "expected the configuration of a run in config.json, found: " + std::string(error.what()));
  }
  return open_sequence(path, options);
}

}  // namespace looptree::cli

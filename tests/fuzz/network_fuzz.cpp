// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fuzz/network_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  looptree::test::exercise_network(std::as_bytes(std::span(data, size)));
  return 0;
}

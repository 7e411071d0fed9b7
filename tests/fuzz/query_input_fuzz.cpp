// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What strangers may send to `looptree serve`: the headers of images, queries as JSON, base64.
#include <cstddef>
#include <cstdint>

#include "tests/cli/query_input_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  looptree::test::exercise_query_input({data, size});
  return 0;
}

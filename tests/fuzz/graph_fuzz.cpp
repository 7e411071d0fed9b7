// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// The readers of pose graphs and trajectories: g2o, TUM, KITTI.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/graph_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  looptree::test::exercise_graph_readers({reinterpret_cast<const char*>(data), size});
  return 0;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// The snapshot of an index. Checksums would stop nearly every mutation at the door, so the input is
// what stands under them, and they are made here.
#include <string>

#include <unistd.h>

#include "tests/fuzz/snapshot_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("looptree-fuzz-" + std::to_string(getpid()));
  looptree::test::try_snapshot({data, size}, path);
  return 0;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/error.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::test {

/// What must hold for any bytes at all: they are refused with looptree::Error, or they are a
/// vocabulary that can be used. Returns whether they were one; aborts or throws anything else where
/// neither holds. Checksums of our own format are not verified, or no damage would ever get past
/// them to what is to be tested.
inline bool exercise_vocabulary(std::span<const std::byte> bytes) {
  LoadOptions options;
  options.verify = false;
  try {
    const Vocabulary vocabulary = Vocabulary::from_bytes(bytes, options);
    Descriptors rows;
    rows.type = vocabulary.descriptor_type();
    rows.width = vocabulary.descriptor_width();
    for (std::size_t i = 0; i < 3 * rows.width; ++i) {
      rows.bytes.push_back(static_cast<std::uint8_t>(i * 37));
      rows.floats.push_back(static_cast<float>(i % 101));
    }
    const Quantized found = vocabulary.quantize(rows.view(), 1);
    for (const WordId word : found.words) {
      if (word.value >= vocabulary.size()) std::abort();
    }
    if (vocabulary.cut(1).size() > vocabulary.node_count()) std::abort();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace looptree::test

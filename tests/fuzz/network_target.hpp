// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "looptree/common/error.hpp"
#include "looptree/features/detail/learned/learned_stages.hpp"
#include "looptree/features/detail/learned/network.hpp"
#include "looptree/features/image.hpp"

namespace looptree::test {

/// What must hold for any bytes at all: they are refused with looptree::Error, or they are a
/// network that extracts features. Returns whether they were one. Checksums are not verified, or no
/// damage would ever get past them to what is to be tested.
inline bool exercise_network(std::span<const std::byte> bytes) {
  try {
    const detail::PackedNetwork net(detail::parse_network(bytes, false));
    Image image(70, 64);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      image.pixels[i] = static_cast<std::uint8_t>(i * i / 7);
    }
    check(detail::LearnedStages().extract(image, net, 20));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace looptree::test

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "looptree/common/error.hpp"

#include "cli/serve/query_input.hpp"

namespace looptree::test {

/// Calls every parser with these bytes. Whatever they accept is within their bounds, or the program
/// ends here.
inline void exercise_query_input(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto tolerate = [](const auto& call) {
    try {
      if (!call()) std::abort();
    } catch (const Error&) {
      // refused, as it may be
    }
  };
  tolerate([&] {
    const cli::ImageSize size = cli::image_size(bytes);
    return size.width > 0 && size.height > 0 &&
           std::uint64_t{size.width} * size.height <= cli::kMaxImagePixels;
  });
  tolerate([&] { return cli::parse_base64(text).size() <= bytes.size(); });
  tolerate([&] {
    const cli::JsonQuery query = cli::parse_query(text);
    return query.words.size() <= cli::kMaxWords && query.top_k >= 1 &&
           query.top_k <= cli::kMaxTopK && query.threshold >= 0 && query.threshold <= 1 &&
           (query.width == 0 ? query.descriptors.empty()
                             : query.descriptors.size() % query.width == 0);
  });
}

}  // namespace looptree::test

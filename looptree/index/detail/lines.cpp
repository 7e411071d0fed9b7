// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/lines.hpp"

#include <algorithm>
#include <cstring>

#include "looptree/index/detail/large_memory.hpp"

namespace looptree::detail {
namespace {

constexpr std::size_t kMostChunk = std::size_t{4} << 20;

std::shared_ptr<std::uint8_t> make_chunk(std::size_t bytes) {
  return {static_cast<std::uint8_t*>(allocate_large(bytes)),
          [bytes](std::uint8_t* data) { free_large(data, bytes); }};
}

}  // namespace

Lines LinePool::allocate(std::size_t lines) {
  Lines taken = take(lines * kLine);
  std::memset(taken.data(), 0, taken.bytes());
  return taken;
}

Lines LinePool::copy(const std::uint8_t* from, std::size_t lines) {
  Lines taken = take(lines * kLine);
  std::memcpy(taken.data(), from, taken.bytes());
  return taken;
}

Lines LinePool::take(std::size_t bytes) {
  if (used_ + bytes > size_) {
    // The first chunk holds one allocation, or two if that fills a huge page better; later ones are
    // twice as large each time.
    size_ = large_bytes(std::max(bytes, std::min(2 * size_, kMostChunk)));
    chunk_ = make_chunk(size_);
    used_ = 0;
  }
  std::uint8_t* data = chunk_.get() + used_;
  used_ += bytes;
  return {std::shared_ptr<std::uint8_t>(chunk_, data), bytes};
}

}  // namespace looptree::detail

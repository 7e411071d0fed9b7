// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/lines.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace looptree::detail {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostChunk = 2 * kHugePage;

std::shared_ptr<std::uint8_t> make_chunk(std::size_t bytes) {
  const std::align_val_t alignment{bytes >= kHugePage ? kHugePage : std::size_t{kLine}};
  auto* memory = static_cast<std::uint8_t*>(::operator new(bytes, alignment));
#ifdef __linux__
  if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return {memory, [alignment](std::uint8_t* data) { ::operator delete(data, alignment); }};
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
    const std::size_t wanted = std::max(bytes, std::min(2 * size_, kMostChunk));
    size_ = bytes < kHugePage / 4 ? wanted : (wanted + kHugePage - 1) / kHugePage * kHugePage;
    chunk_ = make_chunk(size_);
    used_ = 0;
  }
  std::uint8_t* data = chunk_.get() + used_;
  used_ += bytes;
  return {std::shared_ptr<std::uint8_t>(chunk_, data), bytes};
}

}  // namespace looptree::detail

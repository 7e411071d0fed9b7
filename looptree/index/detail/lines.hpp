// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "looptree/index/detail/row_plan.hpp"

namespace looptree::detail {

/// Zeroed memory in whole cache lines. A search hops over it from line to line, so large pieces ask
/// for huge pages: with small ones every other hop would also miss the page table.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::size_t lines) : lines_(lines) {
    const std::size_t bytes = (lines * kLine + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<std::uint8_t*>(::operator new (bytes, std::align_val_t{kAlignment})));
#ifdef __linux__
    if (bytes >= kHugePage) madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
    std::memset(data_.get(), 0, lines * kLine);
  }

  std::uint8_t* data() {
    return data_.get();
  }
  const std::uint8_t* data() const {
    return data_.get();
  }
  bool empty() const {
    return data_ == nullptr;
  }
  std::size_t bytes() const {
    return lines_ * kLine;
  }

 private:
  static constexpr std::size_t kAlignment = 4096;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  struct Free {
    void operator()(std::uint8_t* data) const {
      ::operator delete (data, std::align_val_t{kAlignment});
    }
  };

  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t lines_ = 0;
};

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/snapshot/piece.hpp"

#include "looptree/common/error.hpp"

namespace looptree::detail {

void SnapshotSource::fail(const std::string& what) {
  throw Error(ErrorKind::corruption, "snapshot: expected " + what + ", found otherwise");
}

void SnapshotSource::align() {
  const std::size_t up = (at_ + kSnapshotAlignment - 1) / kSnapshotAlignment * kSnapshotAlignment;
  expect(up <= bytes_.size(), "a part that ends inside the file");
  at_ = up;
}

std::byte* SnapshotSource::take(std::size_t size) {
  expect(size <= bytes_.size() - at_, "a number that ends inside the file");
  std::byte* taken = bytes_.data() + at_;
  at_ += size;
  return taken;
}

}  // namespace looptree::detail

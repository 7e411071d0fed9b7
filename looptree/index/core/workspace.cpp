// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/workspace.hpp"

#include <algorithm>
#include <mutex>

namespace looptree::detail {
namespace {

class Pool {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;  // the one used last is taken first: it is warm
};

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

WorkspaceLease::WorkspaceLease() : workspace_(pool().take()) {
  if (!workspace_) workspace_ = std::make_unique<Workspace>();
}

WorkspaceLease::~WorkspaceLease() {
  try {
    pool().give(std::move(workspace_));
  } catch (const std::bad_alloc&) {  // then it is freed instead of kept
  }
}

Workspace::~Workspace() {
  for (Pieces& pieces : pieces_) {
    while (pieces.count > 0) ::operator delete(pieces.memory[--pieces.count]);
  }
}

std::size_t Workspace::size_class(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width((std::max(bytes, kSmallest) - 1) / kSmallest));
}

void* Workspace::take(std::size_t bytes) {
  const std::size_t size = size_class(bytes);
  if (size >= kSizes) return ::operator new(bytes);
  Pieces& pieces = pieces_[size];
  return pieces.count > 0 ? pieces.memory[--pieces.count] : ::operator new(kSmallest << size);
}

void Workspace::give(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = size_class(bytes);
  if (size >= kSizes || pieces_[size].count == kKept) return ::operator delete(memory);
  Pieces& pieces = pieces_[size];
  pieces.memory[pieces.count++] = memory;
}

}  // namespace looptree::detail

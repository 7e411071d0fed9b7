// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <shared_mutex>

namespace looptree::detail {

/// A shared mutex under which neither side starves: whoever comes after a waiting writer waits
/// behind it. (The system's own lets readers overtake a writer for ever.)
class FairSharedMutex {
 public:
  void lock() {
    gate_.lock();
    state_.lock();
  }
  void unlock() {
    state_.unlock();
    gate_.unlock();
  }
  void lock_shared() {
    const std::lock_guard pass(gate_);
    state_.lock_shared();
  }
  void unlock_shared() { state_.unlock_shared(); }

 private:
  std::mutex gate_;
  std::shared_mutex state_;
};

}  // namespace looptree::detail

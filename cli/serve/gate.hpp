// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace looptree::cli {

/// Where requests wait for work that takes a core: some are inside at once, some more stand in line
/// and get in in the order they came, each after `patience` at most. Who finds the line full, or
/// has waited that long, is turned away. Any number of threads.
class Gate {
 public:
  struct Leave {
    void operator()(Gate* gate) const { gate->leave(); }
  };
  /// Its holder is inside until it goes; empty: turned away.
  using Pass = std::unique_ptr<Gate, Leave>;

  Gate(std::size_t inside, std::size_t in_line, std::chrono::milliseconds patience);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  Pass enter();
  /// How many stand in line.
  std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable called;
    bool admitted = false;
  };

  void leave();

  const std::size_t most_in_line_;
  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  std::size_t free_;          // guarded by mutex_, as is the line; 0 while anybody stands in it
  std::deque<Waiter*> line_;  // each on the stack of its thread
};

}  // namespace looptree::cli

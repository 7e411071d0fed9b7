// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace looptree::detail {

/// Has the process's one thread for such things do this, after all it was given before. The thread
/// is made on first use. Throws std::bad_alloc, or std::system_error if there can be no thread.
void run_beside(std::function<void()> work);

/// Something made beside the thread that will want it: memory that the system takes milliseconds to
/// find and to zero. Nobody ever waits for it. Who comes before it is ready makes it, so what there
/// is depends on the inputs alone, and only who spends the time on the machine's mood.
template <typename T>
class Beside {
 public:
  bool asked() const { return slot_ != nullptr; }

  /// Has it made. `make` refers to nothing that may go away, and may throw: then it never is ready.
  template <typename Make>
  void ask(Make make) noexcept {
    try {
      auto slot = std::make_shared<Slot>();
      run_beside([slot, make = std::move(make)] {
        if (slot.use_count() == 1) return;  // nobody wants it any more
        try {
          slot->value = std::make_unique<T>(make());
          slot->ready.store(true, std::memory_order_release);
        } catch (const std::exception&) {  // who wants it makes it, and has somebody to tell
        }
      });
      slot_ = std::move(slot);
    } catch (const std::exception&) {  // likewise
    }
  }

  /// What was asked for; null if it is not ready.
  std::unique_ptr<T> take() noexcept {
    if (look() == nullptr) return nullptr;
    return std::move(std::exchange(slot_, nullptr)->value);
  }
  const T* look() const {
    const bool ready = slot_ && slot_->ready.load(std::memory_order_acquire);
    return ready ? slot_->value.get() : nullptr;
  }

 private:
  struct Slot {
    std::atomic<bool> ready = false;
    std::unique_ptr<T> value;
  };
  std::shared_ptr<Slot> slot_;
};

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/beside.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace looptree::detail {
namespace {

/// The thread, and what it is to do. After fork() the child has no such thread: what it asks for is
/// never ready.
class Helper {
 public:
  ~Helper() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    if (thread_) thread_->join();
  }

  void give(std::function<void()> work) {
    if (is_of_the_parent()) return;  // who may have held the mutex when it forked
    {
      const std::lock_guard lock(mutex_);
      if (!thread_) {
        thread_ = std::make_unique<std::thread>([this] { run(); });
        process_ = ::getpid();
      }
      queue_.push_back(std::move(work));
    }
    wake_.notify_one();
  }

  bool is_of_the_parent() const {
    const pid_t process = process_;
    return process != 0 && process != ::getpid();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::unique_ptr<std::thread> thread_;
  std::atomic<pid_t> process_ = 0;  ///< that the thread is of
  bool stopping_ = false;
};

/// Ends the thread with the process, but not that of the parent: a child would wait for ever.
struct Owner {
  Owner() = default;
  ~Owner() {
    if (helper->is_of_the_parent()) static_cast<void>(helper.release());
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  std::unique_ptr<Helper> helper = std::make_unique<Helper>();
};

}  // namespace

void run_beside(std::function<void()> work) {
  static Owner owner;
  owner.helper->give(std::move(work));
}

}  // namespace looptree::detail

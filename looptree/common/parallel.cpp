// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace looptree {
namespace {

thread_local bool inside_body = false;

/// One parallel_for: its items, and how many threads are still at them.
struct Job {
  std::size_t count;
  const std::function<void(std::size_t)>* body;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable idle;
  std::size_t active = 0;
  std::exception_ptr failure;

  void work() {
    inside_body = true;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        (*body)(i);
      } catch (...) {
        next.store(count);
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
    inside_body = false;
  }
};

/// Threads that wait for jobs, made on first use and kept for the life of the process: a search
/// that is split in two takes a fraction of the time that starting a thread does.
class Pool {
 public:
  static Pool& instance() {
    static Pool pool;
    return pool;
  }

  /// Lends up to `helpers` threads to the job. A helper that arrives late finds nothing to do.
  void lend(const std::shared_ptr<Job>& job, std::size_t helpers) {
    {
      const std::lock_guard lock(mutex_);
      while (threads_.size() < helpers) threads_.emplace_back([this] { run(); });
      for (std::size_t i = 0; i < helpers; ++i) queue_.push_back(job);
    }
    wake_.notify_all();
  }

 private:
  Pool() = default;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      const std::shared_ptr<Job> job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      {
        const std::lock_guard job_lock(job->mutex);
        if (job->next.load() >= job->count) continue;  // finished: its body may be gone
        ++job->active;
      }
      job->work();
      const std::lock_guard job_lock(job->mutex);
      if (--job->active == 0) job->idle.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::vector<std::thread> threads_;
  bool stopping_ = false;
};

}  // namespace

std::size_t thread_count(std::size_t requested) {
  if (requested != 0) return requested;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& body) {
  const std::size_t wanted = std::min(thread_count(threads), count);
  if (wanted <= 1 || inside_body) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  const auto job = std::make_shared<Job>();
  job->count = count;
  job->body = &body;
  Pool::instance().lend(job, wanted - 1);
  job->work();
  std::unique_lock lock(job->mutex);
  job->idle.wait(lock, [&] { return job->active == 0; });
  // A helper may be the last to let go of the job; the exception is the caller's alone.
  const std::exception_ptr failure = std::exchange(job->failure, nullptr);
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace looptree

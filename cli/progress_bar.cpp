// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/progress_bar.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

namespace looptree::cli {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
}

constexpr int kBarWidth = 30;

}  // namespace

bool interrupted_by_user() {
  return interrupted != 0;
}

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(steady_clock::now()),
      last_(start_) {
  std::signal(SIGINT, on_interrupt);
}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

bool ProgressBar::update(std::size_t done, std::size_t total, const std::string& note) {
  const auto now = steady_clock::now();
  const double elapsed = duration<double>(now - start_).count();
  const bool due = elapsed > 1 && duration<double>(now - last_).count() > 0.1;
  if (terminal_ && due) {
    if (total == 0) {
      fmt::print(stderr, "\r{}: {} so far  {}\033[K", title_, done, note);
    } else {
      draw(done, total, elapsed, note);
    }
    std::fflush(stderr);
    last_ = now;
    drawn_ = true;
  }
  return interrupted == 0;
}

void ProgressBar::draw(std::size_t done, std::size_t total, double elapsed,
                       const std::string& note) {
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const int filled = static_cast<int>(fraction * kBarWidth);
  const double left = fraction > 0 ? elapsed * (1 - fraction) / fraction : 0;
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:3.0f}%  {:.0f} s left  {}\033[K", title_, "", filled,
             "", kBarWidth - filled, fraction * 100, left, note);
}

ProgressCallback ProgressBar::callback() {
  return [this](std::size_t done, std::size_t total) { return update(done, total); };
}

}  // namespace looptree::cli

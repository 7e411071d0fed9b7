// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/detail/quiet_ceres.hpp"

#include <mutex>

// A Ceres built with a log of its own, without glog, cannot be told.
#if __has_include(<glog/logging.h>)
#include <glog/logging.h>
#define LOOPTREE_HAS_GLOG 1
#else
#define LOOPTREE_HAS_GLOG 0
#endif

namespace looptree::detail {

#if LOOPTREE_HAS_GLOG
namespace {

std::mutex mutex;
int quiet = 0;   // how many live
int before = 0;  // what the first of them found

}  // namespace

QuietCeres::QuietCeres() {
  const std::lock_guard lock(mutex);
  if (quiet++ > 0) return;
  before = FLAGS_minloglevel;
  FLAGS_minloglevel = google::GLOG_FATAL;
}

QuietCeres::~QuietCeres() {
  const std::lock_guard lock(mutex);
  if (--quiet == 0) FLAGS_minloglevel = before;
}
#else
QuietCeres::QuietCeres() = default;
QuietCeres::~QuietCeres() = default;
#endif

}  // namespace looptree::detail

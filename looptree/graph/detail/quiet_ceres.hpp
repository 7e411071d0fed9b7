// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

namespace looptree::detail {

/// While one lives, Ceres' log is silent: it warns of equations it cannot solve on stderr, whatever
/// its options say, and we report that as an Error. The log, glog's, is one for the process: what
/// others write to it meanwhile, but for what ends the process, is lost, too.
class QuietCeres {
 public:
  QuietCeres();
  ~QuietCeres();
  QuietCeres(const QuietCeres&) = delete;
  QuietCeres& operator=(const QuietCeres&) = delete;
};

}  // namespace looptree::detail

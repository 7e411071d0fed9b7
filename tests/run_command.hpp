// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace looptree::test {

struct Outcome {
  int code;
  std::string output;  ///< standard output and error together
};

/// Runs a shell command.
inline Outcome run_command(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome = {-1, ""};
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// Expects the exit code, and `fragment` somewhere in the output.
inline void expect(const Outcome& outcome, int code, const std::string& fragment) {
  EXPECT_EQ(outcome.code, code) << outcome.output;
  EXPECT_NE(outcome.output.find(fragment), std::string::npos) << outcome.output;
}

}  // namespace looptree::test

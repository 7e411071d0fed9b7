// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/query.hpp"

#include <string>

#include "looptree/common/error.hpp"
#include "looptree/index/common_words.hpp"

namespace looptree {
namespace {

void check_fraction(double value, const char* name) {
  if (value >= 0 && value <= 1) return;  // false for NaN
  throw Error(ErrorKind::invalid_argument,
              std::string("expected a ") + name + " from 0 to 1, found " + std::to_string(value));
}

}  // namespace

void check(const QueryOptions& options) {
  check_fraction(options.threshold, "threshold");
  check_fraction(options.slack, "slack");
  require(options.top_k > 0, ErrorKind::invalid_argument,
          "expected top_k of at least 1, found 0 (QueryOptions::kUnlimited returns all)");
  require(options.beam > 0, ErrorKind::invalid_argument, "expected a beam of at least 1, found 0");
}

void check(const CommonWordsOptions& options) {
  check_fraction(options.fraction, "fraction of the most common words");
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "looptree/histogram/histogram.hpp"
#include "looptree/index/query.hpp"

namespace looptree::bench {

/// What is asked of every engine alike.
struct Question {
  double threshold = 0;   ///< 0: none
  std::size_t top_k = 0;  ///< 0: all that reach the threshold
  std::string name() const;
};

/// An index under measurement. Engines live in a file each and are made by name.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  virtual void insert(const Histogram& histogram) = 0;
  /// Best first.
  virtual std::vector<Match> query(const Histogram& histogram, const Question& question) const = 0;
  virtual std::size_t bytes() const = 0;
  /// Whether it may be asked while another thread inserts.
  virtual bool concurrent() const { return false; }
};

/// `plain`, `lists`, or a topology of looptree with what is to be changed about its query
/// behind it: `d1`, `d1@avx2`, `d1@2threads`, `d2b16-mean`, `d2b16-mean@slack0.8`. Throws
/// Error(invalid_argument) for other names.
std::unique_ptr<Engine> make_engine(const std::string& name, std::span<const double> word_weights);

std::unique_ptr<Engine> make_plain(std::uint32_t words);
std::unique_ptr<Engine> make_lists(std::uint32_t words);
std::unique_ptr<Engine> make_looptree(const std::string& name,
                                      std::span<const double> word_weights);

}  // namespace looptree::bench

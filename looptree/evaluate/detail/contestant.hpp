// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/result.hpp"

namespace looptree::evaluate::detail {

/// A variant at work on a sequence. Speaks in frame numbers of the sequence, whichever frames the
/// engine holds: an image without words, or one that is no keyframe, is not inserted.
class Contestant {
 public:
  explicit Contestant(const Variant& variant);

  /// Frames come in ascending order.
  void insert(std::size_t frame, const Histogram& histogram);
  std::size_t size() const { return frame_of_.size(); }
  /// How many of the frames it holds lie below `frame`.
  std::size_t size_below(std::size_t frame) const;

  /// Matches with frames below `last`. `histogram` is not empty.
  std::vector<Match> query(const Histogram& histogram, QueryOptions options,
                           std::size_t last) const;

 private:
  std::unique_ptr<Engine> engine_;
  std::vector<bool> keep_;
  std::vector<std::uint32_t> frame_of_;
};

/// One engine per variant, all fed the same frames.
class Contest {
 public:
  explicit Contest(std::span<const Variant> variants);

  void insert(std::size_t frame, const Histogram& histogram);
  std::size_t size() const { return contestants_.size(); }
  const Contestant& operator[](std::size_t variant) const { return contestants_[variant]; }

  struct Question {
    const Histogram& histogram;
    QueryOptions options;
    std::size_t last = 0;  ///< answers lie below this frame
    std::uint32_t number = 0;
    QueryKind kind = QueryKind::route;
    /// One threshold per variant, in place of the options'; empty: the same for all.
    std::span<const double> thresholds = {};
  };

  /// Times the question `passes` times with every variant, taking turns in changing order so that
  /// a slow moment of the machine, or a cache just warmed, favours none; appends to `times`. What
  /// counts is processor time of the calling thread: other programs may be busy.
  /// Returns the answer of each variant.
  std::vector<std::vector<Match>> time(const Question& question, std::size_t passes,
                                       std::vector<QueryTime>& times);

 private:
  std::vector<Contestant> contestants_;
  std::size_t turn_ = 0;
};

}  // namespace looptree::evaluate::detail

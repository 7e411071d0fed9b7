// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "looptree/common/ids.hpp"
#include "looptree/detect/evidence.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// Remembers where closures have led. A camera in a known street stays there for a while.
class LOOPTREE_VISION_EXPORT ClosureTrail {
 public:
  /// So many queries in a row may do without a closure before the trail is lost.
  explicit ClosureTrail(std::size_t max_missed) : max_missed_(max_missed) {}

  /// The frame that a query was closed with; nothing if there was no closure.
  void add(std::optional<FrameId> match);
  /// Closures in a row that led to the last one, with a few refusals between them; 0: none lately.
  std::size_t length() const { return length_; }
  /// Whether it leads to the frame.
  bool leads_to(FrameId frame) const;
  /// The frames it leads to, first and last plus one; while there is a trail.
  std::pair<FrameId, FrameId> around() const;

 private:
  std::size_t max_missed_;
  FrameId last_{};
  std::size_t length_ = 0;
  std::size_t missed_ = 0;  ///< queries since without a closure
};

/// A candidate of a query that geometry has looked at.
struct Looked {
  FrameId frame;
  std::size_t inliers = 0;
  Judgement judgement{};
};

/// Whether two frames of the map, which lie apart in it, show one place.
using SamePlace = std::function<bool(FrameId, FrameId)>;

/// Which of the candidates of a query is its closure: the one of most inliers that is believed and,
/// unless it is beyond doubt or the trail leads there, distinct: no frame of another place has
/// nearly as many. Streets that resemble each other agree with the camera about equally badly, the
/// place where it is agrees better. Nothing if there is none. `same_place` is asked of few pairs;
/// without it frames far apart in the map are other places. Threads: free.
LOOPTREE_VISION_EXPORT std::optional<std::size_t> choose_closure(std::span<const Looked> candidates,
                                                                 const ClosureTrail& trail,
                                                                 const Evidence& evidence,
                                                                 const SamePlace& same_place = {});

}  // namespace looptree

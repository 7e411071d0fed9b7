// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"

namespace looptree::cli {

/// The map of `detect --map`: starts or continues one.
class DetectMap {
 public:
  /// Opens the map for writing if there is one; `detector` says how many frames it may hold, and
  /// what of their features. Throws as Map::open() does, and
  /// Error(invalid_argument) if `topology` is given and is not the map's.
  DetectMap(const std::string& path, const std::optional<std::string>& topology,
            const LoopDetectorOptions& detector);
  ~DetectMap();
  DetectMap(const DetectMap&) = delete;
  DetectMap& operator=(const DetectMap&) = delete;

  /// The map's own vocabulary; nothing if there is no map yet.
  std::optional<Vocabulary> vocabulary() const;
  /// A detector on the map, which is made first if there is none. Frames it takes in get the ids
  /// from first() on.
  LoopDetector start(const Vocabulary& vocabulary, const std::string& session,
                     const LoopDetectorOptions& options,
                     std::unique_ptr<KeyframeSelector> selector);
  FrameId first() const;
  std::size_t frames_before() const;
  /// Commits everything. Throws where that fails.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace looptree::cli

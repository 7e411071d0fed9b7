// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "looptree/features/features.hpp"
#include "looptree/features/image.hpp"

namespace looptree::cli {

/// A frame as it is drawn: its image, or the small one that a map kept of it, and its features, in
/// pixels of the whole image.
struct ShownFrame {
  Image image;
  Features features;
  std::string name;  ///< for people: "frame 12", "frame 12 (000012.png) of session 0"
};

/// The frames of a run, and those of its map. Where an image is gone, the map's thumbnail and
/// features stand for it.
class ShownFrames {
 public:
  /// `config`: of the run. Throws Error(corruption) if it is no such.
  explicit ShownFrames(const nlohmann::json& config);
  ~ShownFrames();
  ShownFrames(const ShownFrames&) = delete;
  ShownFrames& operator=(const ShownFrames&) = delete;

  /// By its number in the sequence. A video is read forwards: the earlier frame first. Throws as
  /// Sequence::image() does where the map has no thumbnail either.
  ShownFrame frame(std::size_t number);
  /// By its id in the run's map, which may be of any session. Throws Error(not_found) for a run
  /// without a map, an id that is not there, and a frame whose image is gone and was not kept.
  ShownFrame map_frame(std::uint32_t id);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

struct LiveOptions {
  /// A pipe of raw grey images of 8 bits has this size; 0: it is of JPEG and PNG images.
  int raw_width = 0;
  int raw_height = 0;
  /// Ends when nothing came for so many seconds; 0: never.
  double idle_s = 0;
};

/// One image of a live source, or why it could not be read.
struct LiveFrame {
  /// Counts what the source gave, so that frames that were dropped leave a gap.
  std::uint64_t number = 0;
  /// The file's name, or "frame N"; time_s is seconds of the system's clock when it came.
  SequenceFrame info{};
  Image image{};
  std::optional<Error> error{};
};

/// Images that come one at a time, nobody knows how many. Not for several threads at once.
class LOOPTREE_VISION_EXPORT LiveSource {
 public:
  virtual ~LiveSource() = default;
  /// Asked a few times a second while nothing comes; false ends the wait.
  using KeepWaiting = std::function<bool()>;
  /// The next image; nothing at the end of the source, after idle_s, and when `keep_waiting` says
  /// no. Throws Error(io) if the source fails.
  virtual std::optional<LiveFrame> next(const KeepWaiting& keep_waiting = {}) = 0;
  /// Images that came and went while the caller was busy. A camera does not wait; pipes and folders
  /// do, and lose none.
  virtual std::uint64_t dropped() const { return 0; }
};

/// Whether open_live() takes it without being told: "-", "/dev/video0", a number (that camera), or
/// an address with "://".
LOOPTREE_VISION_EXPORT bool is_live(const std::string& what);

/// Opens a live source:
///   /dev/video0, 0    a camera
///   rtsp://, http://  a stream, as OpenCV's video backends take it
///   -                 standard input: JPEG and PNG images one after the other, or raw_width x
///                     raw_height bytes each (ffmpeg -f rawvideo -pix_fmt gray -)
///   a folder          the images in it, and those that are still to come
/// Throws Error(not_found) if there is nothing of that name or it cannot be opened.
LOOPTREE_VISION_EXPORT std::unique_ptr<LiveSource> open_live(const std::string& what,
                                                             const LiveOptions& options = {});

}  // namespace looptree

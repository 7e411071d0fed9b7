// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/detect/loop_detector.hpp"

#include "cli/detect/evidence.hpp"
#include "cli/sequence_options.hpp"
#include "cli/serve/http_server.hpp"

namespace looptree::cli {

/// The page of a run that is going on, served while it goes. Every frame reaches the browsers that
/// look as a server-sent event. Their thumbnails are kept in a temporary folder until the end.
class LiveRun {
 public:
  static constexpr int kThumbnailWidth = 480;  ///< of the frames that add() gets

  /// Listens at once. Throws as HttpServer does.
  LiveRun(const std::string& source, const ServeOptions& serve);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  std::string url() const;
  /// As DetectJob::on_frame calls it. Costs a fraction of a millisecond.
  void add(const FrameFeatures& frame, const Detection& detection, const FrameEvidence& evidence);
  /// Tells the browsers that this was all, and which command shows it from now on; gives them half
  /// a second to hear of it.
  void finish(const std::string& next);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace looptree::cli

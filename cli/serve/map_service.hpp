// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "looptree/detect/relocalize.hpp"
#include "looptree/features/extractor.hpp"

#include "cli/sequence_options.hpp"
#include "cli/serve/http_server.hpp"

namespace looptree::cli {

/// Answers what docs/view.md describes about a map: places, their pictures, closures, and where an
/// image was taken. The map is opened for reading and follows its writer. Any number of threads.
/// Images wait for one of as many places as there are cores, words and descriptors for one of four
/// times as many of their own, 2 s at most; the rest does not wait.
class MapService {
 public:
  /// Features and evidence are those that fit the map, unless the user says otherwise. Throws as
  /// Map::open(), load_vocabulary() and fit_features() do.
  MapService(const std::string& map, const ExtractorChoice& extractor, RelocalizeOptions options,
             std::optional<std::size_t> min_inliers);
  ~MapService();

  /// Adds its paths below /api to a server, which must not outlive it.
  void add_to(HttpServer& server);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace looptree::cli

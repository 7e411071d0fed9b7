// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/map_detector.hpp"

#include <optional>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

class InMap final : public DetectorMemory {
 public:
  InMap(std::shared_ptr<Map> map, std::string session_name, bool keep_features)
      : map_(std::move(map)),
        session_name_(std::move(session_name)),
        keep_features_(keep_features) {}

  std::shared_ptr<const PooledIndex> index() const override { return map_->index(); }

  FrameId insert(const Histogram& histogram, const Features& features,
                 const FrameInfo& info) override {
    FrameInfo ours = info;
    if (!session_) session_ = map_->start_session(session_name_);
    ours.session = *session_;
    return map_->insert(histogram, ours, keep_features_ ? features : Features{});
  }

  const Features& features(FrameId frame) const override {
    std::optional<Features> stored = map_->features(frame);
    if (!stored) {
      throw Error(ErrorKind::not_found, map_->path().string() + ": expected frame " +
                                            std::to_string(frame.value) +
                                            ", found none of that id");
    }
    last_ = std::move(*stored);
    return last_;
  }

  std::optional<FrameInfo> info(FrameId frame) const override { return map_->info(frame); }

  void add_closure(const MapClosure& closure) override { map_->add_closure(closure); }

 private:
  std::shared_ptr<Map> map_;
  std::string session_name_;
  std::optional<SessionId> session_;  ///< once it has a frame
  bool keep_features_;
  mutable Features last_;  // that were asked for
};

}  // namespace

LoopDetector make_map_detector(std::shared_ptr<Map> map, Vocabulary vocabulary,
                               const std::string& session_name, LoopDetectorOptions options,
                               std::unique_ptr<KeyframeSelector> selector) {
  if (map->vocabulary().hash != vocabulary.content_hash()) {
    throw Error(ErrorKind::invalid_argument,
                map->path().string() +
                    ": expected the vocabulary that the map was made with, found another; "
                    "load_vocabulary() gives the map's own");
  }
  auto memory = std::make_unique<InMap>(std::move(map), session_name, options.verify_geometry);
  return {std::move(vocabulary), std::move(memory), std::move(options), std::move(selector)};
}

}  // namespace looptree

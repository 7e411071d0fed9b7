// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/scale.hpp"

#include <utility>
#include <vector>

namespace looptree::evaluate {
namespace {

constexpr std::size_t kQueries = 1000;
constexpr std::uint32_t kFarAway = 500;  // frames between two queries that are drawn: other places

Histogram histogram_of(const WordStream& stream, std::uint64_t frame) {
  return make_histogram(stream.frame(frame), stream.word_weights());
}

/// Views, after the drive, of places that it passed.
std::vector<std::uint64_t> later_views(const WordStream& stream, std::size_t frames) {
  std::vector<std::uint64_t> views;
  const std::uint64_t end = frames + kQueries * 200;
  for (std::uint64_t frame = frames; frame < end && views.size() < kQueries; frame += 7) {
    const auto first = stream.revisits(frame);
    if (first && *first < frames) views.push_back(frame);
  }
  return views;
}

/// Another drive through a world of the same statistics.
std::vector<Histogram> elsewhere(const WordStream& stream) {
  WordStreamOptions options = stream.options();
  options.seed += 0x5EED;
  const WordStream other(options);
  std::vector<Histogram> histograms;
  for (std::size_t i = 0; i < kQueries / 2; ++i) {
    histograms.push_back(histogram_of(other, i * kFarAway));
  }
  return histograms;
}

}  // namespace

Pose pose_of(const WordStream& stream, std::uint64_t frame) {
  Pose pose;
  pose.translation[0] = kMetresPerFrame * stream.position(frame);
  return pose;
}

EvaluationResult scale(const WordStream& stream, std::size_t frames,
                       std::span<const Variant> variants, const SyntheticOptions& options) {
  std::vector<PositiveQuery> positive;
  std::vector<Pose> query_poses;
  for (const std::uint64_t view : later_views(stream, frames)) {
    positive.push_back({histogram_of(stream, view), *stream.revisits(view)});
    query_poses.push_back(pose_of(stream, view));
  }
  std::vector<Pose> frame_poses;
  for (std::size_t i = 0; i < frames; ++i) frame_poses.push_back(pose_of(stream, i));
  const SyntheticQueries queries{
      std::move(positive), elsewhere(stream),
      GroundTruth::by_poses(std::move(query_poses), std::move(frame_poses))};
  const FrameSource source{frames, [&](std::size_t frame) { return histogram_of(stream, frame); }};
  EvaluationResult result = synthetic_queries(source, queries, variants, options);
  result.protocol = "scale";
  return result;
}

}  // namespace looptree::evaluate

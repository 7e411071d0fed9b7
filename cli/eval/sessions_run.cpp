// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/eval/sessions_run.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/detect/detector_memory.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/index_options.hpp"

#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

/// How many frames of the best score are kept.
constexpr std::size_t kRanked = 20;

void show(ProgressBar& bar, std::size_t frame, const Sequence& sequence) {
  if (bar.update(frame + 1, sequence.size())) return;
  throw Error(ErrorKind::cancelled, "stopped on request");
}

Histogram histogram_of(const Features& features, const Vocabulary& vocabulary) {
  return make_histogram(vocabulary.words(features.descriptors.view()), vocabulary.word_weights(),
                        {.weighting = vocabulary.weighting()});
}

/// The reference drive as a detector remembers it.
struct Reference {
  std::unique_ptr<DetectorMemory> memory;
  std::vector<std::size_t> numbers;  ///< of every frame in the memory, its number in the drive
};

Reference remember(Sequence& sequence, const FeatureExtractor& extractor,
                   const Vocabulary& vocabulary, const LoopDetectorOptions& options) {
  Reference reference{keep_in_memory(index_options(vocabulary, options.topology)), {}};
  FeatureStream stream(sequence, extractor);
  ProgressBar bar("reference");
  while (const auto frame = stream.next()) {
    show(bar, frame->number, sequence);
    const Histogram histogram = histogram_of(frame->features, vocabulary);
    if (histogram.empty()) continue;
    reference.memory->insert(histogram, frame->features, {});
    reference.numbers.push_back(frame->number);
  }
  return reference;
}

/// Asks a detector frame by frame and adds up its times.
class Asker {
 public:
  Asker(Reference reference, const Vocabulary& vocabulary, LoopDetectorOptions options)
      : numbers_(std::move(reference.numbers)), vocabulary_(vocabulary) {
    // Between the two drives the camera was elsewhere, and within one no loops are asked for.
    options.exclude_recent = std::numeric_limits<std::uint32_t>::max();
    detector_.emplace(vocabulary, std::move(reference.memory), std::move(options));
  }

  void ask(const FrameFeatures& frame, const std::optional<Pose>& pose) {
    ++frames_;
    read_ms_ += frame.read_ms;
    extract_ms_ += frame.extract_ms;
    const Histogram histogram = histogram_of(frame.features, vocabulary_);
    if (histogram.empty()) return;
    evaluate::SessionAnswer answer{.query = frame.number};
    for (const Match& match : ranked(histogram))
      answer.ranked.push_back(numbers_[match.frame.value]);
    const Detection detection = detector_->process(frame.features, pose);
    add(detection.times);
    // A match that geometry never looked at has no evidence to be judged by.
    if (detection.match && detection.verified > 0) {
      answer.match = numbers_[detection.match->id->value];
      answer.inliers = static_cast<double>(detection.verification.inliers.size());
      answer.claimed = detection.is_closure();
    }
    run_.answers.push_back(std::move(answer));
  }

  SessionsRun finish() {
    const auto add_mean = [&](const char* name, double total) {
      run_.times.push_back({name, total / static_cast<double>(std::max<std::size_t>(1, frames_))});
    };
    add_mean("read_ms", read_ms_);
    add_mean("extract_ms", extract_ms_);
    add_mean("histogram_ms", stages_.histogram_ms);
    add_mean("query_ms", stages_.query_ms);
    add_mean("temporal_ms", stages_.temporal_ms);
    add_mean("verify_ms", stages_.verify_ms);
    add_mean("insert_ms", stages_.insert_ms);
    return std::move(run_);
  }

 private:
  std::vector<Match> ranked(const Histogram& histogram) const {
    QueryOptions options{.top_k = kRanked};
    options.filter.last = FrameId{static_cast<std::uint32_t>(numbers_.size())};
    return detector_->index().query(histogram, options).matches;
  }

  void add(const StageTimes& times) {
    stages_.histogram_ms += times.histogram_ms;
    stages_.query_ms += times.query_ms;
    stages_.temporal_ms += times.temporal_ms;
    stages_.verify_ms += times.verify_ms;
    stages_.insert_ms += times.insert_ms;
  }

  std::vector<std::size_t> numbers_;
  const Vocabulary& vocabulary_;
  std::optional<LoopDetector> detector_;
  SessionsRun run_;
  StageTimes stages_;
  std::size_t frames_ = 0;
  double read_ms_ = 0;
  double extract_ms_ = 0;
};

}  // namespace

SessionsRun run_sessions(Sequence& reference, Sequence& query, const FeatureExtractor& extractor,
                         const Vocabulary& vocabulary, LoopDetectorOptions options) {
  options.calibration = query.info().calibration;
  Asker asker(remember(reference, extractor, vocabulary, options), vocabulary, options);
  FeatureStream stream(query, extractor);
  ProgressBar bar("query");
  while (const auto frame = stream.next()) {
    show(bar, frame->number, query);
    asker.ask(*frame, query.info().frames[frame->number].pose);
  }
  return asker.finish();
}

}  // namespace looptree::cli

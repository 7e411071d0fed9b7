// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/loop_detector.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"
#include "looptree/common/thread_time.hpp"
#include "looptree/detect/choice.hpp"
#include "looptree/detect/detail/candidates.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/index/index_options.hpp"
#include "looptree/vocabulary/box.hpp"

namespace looptree {
namespace {

using detail::Candidate;

double now_ms(StageClock clock) {
  if (clock == StageClock::processor) return thread_ms();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

/// Adds the time of its life to a stage.
class Stopwatch {
 public:
  Stopwatch(StageClock clock, double& total_ms)
      : clock_(clock), total_ms_(total_ms), start_(now_ms(clock)) {}
  ~Stopwatch() { total_ms_ += now_ms(clock_) - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  StageClock clock_;
  double& total_ms_;
  double start_;
};

/// A frame as it is verified.
struct SeenFrame {
  const Features& features;
  std::vector<std::uint32_t> nodes;  ///< with a direct index: of every descriptor
};

void check_options(const LoopDetectorOptions& options, const Vocabulary& vocabulary) {
  const auto expect = [](bool holds, const char* message) {
    require(holds, ErrorKind::invalid_argument, message);
  };
  expect(vocabulary.scoring() == Score::l1,
         "expected a vocabulary scored by L1, which the index computes, found another score");
  require_number(options.threshold >= 0 && options.threshold <= 1, "a threshold from 0 to 1",
                 options.threshold);
  expect(options.top_k >= 1, "expected top_k of at least 1, found 0");
  expect(options.consistent_queries >= 1, "expected consistent_queries of at least 1, found 0");
  expect(options.max_frames.value_or(1) >= 1, "expected max_frames of at least 1, found 0");
  expect(options.max_verified >= 1, "expected max_verified of at least 1, found 0");
  if (options.calibration) check(*options.calibration);
  check(options.evidence);
}

/// A closure's pose as maps keep it.
std::optional<ClosurePose> stored_pose(const Verification& verification) {
  if (const auto& metric = verification.metric) {
    return ClosurePose{metric->match_from_query.pose, true, metric->match_from_query.information};
  }
  const auto& pose = verification.match_from_query;
  if (!pose) return std::nullopt;
  return ClosurePose{{pose->rotation, pose->direction}, false, pose->information};
}

/// A candidate after verification.
struct Verdict {
  Candidate candidate;
  Judgement judgement{};
  Verification verification{};
};

/// What becomes of a frame whose best candidate is no closure.
Decision refusal(const Judgement& judgement, bool by_geometry) {
  if (!by_geometry) return Decision::not_consistent;
  if (judgement.believed) return Decision::not_distinct;
  return judgement.verified ? Decision::not_consistent : Decision::not_verified;
}

}  // namespace

struct LoopDetector::Impl {
  Impl(Vocabulary voc, std::unique_ptr<DetectorMemory> mem, LoopDetectorOptions opt,
       std::unique_ptr<KeyframeSelector> sel)
      : vocabulary(std::move(voc)),
        options(std::move(opt)),
        selector(sel ? std::move(sel) : select_all()),
        memory(std::move(mem)),
        first(memory->index()->next_id()),
        candidates(options.temporal, options.places),
        trail(options.temporal.max_missed) {
    options.verification.min_correspondences =
        std::max(options.verification.min_correspondences,
                 fewest_inliers(options.evidence, options.calibration.has_value()));
  }

  Detection process(const Features& features, const FrameInfo& info) {
    check(features);
    Detection detection;
    detection.frame = {info.number.value_or(next_number), info.name, info.time_s, {}, {}};
    SeenFrame frame{features, {}};
    const Histogram histogram = make(frame, detection.times);
    if (histogram.empty()) {
      detection.decision = Decision::no_features;
    } else if (!selector->select({histogram, info.pose})) {
      detection.decision = Decision::not_keyframe;
    } else {
      const std::vector<Match> matches = query(histogram, detection);
      const std::vector<Candidate> places = select(matches, histogram, detection);
      decide(places, frame, detection);
      if (detection.is_closure()) measure(frame, info, detection);
      insert(histogram, frame, info, detection);
    }
    next_number = detection.frame.number + 1;
    return detection;
  }

  /// Words, their histogram, and the nodes of the direct index.
  Histogram make(SeenFrame& frame, StageTimes& times) const {
    if (frame.features.empty()) return {};
    const Stopwatch stopwatch(options.stage_clock, times.histogram_ms);
    const auto levels = options.verification.direct_index_levels;
    Quantized words = vocabulary.quantize(frame.features.descriptors.view(), levels.value_or(0));
    if (levels) frame.nodes = std::move(words.nodes);
    return make_histogram(words.words, vocabulary.word_weights(),
                          {.weighting = vocabulary.weighting()});
  }

  std::vector<Match> query(const Histogram& histogram, Detection& detection) const {
    const Stopwatch stopwatch(options.stage_clock, detection.times.query_ms);
    const double unit = options.threshold_kind == ThresholdKind::absolute || previous.empty()
                            ? 1
                            : intersection(previous, histogram);
    detection.threshold = options.threshold * unit;
    return memory->index()
        ->query(histogram, {.top_k = std::max(options.top_k, options.sequence_k),
                            .threshold = options.sequence_k > 0 ? 0 : detection.threshold,
                            .filter = {.exclude_recent = recent()}})
        .matches;
  }

  /// Of the newest ids, those that are no loops: what was there before the detector may be one.
  std::uint32_t recent() const {
    return std::min(options.exclude_recent, memory->index()->next_id().value - first.value);
  }

  /// The places worth verifying, in that order.
  std::vector<Candidate> select(const std::vector<Match>& matches, const Histogram& histogram,
                                Detection& detection) {
    const Stopwatch stopwatch(options.stage_clock, detection.times.temporal_ms);
    std::vector<Candidate> found =
        candidates.update(matches, options.top_k, detection.threshold,
                          follow_last_closure(histogram), options.max_verified);
    std::copy_if(matches.begin(), matches.begin() + std::min(options.top_k, matches.size()),
                 std::back_inserter(detection.matches),
                 [&](const Match& match) { return match.score >= detection.threshold; });
    return found;
  }

  /// The frame around the last match that looks most like this one, if there was a closure a moment
  /// ago. It counts as consistent with as many queries as closures led there.
  std::optional<Candidate> follow_last_closure(const Histogram& histogram) const {
    if (trail.length() == 0) return std::nullopt;
    const auto [begin, end] = trail.around();
    const QueryResult result = memory->index()->query(
        histogram,
        {.top_k = 1, .filter = {.exclude_recent = recent(), .first = begin, .last = end}});
    if (result.matches.empty()) return std::nullopt;
    return Candidate{result.matches[0].frame, result.matches[0].score, trail.length() + 1};
  }

  /// Verifies the candidates and takes the closure among them, or the best that was refused.
  void decide(const std::vector<Candidate>& places, const SeenFrame& frame, Detection& detection) {
    const Stopwatch stopwatch(options.stage_clock, detection.times.verify_ms);
    std::vector<Verdict> verdicts = look_at(places, frame);
    detection.verified = verdicts.size();
    const std::optional<std::size_t> closure = choose(verdicts);
    if (!verdicts.empty()) {
      const auto most = std::max_element(
          verdicts.begin(), verdicts.end(), [](const Verdict& a, const Verdict& b) {
            return a.verification.inliers.size() < b.verification.inliers.size();
          });
      Verdict& best = closure ? verdicts[*closure] : *most;
      detection.decision =
          closure ? Decision::closure : refusal(best.judgement, options.verify_geometry);
      detection.match = identify(best.candidate.frame);
      detection.score = best.candidate.score;
      detection.consistent = best.candidate.consistent;
      detection.needed_inliers = best.judgement.needed_inliers;
      detection.verification = std::move(best.verification);
    }
    trail.add(detection.is_closure() ? detection.match->id : std::nullopt);
  }

  /// Verifies the candidates one by one, until one is beyond doubt.
  std::vector<Verdict> look_at(const std::vector<Candidate>& places, const SeenFrame& frame) const {
    std::vector<Verdict> verdicts;
    std::optional<Verifier> verifier;
    if (options.verify_geometry && !places.empty()) {
      verifier.emplace(frame.features, options.calibration, options.verification);
    }
    for (const Candidate& candidate : places) {
      verdicts.push_back(judge(candidate, frame, verifier));
      if (verdicts.back().judgement.beyond_doubt) break;
    }
    return verdicts;
  }

  /// Which of them is the closure.
  std::optional<std::size_t> choose(const std::vector<Verdict>& verdicts) const {
    std::vector<Looked> looked;
    looked.reserve(verdicts.size());
    for (const Verdict& verdict : verdicts) {
      looked.push_back(
          {verdict.candidate.frame, verdict.verification.inliers.size(), verdict.judgement});
    }
    return choose_closure(looked, trail, options.evidence,
                          [this](FrameId a, FrameId b) { return show_one_place(a, b); });
  }

  /// Two frames of the map: on a street that was driven twice, each is a rival of the other.
  bool show_one_place(FrameId a, FrameId b) const {
    const Features there = memory->features(a);
    const Verification found =
        verify(there, memory->features(b), options.calibration, options.verification);
    return found.inliers.size() >= sure_inliers(options.evidence, options.calibration.has_value());
  }

  /// The pose of a closure, with length where that is known, and how sure it is.
  void measure(const SeenFrame& frame, const FrameInfo& info, Detection& detection) const {
    if (!options.calibration || !options.verify_geometry) return;
    const Stopwatch stopwatch(options.stage_clock, detection.times.verify_ms);
    Verification& verification = detection.verification;
    const FrameId match = *detection.match->id;
    const Features before = memory->features(match);
    if (verification.match_from_query) {
      verification.match_from_query->information = rotation_information(
          frame.features, before, verification, *options.calibration, options.closure_pose.pose);
    }
    const FrameSource frames{[this](FrameId id) { return memory->features(id); },
                             [this](FrameId id) { return memory->info(id); }};
    const FrameId next = memory->index()->next_id();
    const SessionId session = next > first ? session_of(FrameId(next.value - 1)) : SessionId(0);
    const auto there = memory->info(match).value_or(FrameInfo{});
    verification.metric = closure_pose(frames, {frame.features, info.pose, session, next},
                                       {before, there.pose, there.session, match}, verification,
                                       *options.calibration, options.closure_pose);
  }

  /// Of a frame of its own.
  SessionId session_of(FrameId id) const { return memory->info(id).value_or(FrameInfo{}).session; }

  /// A frame of the index by the name its owner gave it.
  FrameIdentity identify(FrameId id) const {
    const FrameInfo info = memory->info(id).value_or(FrameInfo{});
    FrameIdentity frame{info.number.value_or(id.value), info.name, info.time_s, id, {}};
    if (id < first) {
      frame.earlier_session = info.session;
    } else {
      frame.number = numbers[id.value - first.value];
    }
    return frame;
  }

  Verdict judge(const Candidate& candidate, const SeenFrame& frame,
                const std::optional<Verifier>& verifier) const {
    Verdict verdict{candidate};
    const bool is_consistent = candidate.consistent >= options.consistent_queries;
    if (!options.verify_geometry) {
      verdict.judgement = {.believed = is_consistent, .beyond_doubt = is_consistent};
      return verdict;
    }
    verdict.verification = compare(frame, *verifier, candidate.frame);
    verdict.judgement = looptree::judge(verdict.verification, options.evidence,
                                        options.calibration.has_value(), is_consistent);
    return verdict;
  }

  Verification compare(const SeenFrame& query, const Verifier& verifier, FrameId match) const {
    const VerificationOptions& how = options.verification;
    const Features& stored = memory->features(match);
    if (stored.empty()) return {};
    if (!how.direct_index_levels) return verifier.verify(stored);
    const DescriptorView descriptors = stored.descriptors.view();
    // Of what is stored, which may be fewer features than the frame came with.
    const std::vector<std::uint32_t> nodes =
        vocabulary.quantize(descriptors, *how.direct_index_levels).nodes;
    return verify(match_by_node(query.features.descriptors.view(), query.nodes, descriptors, nodes,
                                how.matching),
                  query.features, stored, options.calibration, how);
  }

  void insert(Histogram histogram, const SeenFrame& frame, const FrameInfo& info,
              Detection& detection) {
    const Stopwatch stopwatch(options.stage_clock, detection.times.insert_ms);
    FrameInfo numbered = info;
    numbered.number = detection.frame.number;
    const FrameId id = memory->insert(histogram, frame.features, numbered);
    detection.frame.id = id;
    rising = rising && (numbers.empty() || numbers.back() < detection.frame.number);
    numbers.push_back(detection.frame.number);
    previous = std::move(histogram);
    if (!detection.is_closure()) return;
    memory->add_closure({id, *detection.match->id, std::min(detection.score, 1.0),
                         static_cast<std::uint32_t>(detection.verification.inliers.size()),
                         stored_pose(detection.verification)});
  }

  Vocabulary vocabulary;
  LoopDetectorOptions options;
  std::unique_ptr<KeyframeSelector> selector;
  std::unique_ptr<DetectorMemory> memory;
  FrameId first;  ///< of its own frames; what lies before was there already
  detail::CandidateSearch candidates;
  ClosureTrail trail;
  std::deque<std::uint64_t> numbers;  ///< of its own frames, their owner's
  bool rising = true;                 ///< whether these rise
  std::uint64_t next_number = 0;      ///< of a frame that comes without
  Histogram previous;                 ///< of the frame inserted last
};

LoopDetectorOptions default_options(FeatureKind kind, LoopDetectorOptions others) {
  const EvidenceOfKind usual = default_evidence(kind);
  others.evidence = usual.evidence;
  others.verification.matching = usual.matching;
  others.verification.probe = usual.probe;
  return others;
}

LoopDetector::LoopDetector(LoopDetectorOptions options)
    : LoopDetector(box_vocabulary(to_string(ExtractorOptions{}.kind)), std::move(options)) {}

LoopDetector::LoopDetector(Vocabulary vocabulary, LoopDetectorOptions options,
                           std::unique_ptr<KeyframeSelector> selector) {
  check_options(options, vocabulary);
  auto memory =
      keep_in_memory(index_options(vocabulary, options.topology), options.stored_features,
                     options.max_frames.value_or(std::numeric_limits<std::size_t>::max()));
  impl_ = std::make_unique<Impl>(std::move(vocabulary), std::move(memory), std::move(options),
                                 std::move(selector));
}

LoopDetector::LoopDetector(Vocabulary vocabulary, std::unique_ptr<DetectorMemory> memory,
                           LoopDetectorOptions options,
                           std::unique_ptr<KeyframeSelector> selector) {
  check_options(options, vocabulary);
  require(memory != nullptr, ErrorKind::invalid_argument, "expected a memory, found none");
  options.topology = memory->index()->options().topology;
  impl_ = std::make_unique<Impl>(std::move(vocabulary), std::move(memory), std::move(options),
                                 std::move(selector));
}

LoopDetector::~LoopDetector() = default;
LoopDetector::LoopDetector(LoopDetector&&) noexcept = default;
LoopDetector& LoopDetector::operator=(LoopDetector&&) noexcept = default;

Detection LoopDetector::process(const Features& features, const std::optional<Pose>& pose) {
  return impl_->process(features, {.pose = pose});
}

Detection LoopDetector::process_frame(const Features& features, const FrameInfo& info) {
  return impl_->process(features, info);
}

const PooledIndex& LoopDetector::index() const {
  return *impl_->memory->index();
}

const LoopDetectorOptions& LoopDetector::options() const {
  return impl_->options;
}

const Vocabulary& LoopDetector::vocabulary() const {
  return impl_->vocabulary;
}

const Features& LoopDetector::features(FrameId frame) const {
  return impl_->memory->features(frame);
}

std::optional<FrameId> LoopDetector::find(std::uint64_t number) const {
  const std::deque<std::uint64_t>& numbers = impl_->numbers;
  auto found = numbers.end();
  if (impl_->rising) {
    found = std::lower_bound(numbers.begin(), numbers.end(), number);
    if (found != numbers.end() && *found != number) found = numbers.end();
  } else {
    const auto newest = std::find(numbers.rbegin(), numbers.rend(), number);
    if (newest != numbers.rend()) found = std::prev(newest.base());
  }
  if (found == numbers.end()) return std::nullopt;
  return FrameId(impl_->first.value + static_cast<std::uint32_t>(found - numbers.begin()));
}

}  // namespace looptree

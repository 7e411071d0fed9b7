// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/detect/closure_pose.hpp"
#include "looptree/detect/detector_memory.hpp"
#include "looptree/detect/evidence.hpp"
#include "looptree/detect/keyframes.hpp"
#include "looptree/detect/place_filter.hpp"
#include "looptree/detect/temporal.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/features/features.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/index/topology.hpp"
#include "looptree/vision_export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

/// What a score is compared with.
enum class ThresholdKind {
  absolute,  ///< itself
  relative,  ///< the part of the score against the previous frame, which says how similar two
             ///< images of one place are here and now (DBoW2's normalised score)
};

/// What StageTimes count.
enum class StageClock {
  wall,       ///< the time that passes, which is what a robot waits
  processor,  ///< the processor time of the calling thread: others on the machine do not count, and
              ///< neither does waiting for a disk
};

struct LoopDetectorOptions {
  /// Grouping and pooling of the index; the default is exact.
  Topology topology{};
  /// The most recent of the detector's own frames are no loops: the camera still sees what it saw
  /// then. At 10 frames per second this is half a minute.
  std::uint32_t exclude_recent = 300;

  ThresholdKind threshold_kind = ThresholdKind::relative;
  /// Frames that score less are no candidates. Low by default: it is geometry that decides.
  double threshold = 0.1;
  /// The best-scoring frames that are candidates by themselves.
  std::size_t top_k = 20;

  TemporalOptions temporal{};
  /// The best-scoring frames, whatever they score, whose scores add up over queries to places the
  /// camera moved along: candidates that no single image is sure of. 0: none.
  std::size_t sequence_k = 100;
  PlaceFilterOptions places{};
  /// Queries in a row that must point to a place before it is believed with min_inliers.
  std::size_t consistent_queries = 3;

  /// Of a detector that keeps its frames itself: what of their features, and how many frames, at
  /// least 1; the oldest go. Without a value all. For one on a map MapOpenOptions says both.
  StoredFeatures stored_features{};
  std::optional<std::size_t> max_frames{};

  /// Without it, candidates are believed once they are consistent.
  bool verify_geometry = true;
  VerificationOptions verification{};
  /// Where known, geometry is checked with the essential matrix, which admits less than the
  /// fundamental matrix, and closures come with a relative pose.
  std::optional<Calibration> calibration{};
  /// Candidates that are verified, at most; together with max_iterations this bounds the time a
  /// frame takes, whatever the map holds.
  std::size_t max_verified = 8;
  /// What geometry must show; default_evidence() says it for features of a kind.
  Evidence evidence{};
  /// Closures with length; they need the calibration.
  ClosurePoseOptions closure_pose{};
  StageClock stage_clock = StageClock::wall;
};

/// The options for features of a kind: evidence, matching and first look as default_evidence() has
/// them, everything else as it is in `others`.
LOOPTREE_VISION_EXPORT LoopDetectorOptions default_options(FeatureKind kind,
                                                           LoopDetectorOptions others = {});

/// What became of a frame.
enum class Decision {
  closure,         ///< the camera is where it was at `match`
  no_features,     ///< refused: nothing to describe the frame by; it was not inserted
  not_keyframe,    ///< refused by keyframe selection; it was not inserted
  no_candidate,    ///< no earlier frame scores `threshold`
  not_verified,    ///< refused by geometry: too few inliers
  not_consistent,  ///< refused by temporal consistency: too few queries in a row for so few inliers
  not_distinct,    ///< refused because other places agree nearly as well: see choose_closure()
};

/// One or two words, as frames.csv has them: "closure", "no features", ...
LOOPTREE_VISION_EXPORT std::string_view to_string(Decision decision);

/// Milliseconds that each stage took, by LoopDetectorOptions::stage_clock.
struct StageTimes {
  double histogram_ms = 0;
  double query_ms = 0;
  double temporal_ms = 0;
  double verify_ms = 0;
  double insert_ms = 0;
  double total_ms() const { return histogram_ms + query_ms + temporal_ms + verify_ms + insert_ms; }
};

/// A frame as whoever made it knows it. Not every frame is inserted, so ids of the index, which
/// count insertions, are not the numbers of images.
struct FrameIdentity {
  /// FrameInfo::number; a frame that came without is one more than the frame before it, inserted or
  /// not, and the first is 0. A frame of a map that keeps no numbers has its id there.
  std::uint64_t number = 0;
  std::string name{};              ///< FrameInfo::name
  std::optional<double> time_s{};  ///< FrameInfo::time_s
  /// Its id in the index and the map; nothing for a frame that was not inserted.
  std::optional<FrameId> id{};
  /// Its session, if it was there before the detector was: another drive.
  std::optional<SessionId> earlier_session{};
  friend bool operator==(const FrameIdentity&, const FrameIdentity&) = default;
};

/// "frame 7", "frame 7 (left/000007.png)", "frame 7 (000007.png) of session 2".
LOOPTREE_VISION_EXPORT std::string to_string(const FrameIdentity& frame);

/// The answer for one frame, and the numbers behind it.
struct Detection {
  Decision decision = Decision::no_candidate;
  FrameIdentity frame{};
  std::optional<FrameIdentity> match{};  ///< the closure, or the best of what was refused
  double score = 0;                ///< of `match`; of a shortcut candidate below threshold too
  double threshold = 0;            ///< the score it was compared with, as an absolute number
  std::size_t consistent = 0;      ///< queries in a row that pointed to the place of `match`
  std::size_t needed_inliers = 0;  ///< what geometry was asked for
  std::size_t verified = 0;        ///< candidates whose geometry was checked
  Verification verification{};     ///< of `match`
  /// What the query returned, best first, at most top_k; `match` need not be among them.
  std::vector<Match> matches{};
  StageTimes times{};

  bool is_closure() const noexcept { return decision == Decision::closure; }
  /// One sentence for people: the decision, and by what number.
  LOOPTREE_VISION_EXPORT std::string explain() const;
};

/// Says of each frame of a route whether the camera has been there before.
///
/// The paper's pipeline: histogram, query of the pooled index with the recent frames left out,
/// temporal consistency, geometric verification, insertion. Stages are ordered by cost, and each
/// lets through what it cannot refuse with certainty. A candidate that many queries in a row point
/// to needs less geometric evidence than one that appears for the first time; and once a loop has
/// been found, the place after it is tried next even if the index ranks others higher, because a
/// camera in a known street stays there for a while.
///
/// Same frames, same answers, to the bit. Memory: the index, 4 to 14 KB a frame, and the features
/// that are stored, 36 bytes each for ORB. Not for several threads at once.
class LOOPTREE_VISION_EXPORT LoopDetector {
 public:
  /// For the features that make_extractor() makes by default, with the vocabulary in the box for
  /// them; every frame is kept. Throws as the next one does.
  explicit LoopDetector(LoopDetectorOptions options = {});
  /// Keyframes are chosen by `selector`; without one every frame is kept. Throws
  /// Error(invalid_argument) for options out of range or a vocabulary that is not scored by L1.
  explicit LoopDetector(Vocabulary vocabulary, LoopDetectorOptions options = {},
                        std::unique_ptr<KeyframeSelector> selector = nullptr);
  /// The same with frames kept elsewhere, perhaps with many there already, all of which may be
  /// matches. `options.topology` is then that of the memory's index.
  LoopDetector(Vocabulary vocabulary, std::unique_ptr<DetectorMemory> memory,
               LoopDetectorOptions options = {},
               std::unique_ptr<KeyframeSelector> selector = nullptr);
  ~LoopDetector();
  LoopDetector(LoopDetector&&) noexcept;
  LoopDetector& operator=(LoopDetector&&) noexcept;

  /// Takes the next frame of the route, which is one more than the last. `pose` is for keyframe
  /// selection by motion alone; loops are found without it. A frame without features is no error:
  /// it is refused as `no_features`, and counted. Throws Error(invalid_argument) for features out
  /// of contract or that do not fit the vocabulary; then nothing changes.
  Detection process(const Features& features, const std::optional<Pose>& pose = std::nullopt);
  /// The same for a frame with a number, name or time of its own, which come back in every
  /// Detection that speaks of it. A caller who leaves frames out gives numbers.
  Detection process_frame(const Features& features, const FrameInfo& info);

  /// The frames so far; FrameIdentity::id counts from 0 in the order of insertion, or from where
  /// the memory's index stood. Valid until the next process().
  const PooledIndex& index() const;
  const LoopDetectorOptions& options() const;
  const Vocabulary& vocabulary() const;
  /// The features of an inserted frame, valid until the next call; empty if the memory keeps none.
  /// Throws Error(not_found) for an id that was never given.
  const Features& features(FrameId frame) const;
  /// The id of the frame that was inserted under this number by this detector, the newest of
  /// several; nothing for a number it was not given, or of a frame that was refused. Cost: a binary
  /// search while numbers rise, else a walk over the frames.
  std::optional<FrameId> find(std::uint64_t number) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace looptree

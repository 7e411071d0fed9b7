// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/ground_truth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {

/// One way to know. Numbers have been checked before they get here.
struct GroundTruth::Rule {
  virtual ~Rule() = default;
  virtual std::size_t queries() const = 0;
  virtual std::size_t frames() const = 0;
  virtual bool is_right(std::size_t query, std::size_t frame) const = 0;
  /// Frames that may be right answers, any order; all of them where nothing better is known.
  virtual std::vector<std::size_t> candidates(std::size_t) const {
    std::vector<std::size_t> all(frames());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
};

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check_poses(const std::vector<Pose>& poses) {
  const auto finite = [](double value) { return std::isfinite(value); };
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (std::all_of(poses[i].rotation.begin(), poses[i].rotation.end(), finite) &&
        std::all_of(poses[i].translation.begin(), poses[i].translation.end(), finite)) {
      continue;
    }
    refuse("expected finite poses, found one that is not at row " + std::to_string(i));
  }
}

/// Frames are kept in order of x as well, so that a query looks at a slab of the world only.
struct PosesRule final : GroundTruth::Rule {
  PosesRule(std::vector<Pose> query_poses, std::vector<Pose> frame_poses, PoseRule pose_rule)
      : queries_(std::move(query_poses)), frames_(std::move(frame_poses)), rule_(pose_rule) {
    by_x_.resize(frames_.size());
    std::iota(by_x_.begin(), by_x_.end(), std::size_t{0});
    std::stable_sort(by_x_.begin(), by_x_.end(), [&](std::size_t a, std::size_t b) {
      return frames_[a].translation[0] < frames_[b].translation[0];
    });
  }

  std::size_t queries() const override { return queries_.size(); }
  std::size_t frames() const override { return frames_.size(); }

  bool is_right(std::size_t query, std::size_t frame) const override {
    const Pose& a = queries_[query];
    const Pose& b = frames_[frame];
    return distance(a, b) <= rule_.max_distance_m &&
           (rule_.max_angle_deg >= 180 || angle_deg(a, b) <= rule_.max_angle_deg);
  }

  std::vector<std::size_t> candidates(std::size_t query) const override {
    const double x = queries_[query].translation[0];
    // A little wider than the distance: the subtraction here rounds, and is_right() decides.
    const double reach = rule_.max_distance_m * (1 + 1e-9) + 1e-9 * std::abs(x);
    const auto first = std::lower_bound(
        by_x_.begin(), by_x_.end(), x - reach,
        [&](std::size_t frame, double limit) { return frames_[frame].translation[0] < limit; });
    const auto last = std::upper_bound(
        first, by_x_.end(), x + reach,
        [&](double limit, std::size_t frame) { return limit < frames_[frame].translation[0]; });
    return {first, last};
  }

 private:
  std::vector<Pose> queries_;
  std::vector<Pose> frames_;
  PoseRule rule_;
  std::vector<std::size_t> by_x_;
};

struct LabelsRule final : GroundTruth::Rule {
  LabelsRule(std::vector<std::uint32_t> query_labels, std::vector<std::uint32_t> frame_labels)
      : queries_(std::move(query_labels)), frames_(std::move(frame_labels)) {}

  std::size_t queries() const override { return queries_.size(); }
  std::size_t frames() const override { return frames_.size(); }
  bool is_right(std::size_t query, std::size_t frame) const override {
    return queries_[query] == frames_[frame];
  }

 private:
  std::vector<std::uint32_t> queries_;
  std::vector<std::uint32_t> frames_;
};

struct MatrixRule final : GroundTruth::Rule {
  MatrixRule(std::size_t rows, std::size_t columns, std::vector<std::uint8_t> matrix)
      : queries_(rows), frames_(columns), matrix_(std::move(matrix)) {}

  std::size_t queries() const override { return queries_; }
  std::size_t frames() const override { return frames_; }
  bool is_right(std::size_t query, std::size_t frame) const override {
    return matrix_[query * frames_ + frame] != 0;
  }

 private:
  std::size_t queries_;
  std::size_t frames_;
  std::vector<std::uint8_t> matrix_;
};

struct NumbersRule final : GroundTruth::Rule {
  NumbersRule(std::size_t frame_count, std::vector<std::vector<std::size_t>> numbers,
              std::size_t within)
      : frames_(frame_count), places_(std::move(numbers)), tolerance_(within) {}

  std::size_t queries() const override { return places_.size(); }
  std::size_t frames() const override { return frames_; }
  bool is_right(std::size_t query, std::size_t frame) const override {
    const std::vector<std::size_t>& places = places_[query];
    return std::any_of(places.begin(), places.end(), [&](std::size_t place) {
      return (place < frame ? frame - place : place - frame) <= tolerance_;
    });
  }

 private:
  std::size_t frames_;
  std::vector<std::vector<std::size_t>> places_;
  std::size_t tolerance_;
};

void check_below(std::size_t value, std::size_t end, const char* what) {
  if (value < end) return;
  refuse(std::string("expected a ") + what + " below " + std::to_string(end) + ", found " +
         std::to_string(value));
}

}  // namespace

GroundTruth::GroundTruth(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}

GroundTruth GroundTruth::by_poses(std::vector<Pose> queries, std::vector<Pose> frames,
                                  PoseRule rule) {
  if (!(std::isfinite(rule.max_distance_m) && rule.max_distance_m >= 0)) {
    refuse("expected a distance >= 0 m, found " + std::to_string(rule.max_distance_m));
  }
  if (!(rule.max_angle_deg >= 0 && rule.max_angle_deg <= 180)) {
    refuse("expected an angle from 0 to 180 degrees, found " + std::to_string(rule.max_angle_deg));
  }
  check_poses(queries);
  check_poses(frames);
  return GroundTruth(
      std::make_shared<const PosesRule>(std::move(queries), std::move(frames), rule));
}

GroundTruth GroundTruth::by_poses(std::vector<Pose> route, PoseRule rule) {
  std::vector<Pose> queries = route;
  return by_poses(std::move(queries), std::move(route), rule);
}

GroundTruth GroundTruth::by_labels(std::vector<std::uint32_t> queries,
                                   std::vector<std::uint32_t> frames) {
  return GroundTruth(std::make_shared<const LabelsRule>(std::move(queries), std::move(frames)));
}

GroundTruth GroundTruth::by_matrix(std::size_t queries, std::size_t frames,
                                   std::vector<std::uint8_t> matrix) {
  if (matrix.size() != queries * frames) {
    refuse("expected a matrix of " + std::to_string(queries) + " x " + std::to_string(frames) +
           " entries, found " + std::to_string(matrix.size()));
  }
  return GroundTruth(std::make_shared<const MatrixRule>(queries, frames, std::move(matrix)));
}

GroundTruth GroundTruth::by_numbers(std::size_t frames,
                                    std::vector<std::vector<std::size_t>> places,
                                    std::size_t tolerance) {
  for (const std::vector<std::size_t>& numbers : places) {
    for (const std::size_t number : numbers) check_below(number, frames, "frame");
  }
  return GroundTruth(std::make_shared<const NumbersRule>(frames, std::move(places), tolerance));
}

std::size_t GroundTruth::queries() const noexcept {
  return rule_->queries();
}

std::size_t GroundTruth::frames() const noexcept {
  return rule_->frames();
}

bool GroundTruth::is_right(std::size_t query, std::size_t frame) const {
  check_below(query, queries(), "query");
  check_below(frame, frames(), "frame");
  return rule_->is_right(query, frame);
}

std::vector<std::size_t> GroundTruth::right_frames(std::size_t query, std::size_t last) const {
  check_below(query, queries(), "query");
  std::vector<std::size_t> right;
  for (const std::size_t frame : rule_->candidates(query)) {
    if (frame < last && rule_->is_right(query, frame)) right.push_back(frame);
  }
  std::sort(right.begin(), right.end());
  return right;
}

bool GroundTruth::has_right_frame(std::size_t query, std::size_t last) const {
  check_below(query, queries(), "query");
  const std::vector<std::size_t> candidates = rule_->candidates(query);
  return std::any_of(candidates.begin(), candidates.end(), [&](std::size_t frame) {
    return frame < last && rule_->is_right(query, frame);
  });
}

std::vector<bool> revisits(const GroundTruth& truth, std::size_t exclude_recent) {
  std::vector<bool> result(truth.queries());
  for (std::size_t query = 0; query < result.size(); ++query) {
    result[query] = truth.has_right_frame(query, answerable(query, exclude_recent));
  }
  return result;
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/keyframes.hpp"

#include <charconv>
#include <string>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"
#include "looptree/histogram/scores.hpp"

namespace looptree {
namespace {

class EveryNth final : public KeyframeSelector {
 public:
  explicit EveryNth(std::size_t n) : n_(n) {}
  bool select(const KeyframeCandidate&) override { return frame_++ % n_ == 0; }

 private:
  std::size_t n_;
  std::size_t frame_ = 0;
};

class ByMotion final : public KeyframeSelector {
 public:
  ByMotion(double metres, double degrees) : metres_(metres), degrees_(degrees) {}

  bool select(const KeyframeCandidate& frame) override {
    require(frame.pose.has_value(), ErrorKind::invalid_argument,
            "expected a pose with every frame to select keyframes by motion, found one without");
    const bool moved = !last_ || distance(*last_, *frame.pose) >= metres_ ||
                       angle_deg(*last_, *frame.pose) >= degrees_;
    if (moved) last_ = frame.pose;
    return moved;
  }

 private:
  double metres_;
  double degrees_;
  std::optional<Pose> last_;
};

class ByAppearance final : public KeyframeSelector {
 public:
  explicit ByAppearance(double threshold) : threshold_(threshold) {}

  bool select(const KeyframeCandidate& frame) override {
    const bool changed = last_.empty() || intersection(last_, frame.histogram) < threshold_;
    if (changed) last_ = frame.histogram;
    return changed;
  }

 private:
  double threshold_;
  Histogram last_;
};

/// The numbers behind the colon; empty if there is anything else.
std::vector<double> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [rest, problem] = std::from_chars(at, end, value);
    if (problem != std::errc() || (rest != end && *rest != ',')) return {};
    numbers.push_back(value);
    at = rest == end ? rest : rest + 1;
  }
  return numbers;
}

}  // namespace

std::unique_ptr<KeyframeSelector> select_all() {
  return select_every(1);
}

std::unique_ptr<KeyframeSelector> select_every(std::size_t n) {
  require(n >= 1, ErrorKind::invalid_argument, "expected every n-th frame with n >= 1, found 0");
  return std::make_unique<EveryNth>(n);
}

std::unique_ptr<KeyframeSelector> select_by_motion(double metres, double degrees) {
  require_number(metres > 0, "metres above 0 between keyframes", metres);
  require_number(degrees > 0, "degrees above 0 between keyframes", degrees);
  return std::make_unique<ByMotion>(metres, degrees);
}

std::unique_ptr<KeyframeSelector> select_by_appearance(double threshold) {
  require_number(threshold > 0 && threshold <= 1, "a score above 0 and at most 1 for keyframes",
                 threshold);
  return std::make_unique<ByAppearance>(threshold);
}

std::unique_ptr<KeyframeSelector> parse_keyframe_selector(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::vector<double> numbers = colon == std::string_view::npos
                                          ? std::vector<double>{}
                                          : parse_numbers(text.substr(colon + 1));
  if (text == "all") return select_all();
  if (name == "every" && numbers.size() == 1 && numbers[0] >= 1) {
    return select_every(static_cast<std::size_t>(numbers[0]));
  }
  if (name == "motion" && numbers.size() == 2) return select_by_motion(numbers[0], numbers[1]);
  if (name == "appearance" && numbers.size() == 1) return select_by_appearance(numbers[0]);
  throw Error(ErrorKind::invalid_argument,
              "expected all, every:N, motion:METRES,DEGREES or appearance:SCORE, found '" +
                  std::string(text) + "'");
}

}  // namespace looptree

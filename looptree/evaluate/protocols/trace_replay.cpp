// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/trace_replay.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/thread_time.hpp"

namespace looptree::evaluate {
namespace {

template <typename Work>
double microseconds(Work work) {
  const double start = thread_ms();
  work();
  return (thread_ms() - start) * 1e3;
}

std::string to_text(std::span<const KeyframeNumber> keyframes) {
  std::string text = "[";
  for (const KeyframeNumber keyframe : keyframes) {
    text += (text.size() > 1 ? " " : "") + std::to_string(keyframe);
  }
  return text + "]";
}

bool same_bits(const TraceScore& a, const TraceScore& b) {
  return a.keyframe == b.keyframe && a.common == b.common &&
         std::bit_cast<std::uint32_t>(a.score) == std::bit_cast<std::uint32_t>(b.score);
}

/// The first difference between two answers, or nothing.
std::string difference(const TraceAnswer& expected, const TraceAnswer& found) {
  const auto sentence = [](const std::string& what, const std::string& a, const std::string& b) {
    return "expected " + what + " " + a + ", found " + b;
  };
  if (expected.sharing != found.sharing) {
    return sentence("keyframes that share a word:", std::to_string(expected.sharing),
                    std::to_string(found.sharing));
  }
  if (expected.most_common != found.most_common) {
    return sentence("most common words:", std::to_string(expected.most_common),
                    std::to_string(found.most_common));
  }
  if (expected.scored.size() != found.scored.size()) {
    return sentence("scored keyframes:", std::to_string(expected.scored.size()),
                    std::to_string(found.scored.size()));
  }
  for (std::size_t i = 0; i < expected.scored.size(); ++i) {
    const auto text = [](const TraceScore& score) {
      return std::to_string(score.keyframe) + " (" + std::to_string(score.common) + " words, " +
             std::to_string(score.score) + ")";
    };
    if (!same_bits(expected.scored[i], found.scored[i])) {
      return sentence("scored keyframe", text(expected.scored[i]), text(found.scored[i]));
    }
  }
  if (expected.returned != found.returned) {
    return sentence("candidates", to_text(expected.returned), to_text(found.returned));
  }
  return {};
}

/// A search must find what the trace scored above the minimum. The index's scores are rounded, so
/// one that lies nearer to the minimum than their error may fall on either side.
std::string missing(const TraceQuestion& question, const TraceAnswer& expected,
                    const TraceAnswer& found) {
  const float error = static_cast<float>(question.histogram.size()) * 0x1p-31f;
  for (const TraceScore& score : expected.scored) {
    if (score.score < question.min_score + error) continue;
    const auto& returned = found.returned;
    if (std::find(returned.begin(), returned.end(), score.keyframe) == returned.end()) {
      return "expected keyframe " + std::to_string(score.keyframe) + " with score " +
             std::to_string(score.score) + " among the matches, found it missing";
    }
  }
  return {};
}

class Replay {
 public:
  Replay(const std::filesystem::path& trace, std::span<const EngineMaker> makers,
         const ReplayOptions& options)
      : reader_(trace), options_(options) {
    for (const EngineMaker& maker : makers) {
      engines_.push_back(maker(reader_.word_weights()));
      result_.engines.push_back({engines_.back()->name(), {}, {}, {}, {}});
    }
  }

  ReplayResult run() {
    while (std::optional<TraceRecord> record = reader_.next()) {
      std::visit([this](auto& one) { handle(one); }, *record);
      report(options_.progress, reader_.bytes_read(), reader_.bytes_total());
    }
    return std::move(result_);
  }

 private:
  using Neighbours = std::unordered_map<KeyframeNumber, std::vector<KeyframeNumber>>;

  void handle(TraceKeyframe& record) {
    const auto [at, is_new] = keyframes_.try_emplace(
        record.keyframe, std::make_unique<Histogram>(std::move(record.histogram)));
    if (!is_new) reader_.refuse("each keyframe to be described once", described(record.keyframe));
  }

  void handle(const TraceAdd& record) {
    const Histogram& histogram = known(record.keyframe);
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      result_.engines[i].add_us.push_back(
          microseconds([&] { engines_[i]->add(record.keyframe, histogram); }));
    }
    if (++stays_[record.keyframe] > 1) twice_.insert(record.keyframe);
    ++result_.adds;
  }

  void handle(const TraceErase& record) {
    if (record.present) known(record.keyframe);  // others the database need not have seen
    const auto stay = stays_.find(record.keyframe);
    const bool told = !twice_.contains(record.keyframe);
    if (told && record.present != (stay != stays_.end())) {
      reader_.refuse(
          std::string("a keyframe that is ") + (record.present ? "" : "not ") + "in the database",
          "keyframe " + std::to_string(record.keyframe));
    }
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      result_.engines[i].erase_us.push_back(
          microseconds([&] { engines_[i]->erase(record.keyframe); }));
    }
    if (stay != stays_.end() && --stay->second == 0) stays_.erase(stay);
    ++result_.erases;
  }

  void handle(const TraceClear&) {
    for (const auto& engine : engines_) engine->clear();
    keyframes_.clear();
    stays_.clear();
    twice_.clear();
    neighbours_.clear();
    next_neighbours_.clear();
    frame_.reset();
    ++result_.clears;
  }

  void handle(TraceNeighbours& record) {
    (record.next_query_only ? next_neighbours_ : neighbours_)[record.keyframe] =
        std::move(record.neighbours);
  }

  void handle(const TraceConnected&) {}  // what comes after the selection; not ours to answer

  void handle(TraceFrame& record) { frame_ = std::move(record); }

  void handle(const TraceLoopQuery& record) {
    check_size(record.database);
    TraceQuestion question{known(record.keyframe),    record.min_score, record.excluded, {}, false,
                           neighbours_in(neighbours_)};
    ask(question, record.answer, &EngineTimes::loop_us);
    check_all(question, record.answer);
    result_.recorded_loop_us.push_back(record.microseconds);
    result_.scores += record.answer.scored.size();
    result_.candidates += record.answer.returned.size();
    ++result_.loops;
  }

  void handle(const TraceRelocalization& record) {
    check_size(record.database);
    if (!frame_ || frame_->frame != record.frame) {
      reader_.refuse("the frame (F) of a relocalisation before it",
                     frame_ ? "that of frame " + std::to_string(frame_->frame) : "none");
    }
    TraceQuestion question{frame_->histogram, 0, {}, {}, false, neighbours_in(next_neighbours_)};
    const std::vector<TraceAnswer> sound =
        ask(question, record.answer, &EngineTimes::relocalization_us);
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      if (!engines_[i]->selects()) continue;
      if (sound[i].returned == record.answer.returned) ++result_.sound_relocalizations;
      break;
    }
    question.left_over = record.left_over;
    check_all(question, record.answer);
    result_.scores += record.answer.scored.size();
    ++result_.relocalizations;
    next_neighbours_.clear();
    frame_.reset();
  }

  /// Times every engine, and checks those that only search.
  std::vector<TraceAnswer> ask(const TraceQuestion& question, const TraceAnswer& expected,
                               std::vector<double> EngineTimes::*times) {
    std::vector<TraceAnswer> answers(engines_.size());
    std::vector<std::vector<double>> us(engines_.size());
    for (const auto& engine : engines_) engine->prepare(question.histogram);
    for (std::size_t repeat = 0; repeat < options_.repeats; ++repeat) {
      ++turn_;
      for (std::size_t n = 0; n < engines_.size(); ++n) {
        const std::size_t i = (n + turn_) % engines_.size();
        us[i].push_back(microseconds([&] { answers[i] = engines_[i]->ask(question); }));
      }
    }
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      const auto middle = us[i].begin() + static_cast<std::ptrdiff_t>(us[i].size() / 2);
      std::nth_element(us[i].begin(), middle, us[i].end());
      (result_.engines[i].*times).push_back(*middle);
      if (engines_[i]->selects()) continue;
      note(*engines_[i], missing(question, expected, answers[i]));
    }
    return answers;
  }

  /// Once more, for everything the trace tells; not timed.
  void check_all(TraceQuestion& question, const TraceAnswer& expected) {
    question.count_sharing = true;
    for (const auto& engine : engines_) {
      if (engine->selects()) note(*engine, difference(expected, engine->ask(question)));
    }
  }

  void note(const TraceEngine& engine, const std::string& what) {
    if (!what.empty()) result_.differences.push_back({reader_.line(), engine.name(), what});
  }

  static std::function<std::span<const KeyframeNumber>(KeyframeNumber)> neighbours_in(
      const Neighbours& neighbours) {
    return [&neighbours](KeyframeNumber keyframe) -> std::span<const KeyframeNumber> {
      const auto found = neighbours.find(keyframe);
      if (found == neighbours.end()) return {};
      return found->second;
    };
  }

  const Histogram& known(KeyframeNumber keyframe) const {
    const auto found = keyframes_.find(keyframe);
    if (found == keyframes_.end()) {
      reader_.refuse("a keyframe that a K record described", described(keyframe));
    }
    return *found->second;
  }

  static std::string described(KeyframeNumber keyframe) {
    return "keyframe " + std::to_string(keyframe);
  }

  void check_size(std::size_t recorded) const {
    if (recorded == stays_.size() || !twice_.empty()) return;
    reader_.refuse("a database of " + std::to_string(recorded) + " keyframes",
                   std::to_string(stays_.size()) + " by the adds and erases before");
  }

  KeyframeTraceReader reader_;
  const ReplayOptions& options_;
  // Declared before the engines, which refer to the histograms.
  std::unordered_map<KeyframeNumber, std::unique_ptr<Histogram>> keyframes_;
  std::vector<std::unique_ptr<TraceEngine>> engines_;
  std::unordered_map<KeyframeNumber, std::size_t> stays_;  // how often each is in
  std::set<KeyframeNumber> twice_;  // those that ever were: traces may count them either way
  Neighbours neighbours_;
  Neighbours next_neighbours_;
  std::optional<TraceFrame> frame_;
  std::size_t turn_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay(const std::filesystem::path& trace, std::span<const EngineMaker> engines,
                    const ReplayOptions& options) {
  require(options.repeats > 0, ErrorKind::invalid_argument,
          "expected each question to be asked at least once, found 0 repeats");
  return Replay(trace, engines, options).run();
}

}  // namespace looptree::evaluate

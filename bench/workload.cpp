// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/dataset/word_stream.hpp"

namespace looptree::bench {
namespace {

/// The smallest thresholds without a false alarm on KITTI 00.
constexpr double kThreshold10K = 0.182;
constexpr double kThreshold1M = 0.0204;

/// The word file of a sequence, where `./dev bench` and `./dev paper` keep those they make.
std::string kept_words(const std::string& sequence, const std::string& size) {
  return "runs/paper/" + sequence + "_" + size + ".words";
}

Workload stream_workload(const std::string& name, WordStreamOptions options, double threshold,
                         std::uint32_t frames, std::size_t queries) {
  const auto drive = std::make_shared<WordStream>(options);
  options.seed += 1;
  const WordStream elsewhere(options);
  Workload workload;
  workload.name = name;
  workload.word_weights.assign(drive->word_weights().begin(), drive->word_weights().end());
  workload.frames = frames;
  workload.threshold = threshold;
  workload.frame = [drive](std::uint32_t i) {
    return make_histogram(drive->frame(i), drive->word_weights());
  };
  // Frames further down the road that come back to places in the map.
  Random random(7);
  const std::uint64_t lap = options.new_frames + options.revisit_frames;
  for (std::uint64_t i = frames + lap; workload.positives.size() < queries; ++i) {
    const auto seen = drive->revisits(i);
    if (!seen || *seen >= frames) {
      if (frames < lap && i > frames + 50 * lap) {
        throw Error(ErrorKind::invalid_argument, "expected a map of at least one lap of the drive");
      }
      i += seen ? 0 : options.new_frames / 8;
      continue;
    }
    workload.positives.push_back(workload.frame(static_cast<std::uint32_t>(i)));
    i += random.below(40);
  }
  for (std::size_t i = 0; i < queries; ++i) {
    workload.negatives.push_back(
        make_histogram(elsewhere.frame(random.below(1'000'000)), drive->word_weights()));
  }
  return workload;
}

/// As many as wanted, evenly over all: a drive changes on its way.
std::vector<Histogram> evenly(std::vector<Histogram> all, std::size_t wanted) {
  if (wanted >= all.size()) return all;
  std::vector<Histogram> some;
  for (std::size_t i = 0; i < wanted; ++i) some.push_back(std::move(all[i * all.size() / wanted]));
  return some;
}

/// Every twentieth frame is held out of the map and asked for; negatives come from another file.
Workload words_workload(const std::string& path, const std::string& elsewhere,
                        std::size_t queries) {
  const WordSequence sequence = read_words(path);
  const auto histograms = std::make_shared<std::vector<Histogram>>(make_histograms(sequence));
  WordSequence others = read_words(elsewhere);
  const std::vector<float> weights =
      sequence.word_weights.empty() ? inverse_document_frequency(sequence) : sequence.word_weights;
  others.word_weights = weights;
  Workload workload;
  workload.name = path.substr(path.rfind('/') + 1);
  workload.word_weights.assign(weights.begin(), weights.end());
  workload.threshold = weights.size() > 100'000 ? kThreshold1M : kThreshold10K;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < histograms->size(); ++i) {
    if (i % 20 != 10) {
      kept.push_back(i);
    } else {
      workload.positives.push_back((*histograms)[i]);
    }
  }
  workload.positives = evenly(std::move(workload.positives), queries);
  workload.frames = static_cast<std::uint32_t>(kept.size());
  workload.frame = [histograms, kept](std::uint32_t i) { return (*histograms)[kept[i]]; };
  workload.negatives = evenly(make_histograms(others), queries);
  return workload;
}

}  // namespace

bool is_at_hand(const std::string& name) {
  if (!name.starts_with("kitti-")) return true;
  const std::string size = name.substr(6);
  return std::filesystem::exists(kept_words("kitti00", size)) &&
         std::filesystem::exists(kept_words("kitti02", size));
}

Workload make_workload(const std::string& name, std::uint32_t frames, std::size_t queries) {
  if (name == "kitti-10k" || name == "kitti-1m") {
    const std::string size = name.substr(6);
    Workload workload =
        words_workload(kept_words("kitti00", size), kept_words("kitti02", size), queries);
    workload.name = name;
    // These vocabularies come from few images of other drives, and wrong pairs score higher in
    // them: thresholds as `looptree eval threshold` finds them (docs/paper/RESULTS.md).
    workload.threshold = size == "10k" ? 0.25 : 0.0535;
    return workload;
  }
  if (name == "stream-10k") return stream_workload(name, {}, kThreshold10K, frames, queries);
  if (name == "stream-1m") {
    return stream_workload(name, WordStreamOptions::million(), kThreshold1M, frames, queries);
  }
  if (const std::size_t colon = name.find(':', 6);
      name.starts_with("words:") && colon != std::string::npos) {
    return words_workload(name.substr(6, colon - 6), name.substr(colon + 1), queries);
  }
  throw Error(
      ErrorKind::invalid_argument,
      "expected the workload kitti-10k, kitti-1m, stream-10k, stream-1m or words:FILE:OTHER, found "
      "\"" +
          name + "\"");
}

}  // namespace looptree::bench

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/dataset/word_stream.hpp"

namespace looptree::bench {
namespace {

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

struct WordFile {
  std::vector<float> word_weights;
  std::vector<std::vector<WordId>> frames;
};

/// Vocabulary size, its word weights, then the words of each frame, all in 32 bits.
WordFile read_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto number = [&] {
    std::uint32_t value = 0;
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  };
  WordFile words;
  words.word_weights.resize(number());
  file.read(reinterpret_cast<char*>(words.word_weights.data()),
            static_cast<std::streamsize>(words.word_weights.size() * sizeof(float)));
  words.frames.resize(number());
  for (auto& frame : words.frames) {
    frame.resize(number());
    for (WordId& word : frame) word.value = number();
  }
  if (!file) throw Error(ErrorKind::corruption, "expected words in " + path + ", found too few");
  return words;
}

/// Every twentieth frame is held out of the map and asked for.
Workload words_workload(const std::string& path, const std::string& elsewhere, std::size_t queries) {
  const auto words = std::make_shared<WordFile>(read_words(path));
  Workload workload;
  workload.name = path.substr(path.rfind('/') + 1);
  workload.word_weights = words->word_weights;
  workload.threshold = words->word_weights.size() > 100'000 ? 0.0204 : 0.182;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < words->frames.size(); ++i) {
    if (i % 20 != 10) {
      kept.push_back(i);
    } else if (workload.positives.size() < queries) {
      workload.positives.push_back(make_histogram(words->frames[i], words->word_weights));
    }
  }
  workload.frames = static_cast<std::uint32_t>(kept.size());
  workload.frame = [words, kept](std::uint32_t i) {
    return make_histogram(words->frames[kept[i]], words->word_weights);
  };
  for (const auto& frame : read_words(elsewhere).frames) {
    if (workload.negatives.size() < queries) {
      workload.negatives.push_back(make_histogram(frame, words->word_weights));
    }
  }
  return workload;
}

}  // namespace

Workload make_workload(const std::string& name, std::uint32_t frames, std::size_t queries) {
  if (name == "stream-10k") return stream_workload(name, {}, 0.182, frames, queries);
  if (name == "stream-1m") {
    return stream_workload(name, WordStreamOptions::million(), 0.0204, frames, queries);
  }
  if (name.starts_with("words:")) {
    const std::size_t comma = name.find(':', 6);
    return words_workload(name.substr(6, comma - 6), name.substr(comma + 1), queries);
  }
  throw Error(ErrorKind::invalid_argument,
              "expected the workload stream-10k or stream-1m, found \"" + name + "\"");
}

}  // namespace looptree::bench

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/word_file.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/common/write_error.hpp"

namespace looptree {
namespace {

constexpr std::string_view kMagic = "looptree-words";
constexpr int kVersion = 1;

/// Takes the words of a line off its front, one by one.
class Line {
 public:
  Line(std::string_view text, const std::filesystem::path& path, std::size_t number)
      : rest_(text), path_(path), number_(number) {}

  /// The next word; empty at the end.
  std::string_view next() {
    const std::size_t start = rest_.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return rest_ = {};
    rest_.remove_prefix(start);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

  template <typename Number>
  Number number(std::string_view word, const char* expected) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) refuse(expected, word);
    return value;
  }

  template <typename Number>
  Number next_number(const char* expected) {
    return number<Number>(next(), expected);
  }

  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const {
    const std::string what = found.empty() ? "the end of the line" : '"' + std::string(found) + '"';
    throw Error(ErrorKind::corruption, "expected " + expected + " in line " +
                                           std::to_string(number_) + " of " + path_.string() +
                                           ", found " + what);
  }

 private:
  std::string_view rest_;
  const std::filesystem::path& path_;
  std::size_t number_;
};

void read_header(Line& line) {
  const std::string_view magic = line.next();
  if (magic != kMagic) line.refuse("a word file, which begins with \"looptree-words 1\",", magic);
  const auto version = line.next_number<int>("a version");
  if (version != kVersion) {
    throw Error(ErrorKind::unsupported,
                "expected a word file of version 1, found version " + std::to_string(version));
  }
}

void read_frame(Line& line, WordSequence& sequence) {
  std::vector<WordId>& frame = sequence.frames.emplace_back();
  for (std::string_view word = line.next(); !word.empty(); word = line.next()) {
    const std::size_t x = word.find('x');
    const auto id = line.number<std::uint32_t>(word.substr(0, x), "a word number");
    if (id >= sequence.vocabulary_size) {
      line.refuse("words below " + std::to_string(sequence.vocabulary_size), word);
    }
    std::uint32_t times = 1;
    if (x != std::string_view::npos) {
      times = line.number<std::uint32_t>(word.substr(x + 1), "a count after x");
      // No image has a million features; a broken file should not take the memory for them.
      if (times == 0 || times > 1'000'000) line.refuse("a count from 1 to 1000000", word);
    }
    frame.insert(frame.end(), times, WordId{id});
  }
}

void read_pose(Line& line, WordSequence& sequence) {
  Pose pose;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      pose.rotation[row * 3 + column] = line.next_number<double>("12 numbers of a pose");
    }
    pose.translation[row] = line.next_number<double>("12 numbers of a pose");
  }
  sequence.poses.push_back(pose);
  if (sequence.poses.size() != sequence.frames.size()) {
    line.refuse("one pose for every frame up to here", "pose");
  }
}

void read_loops(Line& line, WordSequence& sequence) {
  std::vector<std::uint32_t>& frames = sequence.loops.emplace_back();
  if (sequence.loops.size() != sequence.frames.size()) {
    line.refuse("one line of loops for every frame up to here", "loops");
  }
  for (std::string_view word = line.next(); !word.empty(); word = line.next()) {
    frames.push_back(line.number<std::uint32_t>(word, "a frame number"));
  }
}

void read_line(Line& line, std::string_view key, WordSequence& sequence) {
  if (key == "vocabulary") {
    sequence.vocabulary_size = line.next_number<std::uint32_t>("the number of words");
  } else if (key == "idf") {
    sequence.word_weights.resize(sequence.vocabulary_size);
    for (float& weight : sequence.word_weights) weight = line.next_number<float>("a word's weight");
  } else if (key == "frame") {
    return read_frame(line, sequence);  // takes the line to its end
  } else if (key == "pose") {
    read_pose(line, sequence);
  } else if (key == "label") {
    sequence.labels.push_back(line.next_number<std::uint32_t>("a label"));
    if (sequence.labels.size() != sequence.frames.size()) {
      line.refuse("one label for every frame up to here", "label");
    }
  } else if (key == "loops") {
    return read_loops(line, sequence);
  } else {
    line.refuse("vocabulary, idf, frame, pose, label or loops", key);
  }
  if (const std::string_view more = line.next(); !more.empty()) {
    line.refuse("the end of the line", more);
  }
}

void check_complete(const WordSequence& sequence, const std::filesystem::path& path) {
  const auto check = [&](std::size_t count, const char* what) {
    if (count == 0 || count == sequence.frames.size()) return;
    throw Error(ErrorKind::corruption, std::string("expected a ") + what +
                                           " for all frames or for none in " + path.string() +
                                           ", found " + std::to_string(count) + " for " +
                                           std::to_string(sequence.frames.size()));
  };
  check(sequence.poses.size(), "pose");
  check(sequence.labels.size(), "label");
  check(sequence.loops.size(), "line of loops");
  for (const std::vector<std::uint32_t>& frames : sequence.loops) {
    for (const std::uint32_t frame : frames) {
      if (frame < sequence.frames.size()) continue;
      throw Error(ErrorKind::corruption, "expected loops with frames below " +
                                             std::to_string(sequence.frames.size()) + " in " +
                                             path.string() + ", found " + std::to_string(frame));
    }
  }
}

void append(std::string& text, double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(" ").append(digits.data(), end);
}

void append(std::string& text, float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(" ").append(digits.data(), end);
}

std::string frame_lines(const WordSequence& sequence, std::size_t i) {
  std::string text = "frame";
  const std::vector<WordId>& words = sequence.frames[i];
  for (std::size_t w = 0; w < words.size();) {
    std::size_t times = 1;
    while (w + times < words.size() && words[w + times] == words[w]) ++times;
    text += ' ' + std::to_string(words[w].value);
    if (times > 1) text += 'x' + std::to_string(times);
    w += times;
  }
  if (!sequence.poses.empty()) {
    text += "\npose";
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        append(text, sequence.poses[i].rotation[row * 3 + column]);
      }
      append(text, sequence.poses[i].translation[row]);
    }
  }
  if (!sequence.labels.empty()) text += "\nlabel " + std::to_string(sequence.labels[i]);
  if (!sequence.loops.empty()) {
    text += "\nloops";
    for (const std::uint32_t frame : sequence.loops[i]) text += ' ' + std::to_string(frame);
  }
  return text + '\n';
}

}  // namespace

WordSequence read_words(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorKind::not_found, "expected a word file, found no " + path.string());
  }
  WordSequence sequence;
  bool begun = false;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    Line line(text, path, ++number);
    if (!begun) {
      read_header(line);
      begun = true;
      continue;
    }
    const std::string_view key = line.next();
    if (!key.empty() && key.front() != '#') read_line(line, key, sequence);
  }
  if (!begun) {
    throw Error(ErrorKind::corruption, "expected a word file, found nothing in " + path.string());
  }
  check_complete(sequence, path);
  return sequence;
}

void write_words(const std::filesystem::path& path, const WordSequence& sequence) {
  std::ofstream file(path);
  file << kMagic << ' ' << kVersion << "\nvocabulary " << sequence.vocabulary_size << '\n';
  if (!sequence.word_weights.empty()) {
    std::string weights = "idf";
    for (const float weight : sequence.word_weights) append(weights, weight);
    file << weights << '\n';
  }
  for (std::size_t i = 0; i < sequence.frames.size(); ++i) file << frame_lines(sequence, i);
  file.close();
  if (!file) throw write_error(path);
}

std::vector<float> inverse_document_frequency(const WordSequence& sequence) {
  std::vector<std::uint32_t> frames_with(sequence.vocabulary_size);
  std::vector<std::size_t> last_frame(sequence.vocabulary_size);
  for (std::size_t i = 0; i < sequence.frames.size(); ++i) {
    for (const WordId word : sequence.frames[i]) {
      if (word.value >= sequence.vocabulary_size || last_frame[word.value] == i + 1) continue;
      last_frame[word.value] = i + 1;
      ++frames_with[word.value];
    }
  }
  std::vector<float> weights(sequence.vocabulary_size);
  const auto frames = static_cast<double>(sequence.frames.size());
  for (std::size_t word = 0; word < weights.size(); ++word) {
    const double with = frames_with[word] == 0 ? 1 : frames_with[word];
    weights[word] = frames == 0 ? 0 : static_cast<float>(std::log(frames / with));
  }
  return weights;
}

std::vector<Histogram> make_histograms(const WordSequence& sequence) {
  const std::vector<float> weights =
      sequence.word_weights.empty() ? inverse_document_frequency(sequence) : sequence.word_weights;
  std::vector<Histogram> histograms(sequence.frames.size());
  parallel_for(histograms.size(), 0,
               [&](std::size_t i) { histograms[i] = make_histogram(sequence.frames[i], weights); });
  return histograms;
}

}  // namespace looptree

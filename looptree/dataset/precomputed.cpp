// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/precomputed.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

constexpr std::size_t kSiftgeoGeometry = 9 * sizeof(float);
constexpr std::uint32_t kMaxDimension = 65536;

[[noreturn]] void refuse(const fs::path& path, const std::string& expected,
                         const std::string& found) {
  throw Error(ErrorKind::corruption,
              "expected " + expected + " in " + path.string() + ", found " + found);
}

std::vector<char> read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) {
    throw Error(ErrorKind::not_found, "expected a file, found no " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of records that each carry the dimension of their vector.
class Records {
 public:
  explicit Records(const fs::path& path) : path_(path), bytes_(read_all(path)) {}

  bool at_end() const { return at_ == bytes_.size(); }
  const char* take(std::size_t count) {
    if (bytes_.size() - at_ < count) {
      refuse(path_, std::to_string(count) + " more bytes at byte " + std::to_string(at_),
             std::to_string(bytes_.size() - at_));
    }
    at_ += count;
    return bytes_.data() + at_ - count;
  }
  std::size_t take_dimension(const Descriptors& so_far) {
    std::uint32_t dimension = 0;
    std::memcpy(&dimension, take(sizeof dimension), sizeof dimension);
    if (dimension == 0 || dimension > kMaxDimension) {
      refuse(path_, "a dimension from 1 to " + std::to_string(kMaxDimension),
             std::to_string(dimension));
    }
    if (!so_far.floats.empty() && dimension != so_far.width) {
      refuse(path_, "vectors of one dimension, " + std::to_string(so_far.width),
             std::to_string(dimension));
    }
    return dimension;
  }

 private:
  const fs::path& path_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

std::vector<WordId> parse_words(std::string_view text, const fs::path& path) {
  std::vector<WordId> words;
  constexpr std::string_view kSpace = " \t\r,";
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::string_view word = text.substr(at, text.find_first_of(kSpace, at) - at);
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc{} || end != word.data() + word.size() ||
        id == std::numeric_limits<std::uint32_t>::max()) {
      refuse(path, "word numbers", '"' + std::string(word) + '"');
    }
    words.emplace_back(id);
    at += word.size();
  }
  return words;
}

/// NNNNNN.siftgeo -> NNNN.
std::uint32_t scene_of(const fs::path& path) {
  const std::string name = path.stem().string();
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) {
    refuse(path, "a numbered name such as 100000.siftgeo", name);
  }
  return number / 100;
}

float squared_distance(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

WordSequence read_ukbench_words(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::not_found, "expected a file, found no " + path.string());
  WordSequence sequence;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      refuse(path, "a header and a colon in line " + std::to_string(sequence.frames.size() + 1),
             "no colon");
    }
    sequence.labels.push_back(static_cast<std::uint32_t>(sequence.frames.size() / 4));
    sequence.frames.push_back(parse_words(std::string_view(line).substr(colon + 1), path));
    for (const WordId word : sequence.frames.back()) {
      sequence.vocabulary_size = std::max(sequence.vocabulary_size, word.value + 1);
    }
  }
  return sequence;
}

Descriptors read_siftgeo(const fs::path& path) {
  Records records(path);
  Descriptors descriptors{DescriptorType::real, 128, {}, {}};
  while (!records.at_end()) {
    records.take(kSiftgeoGeometry);
    descriptors.width = records.take_dimension(descriptors);
    const char* bytes = records.take(descriptors.width);
    for (std::size_t i = 0; i < descriptors.width; ++i) {
      descriptors.floats.push_back(static_cast<float>(static_cast<unsigned char>(bytes[i])));
    }
  }
  return descriptors;
}

Descriptors read_fvecs(const fs::path& path) {
  Records records(path);
  Descriptors vectors{DescriptorType::real, 128, {}, {}};
  while (!records.at_end()) {
    vectors.width = records.take_dimension(vectors);
    const char* bytes = records.take(vectors.width * sizeof(float));
    vectors.floats.resize(vectors.floats.size() + vectors.width);
    std::memcpy(vectors.floats.data() + vectors.floats.size() - vectors.width, bytes,
                vectors.width * sizeof(float));
  }
  return vectors;
}

std::vector<WordId> nearest_words(const DescriptorView& descriptors,
                                  const DescriptorView& centres) {
  require(descriptors.type() == DescriptorType::real && centres.type() == DescriptorType::real,
          ErrorKind::invalid_argument, "expected float descriptors and centres, found binary ones");
  require(descriptors.empty() || (!centres.empty() && descriptors.width() == centres.width()),
          ErrorKind::invalid_argument,
          "expected centres as wide as the descriptors, found other ones or none");
  std::vector<WordId> words(descriptors.size());
  parallel_for(words.size(), 0, [&](std::size_t i) {
    float best = std::numeric_limits<float>::infinity();
    for (std::size_t c = 0; c < centres.size(); ++c) {
      const float distance = squared_distance(descriptors.floats(i), centres.floats(c));
      if (distance >= best) continue;
      best = distance;
      words[i] = WordId{static_cast<std::uint32_t>(c)};
    }
  });
  return words;
}

WordSequence read_holidays_features(const fs::path& folder, const fs::path& vocabulary,
                                    const ProgressCallback& progress) {
  std::vector<fs::path> files;
  std::error_code ignored;  // a folder that cannot be read holds none for us
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".siftgeo") files.push_back(entry.path());
  }
  if (files.empty()) {
    throw Error(ErrorKind::not_found,
                "expected .siftgeo files in " + folder.string() + ", found none");
  }
  std::sort(files.begin(), files.end());
  const Descriptors centres = read_fvecs(vocabulary);
  WordSequence sequence;
  sequence.vocabulary_size = static_cast<std::uint32_t>(centres.size());
  for (const fs::path& file : files) {
    report(progress, sequence.frames.size(), files.size());
    sequence.frames.push_back(nearest_words(read_siftgeo(file).view(), centres.view()));
    sequence.labels.push_back(scene_of(file));
  }
  return sequence;
}

}  // namespace looptree

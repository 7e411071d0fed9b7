// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/keyframe_trace.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/gzip_lines.hpp"

namespace looptree {
namespace {

/// More than any image, map or vocabulary has; a damaged count should not take the memory for it.
constexpr std::uint64_t kMostWords = 50'000'000;
constexpr std::uint64_t kMostKeyframes = 10'000'000;
constexpr std::uint64_t kMostOccurrences = 1'000'000;

/// Takes the fields of a record off its front, one by one.
class Fields {
 public:
  Fields(std::string_view text, const KeyframeTraceReader& reader) : rest_(text), reader_(reader) {}

  /// The next field; fields are separated by exactly one space.
  std::string_view next(const char* expected) {
    if (rest_.empty()) reader_.refuse(expected, "the end of the line");
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    if (field.empty()) reader_.refuse(expected, "two spaces in a row");
    rest_.remove_prefix(field.size());
    if (!rest_.empty()) {
      rest_.remove_prefix(1);
      if (rest_.empty()) reader_.refuse("a record without spaces at its end", "one");
    }
    return field;
  }

  template <typename Number>
  Number parse(std::string_view field, const char* expected) const {
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      reader_.refuse(expected, '"' + std::string(field.substr(0, 40)) + '"');
    }
    return value;
  }

  template <typename Number>
  Number number(const char* expected) {
    return parse<Number>(next(expected), expected);
  }

  std::size_t count(const char* expected, std::uint64_t most) {
    const auto count = number<std::uint64_t>(expected);
    if (count > most) {
      reader_.refuse(std::string(expected) + " of at most " + std::to_string(most),
                     std::to_string(count));
    }
    return static_cast<std::size_t>(count);
  }

  std::vector<KeyframeNumber> list(const char* expected) {
    std::vector<KeyframeNumber> items;
    for (std::size_t left = count(expected, kMostKeyframes); left > 0; --left) {
      items.push_back(number<KeyframeNumber>(expected));
    }
    return items;
  }

  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  void end() const {
    if (!rest_.empty()) {
      reader_.refuse("the end of the line", '"' + std::string(rest_.substr(0, 40)) + '"');
    }
  }

  const KeyframeTraceReader& reader() const { return reader_; }

 private:
  std::string_view rest_;
  const KeyframeTraceReader& reader_;
};

/// The hash of a trace over word ids and weights.
std::uint64_t hash_of(std::span<const WordId> words, std::span<const double> weights) {
  std::uint64_t hash = 1469598103934665603u;
  const auto mix = [&hash](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      hash ^= value >> (8 * i) & 0xFF;
      hash *= 1099511628211u;
    }
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    mix(words[i].value, 4);
    mix(std::bit_cast<std::uint64_t>(weights[i]), 8);
  }
  return hash;
}

class WordsOfRecord {
 public:
  WordsOfRecord(Fields& fields, std::span<const double> idf) : fields_(fields), idf_(idf) {}

  Histogram read() {
    const std::size_t count = fields_.count("a number of words", idf_.size());
    const std::string_view digits = fields_.next("a hash");
    std::uint64_t hash = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      fields_.reader().refuse("a hash in hexadecimal", '"' + std::string(digits) + '"');
    }
    const bool verbatim = fields_.at('!');
    if (verbatim) fields_.next("!");
    for (std::size_t i = 0; i < count; ++i) verbatim ? read_verbatim() : read_word();
    fields_.end();
    if (!verbatim) normalize();
    if (hash_of(words_, weights_) != hash) {
      fields_.reader().refuse("words and weights that hash to " + std::string(digits),
                              "others: the trace is damaged");
    }
    return {std::move(words_), std::move(weights_)};
  }

 private:
  void push_word(std::string_view gap) {
    const auto step = fields_.parse<std::uint32_t>(gap, "a difference of words");
    const std::int64_t word = last_ + step;
    if (step == 0 || word >= static_cast<std::int64_t>(idf_.size())) {
      fields_.reader().refuse("ascending words below " + std::to_string(idf_.size()),
                              "word " + std::to_string(word));
    }
    last_ = word;
    words_.emplace_back(static_cast<std::uint32_t>(word));
  }

  /// "d", or "dxC" for a word seen C times.
  void read_word() {
    const std::string_view field = fields_.next("a word");
    const std::size_t x = field.find('x');
    push_word(field.substr(0, x));
    std::uint32_t times = 1;
    if (x != std::string_view::npos) {
      times = fields_.parse<std::uint32_t>(field.substr(x + 1), "a count after x");
      if (times == 0 || times > kMostOccurrences) {
        fields_.reader().refuse("a count from 1 to 1000000", std::string(field));
      }
    }
    const double idf = idf_[words_.back().value];
    double weight = idf;
    for (std::uint32_t i = 1; i < times; ++i) weight += idf;  // in this order: it decides last bits
    weights_.push_back(weight);
  }

  /// "d:w", the weight as C prints it with %a.
  void read_verbatim() {
    const std::string_view field = fields_.next("a word with its weight");
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) {
      fields_.reader().refuse("a word, a colon and its weight", '"' + std::string(field) + '"');
    }
    push_word(field.substr(0, colon));
    const std::string digits(field.substr(colon + 1));
    char* end = nullptr;
    const double weight = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0' || !(weight >= 0) || !std::isfinite(weight)) {
      fields_.reader().refuse("a weight in hexadecimal", '"' + digits + '"');
    }
    weights_.push_back(weight);
  }

  void normalize() {
    double sum = 0;
    for (const double weight : weights_) sum += weight;
    for (double& weight : weights_) weight /= sum;
  }

  Fields& fields_;
  std::span<const double> idf_;
  std::int64_t last_ = -1;
  std::vector<WordId> words_;
  std::vector<double> weights_;
};

std::vector<TraceScore> read_scores(Fields& fields, bool with_common) {
  std::vector<TraceScore> scores;
  for (std::size_t left = fields.count("a number of scores", kMostKeyframes); left > 0; --left) {
    TraceScore score;
    score.keyframe = fields.number<KeyframeNumber>("a keyframe");
    if (with_common) score.common = fields.number<std::uint32_t>("a number of common words");
    score.score = fields.number<float>("a score");
    scores.push_back(score);
  }
  return scores;
}

TraceNeighbours read_neighbours(Fields& fields, bool next_query_only) {
  TraceNeighbours record;
  record.keyframe = fields.number<KeyframeNumber>("a keyframe");
  record.neighbours = fields.list("neighbours");
  record.next_query_only = next_query_only;
  return record;
}

TraceLoopQuery read_loop(Fields& fields) {
  TraceLoopQuery record;
  record.keyframe = fields.number<KeyframeNumber>("a keyframe");
  fields.number<double>("a time");
  record.microseconds = fields.number<double>("microseconds");
  fields.number<double>("microseconds of the walk");
  record.database = fields.count("a size of the database", kMostKeyframes);
  record.min_score = fields.number<float>("a minimum score");
  if (std::isnan(record.min_score)) fields.reader().refuse("a minimum score", "nan");
  record.answer.sharing = fields.count("a number of keyframes", kMostKeyframes);
  record.answer.most_common = fields.number<std::uint32_t>("a number of common words");
  record.excluded = fields.list("excluded keyframes");
  record.answer.scored = read_scores(fields, true);
  record.answer.returned = fields.list("returned keyframes");
  return record;
}

TraceRelocalization read_relocalization(Fields& fields) {
  TraceRelocalization record;
  record.frame = fields.number<std::uint64_t>("a frame");
  fields.number<double>("a time");
  record.microseconds = fields.number<double>("microseconds");
  fields.number<double>("microseconds of the walk");
  record.database = fields.count("a size of the database", kMostKeyframes);
  record.answer.sharing = fields.count("a number of keyframes", kMostKeyframes);
  record.answer.most_common = fields.number<std::uint32_t>("a number of common words");
  record.answer.scored = read_scores(fields, true);
  record.left_over = read_scores(fields, false);
  record.answer.returned = fields.list("returned keyframes");
  return record;
}

TraceKeyframe read_keyframe(Fields& fields, std::span<const double> idf) {
  TraceKeyframe record;
  record.keyframe = fields.number<KeyframeNumber>("a keyframe");
  record.frame = fields.number<std::uint64_t>("a frame");
  record.image = fields.number<std::uint64_t>("an image");
  record.time = fields.number<double>("a time");
  record.histogram = WordsOfRecord(fields, idf).read();
  return record;
}

TraceFrame read_frame(Fields& fields, std::span<const double> idf) {
  TraceFrame record;
  record.frame = fields.number<std::uint64_t>("a frame");
  record.image = fields.number<std::uint64_t>("an image");
  record.time = fields.number<double>("a time");
  record.histogram = WordsOfRecord(fields, idf).read();
  return record;
}

TraceAdd read_add(Fields& fields) {
  const TraceAdd record{fields.number<KeyframeNumber>("a keyframe")};
  fields.number<double>("a time");
  fields.number<double>("microseconds");
  return record;
}

TraceErase read_erase(Fields& fields) {
  TraceErase record{fields.number<KeyframeNumber>("a keyframe")};
  fields.number<double>("a time");
  fields.number<double>("microseconds");
  record.present = fields.count("whether it was present, 0 or 1,", 1) == 1;
  return record;
}

TraceClear read_clear(Fields& fields) {
  fields.number<double>("a time");
  return {};
}

TraceConnected read_connected(Fields& fields) {
  TraceConnected record;
  record.keyframe = fields.number<KeyframeNumber>("a keyframe");
  record.connected = fields.list("connected keyframes");
  return record;
}

TraceRecord read_record(char kind, Fields& fields, std::span<const double> idf) {
  switch (kind) {
    case 'K':
      return read_keyframe(fields, idf);
    case 'F':
      return read_frame(fields, idf);
    case 'A':
      return read_add(fields);
    case 'E':
      return read_erase(fields);
    case 'C':
      return read_clear(fields);
    case 'G':
      return read_connected(fields);
    case 'L':
      return read_loop(fields);
    case 'R':
      return read_relocalization(fields);
    default:  // N holds until told otherwise, M for the next query
      return read_neighbours(fields, kind == 'M');
  }
}

}  // namespace

struct KeyframeTraceReader::Impl {
  explicit Impl(const std::filesystem::path& given) : path(given), lines(given) {}

  std::filesystem::path path;
  detail::GzipLines lines;
  std::vector<double> idf;
  std::string settings;
};

KeyframeTraceReader::KeyframeTraceReader(const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(path)) {
  while (impl_->lines.next()) {
    const std::string_view text = impl_->lines.text();
    if (text.starts_with('#')) continue;
    if (text.starts_with("H ")) {
      impl_->settings = text.substr(2);
      continue;
    }
    Fields fields(text, *this);
    if (fields.next("the vocabulary's weights, V") != "V") {
      refuse("a keyframe trace, which begins with #, H and V records",
             '"' + std::string(text.substr(0, 20)) + '"');
    }
    const std::size_t words = fields.count("a number of words", kMostWords);
    if (words == 0) refuse("a vocabulary of at least one word", "none");
    for (std::size_t i = 0; i < words; ++i) {
      const auto weight = fields.number<double>("a word's weight");
      if (!(weight >= 0) || !std::isfinite(weight)) {
        refuse("finite weights of at least 0", std::to_string(weight));
      }
      impl_->idf.push_back(weight);
    }
    fields.end();
    return;
  }
  throw Error(ErrorKind::corruption,
              "expected a keyframe trace, found no vocabulary weights (V) in " + path.string());
}

KeyframeTraceReader::~KeyframeTraceReader() = default;
KeyframeTraceReader::KeyframeTraceReader(KeyframeTraceReader&&) noexcept = default;
KeyframeTraceReader& KeyframeTraceReader::operator=(KeyframeTraceReader&&) noexcept = default;

std::span<const double> KeyframeTraceReader::word_weights() const {
  return impl_->idf;
}

const std::string& KeyframeTraceReader::settings() const {
  return impl_->settings;
}

std::size_t KeyframeTraceReader::line() const {
  return impl_->lines.number();
}

std::size_t KeyframeTraceReader::bytes_read() const {
  return impl_->lines.offset();
}

std::size_t KeyframeTraceReader::bytes_total() const {
  return std::filesystem::file_size(impl_->path);
}

void KeyframeTraceReader::refuse(const std::string& expected, const std::string& found) const {
  throw Error(ErrorKind::corruption, "expected " + expected + " in line " + std::to_string(line()) +
                                         " of " + impl_->path.string() + ", found " + found);
}

std::optional<TraceRecord> KeyframeTraceReader::next() {
  std::string_view text;
  do {
    if (!impl_->lines.next()) return std::nullopt;
    text = impl_->lines.text();
  } while (text.starts_with('#') || text.starts_with("H "));
  Fields fields(text, *this);
  const std::string_view kind = fields.next("a record");
  constexpr std::string_view kKinds = "KFAECNMGLR";
  if (kind.size() != 1 || kKinds.find(kind) == std::string_view::npos) {
    refuse("a record (K, A, E, C, N, G, L, F, M or R)",
           '"' + std::string(text.substr(0, 20)) + '"');
  }
  TraceRecord record = read_record(kind[0], fields, impl_->idf);
  fields.end();
  return record;
}

}  // namespace looptree

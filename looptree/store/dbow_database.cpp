// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/dbow_database.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

/// The lines of a text file, gzip-compressed or not.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : path_(path.string()), file_(gzopen(path_.c_str(), "rb"), gzclose_r) {
    if (!file_) {
      throw Error(ErrorKind::not_found, path_ + ": expected a database, found no file to read");
    }
    gzbuffer(file_.get(), 1 << 18);
  }

  /// Without the end of the line; nothing after the last.
  std::optional<std::string_view> next() {
    line_.clear();
    std::array<char, 4096> buffer;
    while (gzgets(file_.get(), buffer.data(), static_cast<int>(buffer.size())) != nullptr) {
      line_ += buffer.data();
      if (line_.ends_with('\n')) break;
      if (line_.size() > kMaxLine) fail("a line without end");
    }
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail("a file that breaks off");
    if (line_.empty()) return std::nullopt;
    ++number_;
    while (line_.ends_with('\n') || line_.ends_with('\r') || line_.ends_with(' ')) line_.pop_back();
    return line_;
  }

  [[noreturn]] void fail(const std::string& found) const {
    throw Error(ErrorKind::corruption,
                path_ + ": line " + std::to_string(number_) +
                    ": expected a database as DBoW2 and DBoW3 save it, found " + found);
  }

 private:
  static constexpr std::size_t kMaxLine = 1 << 20;

  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::string line_;
  std::size_t number_ = 0;
};

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// The number behind `key:` in the text; the key may follow anything, a blank the colon.
template <typename Number>
Number number_after(std::string_view text, std::string_view key, const Lines& lines) {
  const std::size_t at = text.find(key);
  Number value{};
  if (at != std::string_view::npos) {
    std::string_view rest = text.substr(at + key.size());
    rest.remove_prefix(indent_of(rest));
    if (rest.starts_with(':')) {
      rest.remove_prefix(1);
      rest.remove_prefix(indent_of(rest));
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error == std::errc{}) return value;
    }
  }
  lines.fail("no number for " + std::string(key));
}

struct Posting {
  std::uint32_t image;
  std::uint32_t word;
  double weight;
};

class Reader {
 public:
  Reader(const std::filesystem::path& path, const ProgressCallback& progress)
      : lines_(path), progress_(progress) {}

  DbowDatabase read() {
    find_section();
    read_inverted_index();
    return to_images();
  }

 private:
  /// To the inverted index of the database; what stands before it there is noted.
  void find_section() {
    bool inside = false;
    while (const auto line = lines_.next()) {
      const std::size_t indent = indent_of(*line);
      const std::string_view text = line->substr(indent);
      if (indent == 0) inside = text.starts_with("database:");
      if (!inside) continue;
      if (text.starts_with("nEntries")) {
        entries_ = number_after<std::uint32_t>(text, "nEntries", lines_);
      }
      if (text.starts_with("invertedIndex:")) {
        section_indent_ = indent;
        return;
      }
    }
    lines_.fail("no inverted index");
  }

  /// One item per word, "-" on a line of its own, and in it one item per image that has the word:
  /// "- { imageId:3, weight:1.5e-02 }", perhaps on two lines; "[]" where there is none.
  void read_inverted_index() {
    std::optional<std::size_t> word_indent;
    while (const auto line = lines_.next()) {
      const std::size_t indent = indent_of(*line);
      std::string_view text = line->substr(indent);
      if (text.empty()) continue;
      if (indent <= section_indent_ && !text.starts_with('-')) return;  // the next key
      if (!word_indent) word_indent = indent;
      if (indent == *word_indent) {
        if (!text.starts_with('-')) lines_.fail("\"" + std::string(text) + "\"");
        ++words_;
        if (words_ % 1024 == 0) report(progress_, words_, words_);
        text.remove_prefix(1);
        text.remove_prefix(indent_of(text));
        if (text.empty()) continue;
      }
      read_entry(text);
    }
  }

  void read_entry(std::string_view first) {
    if (first == "[]") return;
    std::string entry(first);
    while (entry.find('}') == std::string::npos) {
      const auto more = lines_.next();
      if (!more || entry.size() > 1000) lines_.fail("an entry without end");
      entry += *more;
    }
    if (!entry.starts_with("- {")) lines_.fail("\"" + entry.substr(0, 80) + "\"");
    const Posting posting{number_after<std::uint32_t>(entry, "imageId", lines_), words_ - 1,
                          number_after<double>(entry, "weight", lines_)};
    if (posting.image >= entries_) {
      lines_.fail("image " + std::to_string(posting.image) + " of " + std::to_string(entries_));
    }
    if (!std::isfinite(posting.weight) || posting.weight < 0) lines_.fail("a weight below 0");
    postings_.push_back(posting);
  }

  DbowDatabase to_images() {
    // Few images have no words at all; a number that says otherwise is not to be trusted with
    // memory.
    if (entries_ > postings_.size() + 1000) {
      lines_.fail(std::to_string(entries_) + " images with " + std::to_string(postings_.size()) +
                  " words in all");
    }
    std::stable_sort(postings_.begin(), postings_.end(),
                     [](const Posting& a, const Posting& b) { return a.image < b.image; });
    DbowDatabase database{words_, std::vector<Histogram>(entries_)};
    for (std::size_t i = 0; i < postings_.size();) {
      const std::uint32_t image = postings_[i].image;
      std::vector<WordId> words;
      std::vector<double> weights;
      for (; i < postings_.size() && postings_[i].image == image; ++i) {
        if (!words.empty() && words.back().value == postings_[i].word) {
          lines_.fail("image " + std::to_string(image) + " twice at one word");
        }
        words.emplace_back(postings_[i].word);
        weights.push_back(postings_[i].weight);
      }
      database.images[image] = l1_normalized({std::move(words), std::move(weights)});
    }
    return database;
  }

  /// Those that are normalised already stay as they are, to the bit.
  static Histogram l1_normalized(Histogram histogram) {
    if (std::abs(histogram.sum() - 1) <= 1e-6) return histogram;
    return histogram.normalized();
  }

  Lines lines_;
  const ProgressCallback& progress_;
  std::size_t section_indent_ = 0;
  std::uint32_t entries_ = 0;
  std::uint32_t words_ = 0;
  std::vector<Posting> postings_;
};

}  // namespace

DbowDatabase read_dbow_database(const std::filesystem::path& path,
                                const ProgressCallback& progress) {
  return Reader(path, progress).read();
}

FrameId insert_dbow_database(Map& map, const DbowDatabase& database, const FrameInfo& info) {
  if (database.words != map.vocabulary().words) {
    throw Error(ErrorKind::invalid_argument,
                "expected a database with the " + std::to_string(map.vocabulary().words) +
                    " words of the map, found " + std::to_string(database.words));
  }
  std::vector<NewFrame> frames;
  std::vector<std::uint32_t> empty;
  for (const Histogram& image : database.images) {
    if (image.empty()) empty.push_back(static_cast<std::uint32_t>(frames.size()));
    frames.push_back({image.empty() ? Histogram({WordId{0}}, {1.0}) : image, info, {}});
  }
  const FrameId first = map.insert(frames);
  std::vector<FrameId> vacant;
  vacant.reserve(empty.size());
  for (const std::uint32_t image : empty) vacant.emplace_back(first.value + image);
  map.erase(vacant);
  return first;
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"

// The YAML of DBoW2 and DBoW3, which is OpenCV's: maps in braces without a blank behind the colon,
// folded anywhere between fields, with or without "---". Only what a vocabulary consists of is
// understood: keys with a scalar, wherever they stand. Strings do not span lines.
namespace looptree::detail {
namespace {

/// How a file writes descriptors; its first one tells.
enum class Dialect { unknown, bytes, bits, words, floats, dbow3 };

class YamlReader {
 public:
  explicit YamlReader(Reader& reader) : reader_(reader) {}

  RawTree read() {
    while (const auto line = reader_.line()) {
      ++line_number_;
      if (!parse_line(*line)) break;
    }
    if (part_ != Part::words || node_fields_ != 0 || word_fields_ != 0) {
      throw Error(ErrorKind::corruption,
                  "expected a vocabulary with nodes and words, found the end of file in between");
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i]) fail("k, L, scoringType and weightingType", "not all of them");
    }
    tree_.set_parameters(*parameters_[0], *parameters_[1], *parameters_[2], *parameters_[3]);
    tree_.format = dialect_ == Dialect::dbow3  ? VocabularyFormat::dbow3_yaml
                   : dialect_ == Dialect::bits ? VocabularyFormat::dbow2_brief_yaml
                                               : VocabularyFormat::dbow2_yaml;
    return std::move(tree_);
  }

 private:
  enum class Part { header, nodes, words };

  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw Error(ErrorKind::corruption, "expected " + expected + " in line " +
                                           std::to_string(line_number_) + ", found \"" +
                                           std::string(found.substr(0, 40)) + "\"");
  }

  /// Hands every "key: value" of a line on. False where the vocabulary ends.
  bool parse_line(std::string_view line) {
    if (line.starts_with('%') || line.starts_with("---")) return true;
    // A key without indent opens a block; after the vocabulary's comes the database's.
    if (part_ == Part::words && !line.empty() && is_letter(line.front())) return false;
    std::size_t at = 0;
    while ((at = skip_to_key(line, at)) < line.size()) {
      const std::size_t colon = line.find(':', at);
      if (colon == std::string_view::npos) fail("a key and a colon", line.substr(at));
      const std::string_view key = line.substr(at, colon - at);
      at = colon + 1;
      while (at < line.size() && line[at] == ' ') ++at;
      std::size_t end;
      std::string_view value;
      if (at < line.size() && line[at] == '"') {
        end = line.find('"', at + 1);
        if (end == std::string_view::npos) fail("the end of a string", line.substr(at));
        value = line.substr(at + 1, end - at - 1);
        ++end;
      } else {
        // OpenCV quotes a string only if it would be taken for something else without.
        end = std::min(line.find_first_of(",}\r", at), line.size());
        value = line.substr(at, end - at);
        value = value.substr(0, value.find_last_not_of(' ') + 1);
      }
      field(key, value);
      at = end;
    }
    return true;
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::size_t skip_to_key(std::string_view line, std::size_t at) const {
    while (at < line.size() && !is_letter(line[at])) {
      if (std::strchr(" -{},[]\r\t", line[at]) == nullptr) fail("a key", line.substr(at));
      ++at;
    }
    return at;
  }

  void field(std::string_view key, std::string_view value) {
    if (value.empty()) {
      if (key == "nodes") part_ = Part::nodes;
      if (key == "words") part_ = Part::words;
      return;
    }
    switch (part_) {
      case Part::header:
        return header_field(key, value);
      case Part::nodes:
        return node_field(key, value);
      case Part::words:
        return word_field(key, value);
    }
  }

  void header_field(std::string_view key, std::string_view value) {
    constexpr std::array<std::string_view, 4> keys = {"k", "L", "scoringType", "weightingType"};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (key == keys[i]) parameters_[i] = number<std::int32_t>(value);
    }
  }

  void node_field(std::string_view key, std::string_view value) {
    if (key == "nodeId") {
      mark(node_fields_, 1, key);
      tree_.ids.push_back(number<std::uint32_t>(value));
    } else if (key == "parentId") {
      mark(node_fields_, 2, key);
      tree_.parents.push_back(number<std::uint32_t>(value));
    } else if (key == "weight") {
      mark(node_fields_, 4, key);
      tree_.weights.push_back(number<double>(value));
    } else if (key == "descriptor") {
      mark(node_fields_, 8, key);
      descriptor(value);
    } else {
      fail("nodeId, parentId, weight or descriptor", key);
    }
    if (node_fields_ == 15) node_fields_ = 0;
  }

  void word_field(std::string_view key, std::string_view value) {
    if (key == "wordId") {
      mark(word_fields_, 1, key);
      word_ = number<std::uint32_t>(value);
    } else if (key == "nodeId") {
      mark(word_fields_, 2, key);
      word_node_ = number<std::uint32_t>(value);
    } else {
      fail("wordId or nodeId", key);
    }
    if (word_fields_ != 3) return;
    tree_.word_table.emplace_back(word_, word_node_);
    word_fields_ = 0;
  }

  void mark(unsigned& fields, unsigned bit, std::string_view key) const {
    if ((fields & bit) != 0) fail("every field once", key);
    fields |= bit;
  }

  template <typename T>
  T number(std::string_view text) const {
    T value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail("a number", text);
    return value;
  }

  /// The next of the blank-separated parts of a string, or an empty one at its end.
  static std::string_view next_part(std::string_view& text) {
    const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    text.remove_prefix(end);
    return part;
  }

  static Dialect dialect_of(std::string_view text) {
    if (text.starts_with("dbw3")) return Dialect::dbow3;
    if (text.find_first_not_of("01") == std::string_view::npos && text.size() >= 8) {
      return Dialect::bits;
    }
    if (text.find_first_of(".eEnN-") != std::string_view::npos) return Dialect::floats;
    std::size_t parts = 0;
    while (!next_part(text).empty()) ++parts;
    return parts == 4 ? Dialect::words : Dialect::bytes;
  }

  void descriptor(std::string_view text) {
    if (dialect_ == Dialect::unknown) dialect_ = dialect_of(text);
    row_.clear();
    DescriptorType type = DescriptorType::binary;
    const std::string_view whole = text;
    if (dialect_ == Dialect::bits) {
      append_bits(text);
    } else {
      bool floats = dialect_ == Dialect::floats;
      if (dialect_ == Dialect::dbow3) {
        if (next_part(text) != "dbw3") fail("a descriptor that starts with dbw3", whole);
        const auto cv_type = number<int>(next_part(text));
        if (cv_type != 0 && cv_type != 5) fail("bytes (0) or floats (5)", whole);
        floats = cv_type == 5;
        next_part(text);  // the number of columns, which the values tell as well
      }
      if (floats) type = DescriptorType::real;
      append_numbers(text, floats);
    }
    const std::size_t width = type == DescriptorType::real ? row_.size() / 4 : row_.size();
    if (tree_.shape.width == 0 && width >= 1 && width <= kMaxWidth) {
      tree_.shape.width = width;
      tree_.shape.type = type;
    }
    if (width != tree_.shape.width || type != tree_.shape.type || width == 0) {
      fail("descriptors of one kind and length", whole);
    }
    tree_.rows.append(row_);
  }

  void append_numbers(std::string_view text, bool floats) {
    for (std::string_view part = next_part(text); !part.empty(); part = next_part(text)) {
      if (floats) {
        append(number<float>(part));
      } else if (dialect_ == Dialect::words) {
        append(number<std::uint64_t>(part));
      } else {
        append(number<std::uint8_t>(part));
      }
    }
  }

  /// A string of bits, the highest first. Bit i becomes bit i % 8 of byte i / 8.
  void append_bits(std::string_view text) {
    if (text.size() % 8 != 0) fail("a whole number of bytes of bits", text);
    row_.assign(text.size() / 8, '\0');
    for (std::size_t bit = 0; bit < text.size(); ++bit) {
      const char c = text[text.size() - 1 - bit];
      if (c != '0' && c != '1') fail("bits", text);
      if (c == '1') row_[bit / 8] = static_cast<char>(row_[bit / 8] | (1 << (bit % 8)));
    }
  }

  template <typename T>
  void append(T value) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    row_.append(bytes.data(), bytes.size());
  }

  Reader& reader_;
  RawTree tree_;
  Part part_ = Part::header;
  Dialect dialect_ = Dialect::unknown;
  std::array<std::optional<std::int32_t>, 4> parameters_;
  unsigned node_fields_ = 0;
  unsigned word_fields_ = 0;
  std::uint32_t word_ = 0;
  std::uint32_t word_node_ = 0;
  std::string row_;
  std::uint64_t line_number_ = 0;
};

/// As OpenCV writes it: never to be taken for a whole number.
template <typename T>
void write_real(Writer& writer, T value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  writer.text(text);
  if (text.find_first_of(".en") == std::string_view::npos) writer.text(".");
}

void write_bits(Writer& writer, const std::byte* row, std::size_t width) {
  for (std::size_t bit = width * 8; bit-- > 0;) {
    const bool set = (std::to_integer<unsigned>(row[bit / 8]) >> (bit % 8) & 1U) != 0;
    writer.text(set ? "1" : "0");
  }
}

void write_descriptor(Writer& writer, const VocabularyImage& image, std::uint32_t node,
                      VocabularyFormat format) {
  const std::byte* row = image.row(node);
  if (format == VocabularyFormat::dbow2_brief_yaml)
    return write_bits(writer, row, image.shape.width);
  const bool real = image.shape.type == DescriptorType::real;
  if (format == VocabularyFormat::dbow3_yaml) {
    writer.text(real ? "dbw3 5 " : "dbw3 0 ");
    writer.number(image.shape.width);
    writer.text(" ");
  }
  for (std::size_t i = 0; i < image.shape.width; ++i) {
    if (real) {
      float value;
      std::memcpy(&value, row + i * sizeof(float), sizeof(float));
      write_real(writer, value);
    } else {
      writer.number(std::to_integer<unsigned>(row[i]));
    }
    writer.text(" ");
  }
}

void write_parameter(Writer& writer, std::string_view key, std::size_t value) {
  writer.text("   ");
  writer.text(key);
  writer.text(": ");
  writer.number(value);
  writer.text("\n");
}

}  // namespace

RawTree read_yaml(Reader& reader) {
  return YamlReader(reader).read();
}

void write_yaml(const VocabularyImage& image, VocabularyFormat format, Writer& writer) {
  require_unshared_words(image, format);
  if (format == VocabularyFormat::dbow2_brief_yaml) require_binary(image, format);
  const std::vector<std::uint32_t> parents = parents_of(image);
  writer.text("%YAML:1.0\n---\nvocabulary:\n");
  write_parameter(writer, "k", image.shape.branching);
  write_parameter(writer, "L", image.shape.depth);
  write_parameter(writer, "scoringType", static_cast<std::size_t>(image.shape.scoring));
  write_parameter(writer, "weightingType", static_cast<std::size_t>(image.shape.weighting));
  writer.text("   nodes:\n");
  std::vector<std::uint32_t> node_of_word(image.words);
  for (std::uint32_t node = 1; node < image.nodes.size(); ++node) {
    if (image.nodes[node].count == 0) node_of_word[image.nodes[node].first] = node;
    writer.text("      - { nodeId:");
    writer.number(node);
    writer.text(", parentId:");
    writer.number(parents[node]);
    writer.text(", weight:");
    write_real(writer, weight_of(image, node));
    writer.text(",\n          descriptor:\"");
    write_descriptor(writer, image, node, format);
    writer.text("\" }\n");
    writer.step();
  }
  writer.text("   words:\n");
  for (std::uint32_t word = 0; word < image.words; ++word) {
    writer.text("      - { wordId:");
    writer.number(word);
    writer.text(", nodeId:");
    writer.number(node_of_word[word]);
    writer.text(" }\n");
  }
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"

// ORB-SLAM's ORBvoc.txt: a line "k L  scoring weighting", then a line per node in order of its id,
// "parent leaf byte ... byte  weight". Words are numbered as leaves appear.
namespace looptree::detail {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// The numbers of one line. A million lines of 35 numbers are read in a second or two, so what is
/// done per number is little.
class Line {
 public:
  Line(std::string_view text, std::uint64_t number)
      : at_(text.data()), end_(text.data() + text.size()), number_(number) {
    skip_blanks();
  }

  bool empty() const { return at_ == end_; }

  std::uint32_t integer(const char* what, std::uint32_t limit) {
    const char* start = at_;
    std::uint64_t value = 0;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9' && value <= limit) {
      value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    }
    if (at_ == start || value > limit || !at_boundary()) fail(what, start);
    skip_blanks();
    return static_cast<std::uint32_t>(value);
  }

  double real(const char* what) {
    double value = 0;
    const char* start = at_;
    const auto [end, error] = std::from_chars(at_, end_, value);
    at_ = end;
    if (error != std::errc() || !at_boundary()) fail(what, start);
    skip_blanks();
    return value;
  }

  std::size_t count_fields() const {
    std::size_t fields = 0;
    for (const char* c = at_; c != end_; ++c) {
      if (!is_blank(*c) && (c + 1 == end_ || is_blank(c[1]))) ++fields;
    }
    return fields;
  }

  void expect_end() const {
    if (!empty()) fail("the end of the line", at_);
  }

  [[noreturn]] void fail(const std::string& expected, const char* found) const {
    std::string_view rest(found, static_cast<std::size_t>(end_ - found));
    rest = rest.substr(0, rest.find_first_of(" \t\r"));
    std::string message = "expected " + expected + " in line " + std::to_string(number_);
    if (rest.empty()) {
      message += ", found its end";
    } else {
      message.append(", found \"").append(rest.substr(0, 40)).append("\"");
    }
    throw Error(ErrorKind::corruption, message);
  }

  const char* position() const { return at_; }

 private:
  bool at_boundary() const { return at_ == end_ || is_blank(*at_); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
  std::uint64_t number_;
};

void read_node(Line line, RawTree& tree, std::string& row, std::uint32_t& words) {
  if (tree.shape.width == 0) {
    const std::size_t fields = line.count_fields();
    if (fields < 4 || fields - 3 > kMaxWidth) {
      line.fail("a parent, a leaf flag, the bytes of a descriptor and a weight", line.position());
    }
    tree.shape.width = fields - 3;
    row.resize(tree.shape.width);
  }
  tree.parents.push_back(line.integer("the number of a parent", kNoWord - 1));
  const bool leaf = line.integer("a leaf flag, 0 or 1", 1) == 1;
  for (char& byte : row) {
    byte = static_cast<char>(line.integer("a byte of a descriptor", 255));
  }
  tree.weights.push_back(line.real("a weight"));
  line.expect_end();
  tree.words.push_back(leaf ? words++ : kNoWord);
  tree.rows.append(row);
}

}  // namespace

RawTree read_orbslam_text(Reader& reader) {
  RawTree tree;
  tree.format = VocabularyFormat::orbslam_text;
  std::uint64_t number = 1;
  Line header(reader.line().value_or(""), number);
  const std::uint32_t branching = header.integer("a branching (k)", kMaxBranching);
  const std::uint32_t depth = header.integer("a depth (L)", kMaxDepth);
  const std::uint32_t scoring = header.integer("a scoring type", 5);
  const std::uint32_t weighting = header.integer("a weighting type", 3);
  header.expect_end();
  tree.set_parameters(branching, depth, scoring, weighting);

  std::string row;
  std::uint32_t words = 0;
  while (const auto text = reader.line()) {
    const Line line(*text, ++number);
    if (number == 2 && reader.remaining()) {
      // Lines differ in length by less than this allows for.
      tree.reserve(*reader.remaining() * 5 / 4 / (text->size() + 1) + 1);
    }
    if (!line.empty()) read_node(line, tree, row, words);  // ORB-SLAM ends files with a blank line
  }
  return tree;
}

void write_orbslam_text(const VocabularyImage& image, Writer& writer) {
  require_binary(image, VocabularyFormat::orbslam_text);
  const std::vector<std::uint32_t> order = order_by_word(image, VocabularyFormat::orbslam_text);
  const std::vector<std::uint32_t> parents = parents_of(image);
  std::vector<std::uint32_t> line_of(image.nodes.size(), 0);
  writer.number(image.shape.branching);
  writer.text(" ");
  writer.number(image.shape.depth);
  writer.text("  ");
  writer.number(static_cast<int>(image.shape.scoring));
  writer.text(" ");
  writer.number(static_cast<int>(image.shape.weighting));
  std::uint32_t line = 0;
  for (const std::uint32_t node : order) {
    line_of[node] = ++line;
    writer.text("\n");
    writer.number(line_of[parents[node]]);
    writer.text(image.nodes[node].count == 0 ? " 1 " : " 0 ");
    for (std::size_t i = 0; i < image.shape.width; ++i) {
      writer.number(std::to_integer<unsigned>(image.row(node)[i]));
      writer.text(" ");
    }
    writer.text(" ");
    writer.number(weight_of(image, node));
    writer.step();
  }
  // No newline at the end: ORB-SLAM's loader would take the empty line for one more node.
}

}  // namespace looptree::detail

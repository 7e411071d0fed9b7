// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>

#include "looptree/common/error.hpp"
#include "looptree/graph/detail/text_rows.hpp"
#include "looptree/graph/graph_files.hpp"

namespace looptree {
namespace {

using detail::TextRow;

constexpr std::size_t kVertexNumbers = 8;
constexpr std::size_t kEdgeNumbers = 9 + 21;
/// Above, a double no longer tells whole numbers apart.
constexpr double kLargestId = 9007199254740992.0;

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  void take(const TextRow& row) {
    if (row.tag == "VERTEX_SE3:QUAT") {
      take_vertex(row);
    } else if (row.tag == "EDGE_SE3:QUAT") {
      take_edge(row);
    } else if (row.tag == "#") {
      take_comment(row.text);
    } else if (row.tag.starts_with("VERTEX") || row.tag.starts_with("EDGE")) {
      throw Error(ErrorKind::unsupported, "expected VERTEX_SE3:QUAT and EDGE_SE3:QUAT, found " +
                                              std::string(row.tag) + " in line " +
                                              std::to_string(row.line));
    }
  }

  PoseGraph finish() { return std::move(graph_); }

 private:
  std::uint64_t id_in(const TextRow& row, std::size_t field) const {
    const double value = row.numbers[field];
    if (value < 0 || value > kLargestId || value != std::floor(value)) {
      detail::refuse_row(row, name_, "a whole number that names a vertex");
    }
    return static_cast<std::uint64_t>(value);
  }

  void take_vertex(const TextRow& row) {
    if (!row.is_whole || row.numbers.size() != kVertexNumbers) {
      detail::refuse_row(row, name_, "VERTEX_SE3:QUAT id x y z qx qy qz qw");
    }
    const std::uint64_t id = id_in(row, 0);
    if (!index_of_.emplace(id, graph_.vertices.size()).second) {
      detail::refuse_row(row, name_, "every vertex once");
    }
    graph_.vertices.push_back({id, session_, detail::pose_in(row, 1, name_)});
  }

  std::size_t vertex_in(const TextRow& row, std::size_t field) const {
    const auto found = index_of_.find(id_in(row, field));
    if (found == index_of_.end()) {
      detail::refuse_row(row, name_, "an edge between vertices that stand before it");
    }
    return found->second;
  }

  void take_edge(const TextRow& row) {
    if (!row.is_whole || row.numbers.size() != kEdgeNumbers) {
      detail::refuse_row(row, name_, "EDGE_SE3:QUAT with two ids, 7 numbers of a pose and 21");
    }
    PoseEdge edge{vertex_in(row, 0), vertex_in(row, 1), detail::pose_in(row, 2, name_)};
    if (edge.target == edge.source) detail::refuse_row(row, name_, "an edge between two vertices");
    std::size_t next = 9;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = i; j < 6; ++j) {
        // Half radians in the file.
        const double units = (i < 3 ? 1.0 : 0.5) * (j < 3 ? 1.0 : 0.5);
        edge.information(i, j) = edge.information(j, i) = row.numbers[next++] * units;
      }
    }
    const bool neighbours =
        edge.source == edge.target + 1 &&
        graph_.vertices[edge.source].session == graph_.vertices[edge.target].session;
    (neighbours ? graph_.odometry : graph_.closures).push_back(edge);
  }

  void take_comment(std::string_view text) {
    constexpr std::string_view start = "# session ";
    if (!text.starts_with(start)) return;
    std::from_chars(text.data() + start.size(), text.data() + text.size(), session_);
  }

  std::string_view name_;
  PoseGraph graph_;
  std::uint32_t session_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> index_of_;
};

}  // namespace

PoseGraph parse_g2o(std::string_view text, std::string_view name) {
  Reader reader(name);
  for (const TextRow& row : detail::text_rows(text)) reader.take(row);
  return reader.finish();
}

PoseGraph read_g2o(const std::filesystem::path& path) {
  return parse_g2o(detail::read_text(path), path.string());
}

}  // namespace looptree

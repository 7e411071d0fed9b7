// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/graph_files.hpp"

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"

#include "tests/fuzz/graph_target.hpp"
#include "tests/graph/made_graph.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
namespace fs = std::filesystem;

/// A folder that goes when the test ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("looptree_graph_" + unique())) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  static std::string unique() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  fs::path path_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Two sessions, closures within and between them, information with every entry its own.
PoseGraph small_graph() {
  PoseGraph graph = test::make_graph({.frames = 30, .lap = 10, .closures = 5}).graph;
  std::vector<Pose> poses;
  for (const PoseVertex& vertex : graph.vertices) poses.push_back(vertex.pose);
  const std::size_t second = add_session(graph, poses);
  graph.closures.push_back({3, second + 4, Pose{rotation_about({0.5, -1, 2}), {1, 2, 3}}, {}});
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i; j < 6; ++j) {
      auto& information = graph.closures.back().information;
      information(i, j) = information(j, i) =
          i == j ? 10.0 + static_cast<double>(i) : static_cast<double>(i * 6 + j) / 10;
    }
  }
  return graph;
}

void expect_near(const Pose& a, const Pose& b) {
  EXPECT_NEAR(distance(a, b), 0, 1e-7);
  EXPECT_NEAR(angle_deg(a, b), 0, 1e-4);
}

void expect_near(const std::vector<PoseEdge>& a, const std::vector<PoseEdge>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].target, b[i].target);
    EXPECT_EQ(a[i].source, b[i].source);
    expect_near(a[i].target_from_source, b[i].target_from_source);
    for (std::size_t k = 0; k < 36; ++k) {
      const double value = a[i].information.values[k];
      EXPECT_NEAR(value, b[i].information.values[k], 1e-9 * (1 + std::abs(value)));
    }
  }
}

TEST(GraphFiles, G2oComesBackAsItWent) {
  const Folder folder;
  const PoseGraph graph = small_graph();
  write_g2o(folder / "graph.g2o", graph);
  const PoseGraph back = read_g2o(folder / "graph.g2o");
  ASSERT_EQ(back.vertices.size(), graph.vertices.size());
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    EXPECT_EQ(back.vertices[i].id, graph.vertices[i].id);
    EXPECT_EQ(back.vertices[i].session, graph.vertices[i].session);
    expect_near(back.vertices[i].pose, graph.vertices[i].pose);
  }
  expect_near(back.odometry, graph.odometry);
  expect_near(back.closures, graph.closures);
}

TEST(GraphFiles, G2oCountsRotationsInHalfRadians) {
  const Folder folder;
  PoseGraph graph;
  add_session(graph, std::vector<Pose>(2));
  graph.odometry[0].information = Information::from_sigmas(0.5, 0.1);
  write_g2o(folder / "graph.g2o", graph);
  EXPECT_EQ(text_of(folder / "graph.g2o"),
            "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\n"
            "VERTEX_SE3:QUAT 1 0 0 0 0 0 0 1\n"
            "FIX 0\n"
            "EDGE_SE3:QUAT 0 1 0 0 0 0 0 0 1 4 0 0 0 0 0 4 0 0 0 0 4 0 0 0 400 0 0 400 0 400\n");
}

TEST(GraphFiles, GtsamHasAnglesAndRotationFirst) {
  const Folder folder;
  PoseGraph graph;
  add_session(graph, std::vector<Pose>{Pose{}, Pose{rotation_about({0, 0, 0.5}), {1, 2, 3}}});
  graph.odometry[0].information = Information::from_sigmas(0.5, 0.1);
  write_gtsam(folder / "graph.txt", graph);
  std::istringstream file(text_of(folder / "graph.txt"));
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  EXPECT_EQ(line, "VERTEX3 1 1 2 3 0 -0 0.5");
  std::getline(file, line);
  EXPECT_EQ(line, "EDGE3 0 1 1 2 3 0 -0 0.5 100 0 0 0 0 0 100 0 0 0 0 100 0 0 0 4 0 0 4 0 4");
}

TEST(GraphFiles, CsvHasARootOfTheInformation) {
  const Folder folder;
  const PoseGraph graph = small_graph();
  write_graph_csv(folder / "csv", graph);
  std::istringstream vertices(text_of(folder / "csv/vertices.csv"));
  std::istringstream edges(text_of(folder / "csv/edges.csv"));
  std::string line;
  std::size_t count = 0;
  while (std::getline(vertices, line)) ++count;
  EXPECT_EQ(count, 1 + graph.vertices.size());
  std::string last;
  while (std::getline(edges, line)) last = line;
  std::istringstream fields(last);
  std::vector<double> numbers;
  for (std::string field; std::getline(fields, field, ',');) {
    numbers.push_back(field == "closure" ? 0 : std::stod(field));
  }
  ASSERT_EQ(numbers.size(), 10 + 36u);
  const double* s = numbers.data() + 10;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      double product = 0;  // of S'S
      for (std::size_t k = 0; k < 6; ++k) product += s[6 * k + i] * s[6 * k + j];
      EXPECT_NEAR(product, graph.closures.back().information(i, j), 1e-9);
    }
  }
}

TEST(GraphFiles, NamesTheLineThatIsWrong) {
  const std::string vertices = "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_SE3:QUAT 5 1 0 0 0 0 0 1\n";
  const std::string zeros = " 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1\n";
  const auto refused = [](ErrorKind kind, const std::string& fragment, const std::string& text) {
    expect_error(kind, fragment, [&] { parse_g2o(text, "x.g2o"); });
  };
  const auto damaged = ErrorKind::corruption;
  refused(damaged, "x.g2o, line 1, found 'VERTEX_SE3:QUAT 0 1", "VERTEX_SE3:QUAT 0 1 2\n");
  refused(damaged, "x.g2o, line 1", "VERTEX_SE3:QUAT 0 nan 0 0 0 0 0 1\n");
  refused(damaged, "a quaternion longer than 0", "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 0\n");
  refused(damaged, "a whole number", "VERTEX_SE3:QUAT 0.5 0 0 0 0 0 0 1\n");
  refused(damaged, "every vertex once", vertices + "VERTEX_SE3:QUAT 5 1 0 0 0 0 0 1\n");
  refused(damaged, "vertices that stand before it",
          vertices + "EDGE_SE3:QUAT 0 7 0 0 0 0 0 0 1" + zeros);
  refused(damaged, "between two vertices", vertices + "EDGE_SE3:QUAT 5 5 0 0 0 0 0 0 1" + zeros);
  refused(damaged, "line 3", vertices + "EDGE_SE3:QUAT 0 5 0 0 0 0 0 0 1 1 1\n");
  refused(ErrorKind::unsupported, "found VERTEX_SE2 in line 1", "VERTEX_SE2 0 0 0 0\n");
  EXPECT_EQ(parse_g2o(vertices + "EDGE_SE3:QUAT 0 5 0 0 0 0 0 0 1" + zeros).odometry.size(), 1u);
  EXPECT_TRUE(parse_g2o("# nothing\n\nFIX 3\nPARAMS_SE3OFFSET 0 0 0 0 0 0 0 1\n").vertices.empty());
  expect_error(ErrorKind::not_found, "/none/x.g2o", [] { read_g2o("/none/x.g2o"); });
  expect_error(ErrorKind::io, "/none/x.g2o", [] { write_g2o("/none/x.g2o", {}); });
}

TEST(GraphFiles, SurviveDamage) {
  const Folder folder;
  write_g2o(folder / "graph.g2o", small_graph());
  const std::string text = text_of(folder / "graph.g2o");
  for (std::size_t length = 0; length < text.size(); length += 7) {
    test::exercise_graph_readers(std::string_view(text).substr(0, length));
  }
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) {
      damaged[random.below(damaged.size())] ^= static_cast<char>(1u << random.below(8));
    }
    test::exercise_graph_readers(damaged);
  }
}

}  // namespace
}  // namespace looptree

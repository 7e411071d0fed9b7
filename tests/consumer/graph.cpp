// Two rounds of a circle that a closure joins.
#include <cmath>
#include <iostream>
#include <vector>

#include <looptree/graph/optimize.hpp>

int main() {
  std::vector<looptree::Pose> poses(40);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double angle = 0.3 * static_cast<double>(i);
    poses[i].rotation = looptree::rotation_about({0, angle, 0});
    poses[i].translation = {std::sin(angle), 0, std::cos(angle)};
  }
  looptree::PoseGraph graph;
  looptree::add_session(graph, poses);
  graph.closures.push_back({3, 24, looptree::relative_pose(poses[3], poses[24]),
                            looptree::Information::from_sigmas(0.05, 0.01)});
  const looptree::OptimizedGraph result = looptree::optimize(graph);
  std::cout << result.poses.size() << " poses\n";
  return result.closures.front().is_inlier ? 0 : 1;
}

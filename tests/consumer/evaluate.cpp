// Groups of poses from evaluate's clustering, which is where its own dependencies are linked.
#include <iostream>
#include <vector>

#include <looptree/evaluate/methods/clustering.hpp>

int main() {
  std::vector<looptree::Pose> poses(20);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    poses[i].translation[0] = static_cast<double>(i) + (i < 10 ? 0 : 100);
  }
  const auto groups = looptree::evaluate::cluster_poses(poses, 2);
  std::cout << "groups " << groups.front() << " and " << groups.back() << "\n";
  return groups.front() != groups.back() ? 0 : 1;
}

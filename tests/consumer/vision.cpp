// Features of a rendered image.
#include <iostream>

#include <looptree/dataset/demo_world.hpp>
#include <looptree/features/extractor.hpp>

int main() {
  const auto world = looptree::open_demo_world();
  const auto features = looptree::make_extractor({})->extract(world->image(0));
  std::cout << features.keypoints.size() << " keypoints\n";
  return features.keypoints.empty() ? 1 : 0;
}

// A frame is called by its number, whatever came before it: six black images, and a place twice.
#include <cstdint>
#include <iostream>

#include <looptree/dataset/demo_world.hpp>
#include <looptree/detect/loop_detector.hpp>
#include <looptree/features/extractor.hpp>

int main() {
  const auto world = looptree::open_demo_world();
  const auto extractor = looptree::make_extractor({});
  looptree::LoopDetectorOptions options;
  options.exclude_recent = 0;
  looptree::LoopDetector detector(options);
  const looptree::Image place = world->image(0);
  const looptree::Image black(place.width, place.height);
  for (int i = 0; i < 6; ++i) detector.process_frame(extractor->extract(black), {});
  detector.process_frame(extractor->extract(place), {.name = "here.png"});
  const auto again = detector.process_frame(extractor->extract(place), {});
  std::cout << again.explain() << "\n";
  const bool found = again.is_closure() && again.match->number == 6 && again.frame.number == 7;
  return found && again.match->name == "here.png" ? 0 : 1;
}

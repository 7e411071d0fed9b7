// A frame written to a map on disk is found again after the map was closed.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <looptree/histogram/histogram.hpp>
#include <looptree/store/map.hpp>
#include <unistd.h>

int main() {
  const auto path =
      std::filesystem::temp_directory_path() / ("consumer" + std::to_string(getpid()) + ".map");
  const std::vector<looptree::WordId> words{looptree::WordId{3}, looptree::WordId{5}};
  const auto image = looptree::make_histogram(words, std::vector<float>(10, 1.0f));
  looptree::MapOptions options;
  options.vocabulary.words = 10;
  looptree::Map::create(path, options).insert(image);
  const auto result = looptree::Map::open(path).query(image, {});
  for (const char* suffix : {"", "-snapshot", "-lock", "-acked", "-wal", "-shm"}) {
    std::filesystem::remove(path.string() + suffix);
  }
  std::cout << result.matches.size() << " match\n";
  return result.matches.size() == 1 ? 0 : 1;
}

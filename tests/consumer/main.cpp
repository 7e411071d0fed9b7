#include <iostream>

#include <looptree/index/index_options.hpp>

int main() {
  const std::vector<float> word_weights(10'000, 1.0f);  // a Vocabulary brings its own
  looptree::PooledIndex index(looptree::index_options(word_weights));  // d1: exact, no tuning
  const auto image = [&](std::uint32_t place) {  // a histogram of words, as a vocabulary gives it
    std::vector<looptree::WordId> words;
    for (std::uint32_t i = 0; i < 100; ++i) words.emplace_back((place * 37 + i * 53) % 10'000);
    return looptree::make_histogram(words, word_weights);
  };
  for (std::uint32_t place = 0; place < 500; ++place) index.insert(image(place));
  const auto result = index.query(image(123), {.top_k = 3, .threshold = 0.2});
  for (const auto& match : result.matches)
    std::cout << match.frame.value << " " << match.score << "\n";
  return result.matches.at(0).frame == looptree::FrameId{123} ? 0 : 1;
}

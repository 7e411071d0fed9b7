// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "looptree/common/random.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::test {

/// Histograms of a made-up route over a small vocabulary: neighbours share words, places come back,
/// term frequencies and norms vary widely, and now and then an image has a single word.
class RandomRoute {
 public:
  RandomRoute(std::uint64_t seed, std::uint32_t vocabulary_size)
      : random_(seed), vocabulary_size_(vocabulary_size) {
    for (std::uint32_t word = 0; word < vocabulary_size; ++word) {
      idf_.push_back(0.1 + 5 * random_.uniform());
    }
  }

  Histogram next() {
    if (random_.below(20) == 0) places_.clear();  // somewhere else, with nothing in common
    if (!seen_.empty() && random_.below(25) == 0) places_ = seen_[random_.below(seen_.size())];
    const std::size_t words = random_.below(12) == 0 ? 1 : 2 + random_.below(30);
    while (places_.size() > words / 2) places_.erase(places_.begin());
    while (places_.size() < words) places_.push_back(word());
    seen_.push_back(places_);
    std::vector<WordId> image;
    for (const std::uint32_t place : places_) {
      const std::uint64_t times = random_.below(8) == 0 ? 1 + random_.below(40) : 1;
      image.insert(image.end(), times, WordId{place});
    }
    return make_histogram(image, idf_);
  }

  std::vector<Histogram> take(std::size_t count) {
    std::vector<Histogram> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(next());
    return result;
  }

  const std::vector<double>& idf() const { return idf_; }
  Random& random() { return random_; }

 private:
  std::uint32_t word() {
    // Squaring prefers low words: a few are in every image, most are rare.
    const double u = random_.uniform();
    return static_cast<std::uint32_t>(u * u * vocabulary_size_);
  }

  Random random_;
  std::uint32_t vocabulary_size_;
  std::vector<double> idf_;
  std::vector<std::uint32_t> places_;
  std::vector<std::vector<std::uint32_t>> seen_;
};

}  // namespace looptree::test

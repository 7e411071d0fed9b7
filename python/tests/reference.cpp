// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What C++ answers, for the tests of the Python package to compare with, bit by bit.
//
//   python_reference VOCABULARY DESCRIPTORS TOPOLOGY
//
// Prints, for every image: its words; its histogram; the scores of every kind against the first
// image; and the matches of a query of an index that holds all images. Numbers of double precision
// are hexadecimal, so nothing is rounded.
#include <cstdio>
#include <exception>

#include "looptree/histogram/scores.hpp"
#include "looptree/index/index_options.hpp"
#include "looptree/vocabulary/descriptor_file.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace {

using namespace looptree;

void print(const Histogram& histogram) {
  std::printf("histogram");
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    std::printf(" %u:%a", histogram.words()[i].value, histogram.weights()[i]);
  }
  std::printf("\n");
}

void print_scores(const Histogram& a, const Histogram& b) {
  std::printf("scores %a", intersection(a, b));
  for (const Score each : {Score::l1, Score::chi_square, Score::kl, Score::bhattacharyya}) {
    std::printf(" %a", score(each, a, b));
  }
  std::printf("\n");
}

void run(const char* vocabulary_path, const char* descriptors_path, const char* topology) {
  const Vocabulary vocabulary = Vocabulary::load(vocabulary_path);
  const ImageDescriptors images = read_descriptor_file(descriptors_path);
  const std::span<const double> weights = vocabulary.word_weights();
  PooledIndex index(index_options(vocabulary, Topology::parse(topology)));
  std::vector<Histogram> histograms;
  std::size_t row = 0;
  for (const std::size_t rows : images.rows_per_image) {
    const auto words = vocabulary.words(images.descriptors.view().rows(row, rows));
    std::printf("words");
    for (const WordId word : words) std::printf(" %u", word.value);
    std::printf("\n");
    histograms.push_back(make_histogram(words, weights, {.weighting = vocabulary.weighting()}));
    print(histograms.back());
    print_scores(histograms.back(), histograms.front());
    index.insert(histograms.back());
    row += rows;
  }
  for (const Histogram& histogram : histograms) {
    const auto result = index.query(histogram, {.top_k = 7, .threshold = 0.05});
    std::printf("matches");
    for (const Match& match : result.matches) {
      std::printf(" %u:%a", match.frame.value, match.score);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: python_reference VOCABULARY DESCRIPTORS TOPOLOGY\n");
    return 2;
  }
  try {
    run(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

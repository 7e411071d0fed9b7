// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Code written for DBoW2's database. Two lines differ from what it would say there: the include,
// and the namespace.
#include <bitset>
#include <iostream>
#include <random>
#include <vector>

#include <looptree/compat/dbow2.hpp>  // was: #include <DBoW2/DBoW2.h>

namespace DBoW2 = looptree::dbow2;

using Descriptor = DBoW2::FBrief::TDescriptor;
using Features = std::vector<Descriptor>;

/// Images of a few places: each sees the descriptors of its place, some bits of them flipped.
Features image(unsigned place, unsigned visit) {
  std::mt19937 place_noise(place);
  std::mt19937 visit_noise(1000 + 50 * place + visit);
  Features features(80);
  for (Descriptor& descriptor : features) {
    for (std::size_t bit = 0; bit < descriptor.size(); ++bit) {
      descriptor[bit] = ((place_noise() & 1) != 0) != (visit_noise() % 25 == 0);
    }
  }
  return features;
}

int main() {
  std::vector<Features> training;
  for (unsigned place = 0; place < 8; ++place) training.push_back(image(place, 0));
  DBoW2::BriefVocabulary voc(8, 3, DBoW2::TF_IDF, DBoW2::L1_NORM);
  voc.create(training);
  std::cout << voc << "\n";

  DBoW2::BriefDatabase db(voc, true, 1);
  for (const Features& features : training) db.add(features);
  std::cout << db << "\n";

  bool right = true;
  DBoW2::QueryResults ret;
  for (unsigned place = 0; place < 8; ++place) {
    db.query(image(place, 1), ret, 3);
    std::cout << "Back at place " << place << ". " << ret << "\n";
    right = right && !ret.empty() && ret[0].Id == place;
  }
  return right ? 0 : 1;
}

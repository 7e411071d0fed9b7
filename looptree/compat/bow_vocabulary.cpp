// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/compat/bow_vocabulary.hpp"

#include <algorithm>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/vocabulary/training.hpp"

namespace looptree::compat {
namespace {

/// Their enumerations have the numbers of ours (common/weighting.hpp).
Score to_score(ScoringType type) {
  return static_cast<Score>(type);
}

std::optional<VocabularyFormat> format_by_name(const std::string& name, DescriptorType type) {
  const auto ends = [&](const char* suffix) { return name.ends_with(suffix); };
  if (ends(".yml") || ends(".yaml") || ends(".yml.gz") || ends(".yaml.gz")) {
    return type == DescriptorType::binary ? VocabularyFormat::dbow2_yaml
                                          : VocabularyFormat::dbow3_yaml;
  }
  if (ends(".txt") || ends(".txt.gz")) return VocabularyFormat::orbslam_text;
  if (ends(".bin")) return VocabularyFormat::dbow3_binary;
  if (ends(".dbow2")) return VocabularyFormat::openvslam_binary;
  if (ends(".looptree") || ends(".voc")) return VocabularyFormat::looptree;
  return std::nullopt;
}

}  // namespace

BowVocabulary::BowVocabulary(int k, int L, WeightingType weighting, ScoringType scoring)
    : k_(k), depth_(L), weighting_(weighting), scoring_(scoring) {}

BowVocabulary::BowVocabulary(const std::string& filename) : BowVocabulary() {
  load(filename);
}

BowVocabulary::BowVocabulary(looptree::Vocabulary vocabulary) : BowVocabulary() {
  adopt(std::move(vocabulary));
}

void BowVocabulary::adopt(looptree::Vocabulary vocabulary) {
  k_ = static_cast<int>(vocabulary.branching());
  depth_ = static_cast<int>(vocabulary.depth());
  weighting_ = static_cast<WeightingType>(vocabulary.weighting());
  scoring_ = static_cast<ScoringType>(vocabulary.scoring());
  vocabulary_ = std::move(vocabulary);
}

const looptree::Vocabulary& BowVocabulary::vocabulary() const {
  require(vocabulary_.has_value(), ErrorKind::invalid_argument,
          "expected a vocabulary with words, found an empty one; load() or create() it first");
  return *vocabulary_;
}

void BowVocabulary::load(const std::string& filename) {
  adopt(looptree::Vocabulary::load(filename));
}

void BowVocabulary::save(const std::string& filename) const {
  const auto format = format_by_name(filename, vocabulary().descriptor_type());
  if (!format) {
    throw Error(ErrorKind::unsupported,
                "expected a file name that ends in .yml, .yml.gz, .txt, .bin, .dbow2 or .looptree, "
                "found " +
                    filename);
  }
  vocabulary().save(filename, *format);
}

bool BowVocabulary::loadFromTextFile(const std::string& filename) {
  try {
    load(filename);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void BowVocabulary::saveToTextFile(const std::string& filename) const {
  vocabulary().save(filename, VocabularyFormat::orbslam_text);
}

float BowVocabulary::getEffectiveLevels() const {
  double levels = 0;
  double leaves = 0;
  const std::vector<std::size_t> by_level = vocabulary().leaves_by_level();
  for (std::size_t level = 0; level < by_level.size(); ++level) {
    levels += static_cast<double>(level * by_level[level]);
    leaves += static_cast<double>(by_level[level]);
  }
  return static_cast<float>(levels / leaves);
}

WordValue BowVocabulary::getWordWeight(WordId wid) const {
  const looptree::Vocabulary& words = vocabulary();
  if (wid >= words.size()) {
    throw Error(
        ErrorKind::invalid_argument,
        "expected a word below " + std::to_string(words.size()) + ", found " + std::to_string(wid));
  }
  return words.word_weights()[wid];
}

int BowVocabulary::stopWords(double minWeight) {
  if (minWeight <= 0) return 0;  // nothing weighs less
  StopWords stop;
  stop.below_weight = minWeight;
  vocabulary_ = vocabulary().stopped(stop);
  const auto weights = vocabulary().word_weights();
  return static_cast<int>(std::count(weights.begin(), weights.end(), 0.0));
}

double BowVocabulary::score(const BowVector& a, const BowVector& b) const {
  return looptree::score(to_score(scoring_), to_histogram(a), to_histogram(b));
}

void BowVocabulary::transform(DescriptorView features, BowVector& v) const {
  FeatureVector ignored;
  transform(features, v, ignored, 0);
}

void BowVocabulary::transform(DescriptorView features, BowVector& v, FeatureVector& fv,
                              int levelsup) const {
  const looptree::Vocabulary& words = vocabulary();
  require(levelsup >= 0, ErrorKind::invalid_argument,
          "expected levelsup of at least 0, found a negative number");
  v.clear();
  fv.clear();
  if (features.empty()) return;
  const Quantized found = words.quantize(features, static_cast<std::size_t>(levelsup));
  const bool counts = weighting_ == TF || weighting_ == TF_IDF;
  for (std::size_t row = 0; row < found.words.size(); ++row) {
    if (!(found.weights[row] > 0)) continue;  // a stopped word
    const WordId word = found.words[row].value;
    counts ? v.addWeight(word, found.weights[row]) : v.addIfNotExist(word, found.weights[row]);
    fv.addFeature(found.nodes[row], static_cast<unsigned int>(row));
  }
  const Norm norm = norm_of(to_score(scoring_));
  if (norm == Norm::l1) v.normalize(L1);
  if (norm == Norm::l2) v.normalize(L2);
  if (norm == Norm::size && counts) {
    const auto size = static_cast<double>(v.size());
    for (auto& [word, weight] : v) weight /= size;
  }
}

WordId BowVocabulary::transform_one(DescriptorView feature) const {
  require(feature.size() == 1, ErrorKind::invalid_argument, "expected one descriptor");
  return vocabulary().words(feature)[0].value;
}

void BowVocabulary::create(DescriptorView features, std::span<const std::size_t> rows_per_image) {
  require(k_ >= 2 && depth_ >= 1, ErrorKind::invalid_argument,
          "expected k of at least 2 and L of at least 1 to train a vocabulary");
  TrainOptions options;
  options.branching = static_cast<std::size_t>(k_);
  options.depth = static_cast<std::size_t>(depth_);
  options.weighting = static_cast<Weighting>(weighting_);
  options.scoring = to_score(scoring_);
  vocabulary_ = train_vocabulary(features, rows_per_image, options);
}

std::ostream& operator<<(std::ostream& out, const BowVocabulary& vocabulary) {
  return out << "Vocabulary: k = " << vocabulary.getBranchingFactor()
             << ", L = " << vocabulary.getDepthLevels()
             << ", weighting = " << to_string(static_cast<Weighting>(vocabulary.getWeightingType()))
             << ", scoring = " << to_string(static_cast<Score>(vocabulary.getScoringType()))
             << ", number of words = " << vocabulary.size();
}

}  // namespace looptree::compat

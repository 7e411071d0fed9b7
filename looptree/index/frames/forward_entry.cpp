// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/forward_entry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "looptree/index/core/weights.hpp"

namespace looptree::detail {
namespace {

/// Two images differ in rounding by far less than this, and in occurrences by far more.
constexpr double kTolerance = 1.0 / 1024;

/// The largest tf that one byte, which holds tf - 2, can say.
constexpr std::uint32_t kMostTf = 257;

void put(std::vector<std::uint8_t>& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// The factor that turns tf x idf into weights, or 0 if none gives back all of them.
double exact_factor(const FixedView& words, const Factors& factors, const IdfTable& idf) {
  const auto most = std::max_element(factors.tf.begin(), factors.tf.end());
  if (most == factors.tf.end() || *most > kMostTf) return 0;
  double norm = 0;
  for (std::size_t i = 0; i < words.size(); ++i) norm += factors.tf[i] * idf[words.words[i]];
  const double factor = kFixedOne / norm;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (weight_of(factors.tf[i], idf[words.words[i]], factor) != words.weights[i]) return 0;
  }
  return factor;
}

}  // namespace

Factors factorize(const FixedView& words, const IdfTable& idf) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < words.size(); ++i) {
    least = std::min(least, words.weights[i] * idf.inverse(words.words[i]));
  }
  Factors factors;
  factors.scale = least * (1 + kTolerance);
  factors.repeated.resize(words.size());
  factors.tf.resize(words.size());
  // No tf is this large: the check of the factor sees it.
  constexpr double kMost = 4e9;
  const double per_least = 1 / least;
  for (std::size_t i = 0; i < words.size(); ++i) {
    factors.repeated[i] = words.weights[i] > once_limit(idf[words.words[i]], factors.scale);
    factors.tf[i] = static_cast<std::uint32_t>(
        std::min(kMost, words.weights[i] * idf.inverse(words.words[i]) * per_least + 0.5));
  }
  return factors;
}

ForwardEntry::ForwardEntry(const FixedView& words, const Factors& factors, const IdfTable& idf) {
  shape_.words = static_cast<std::uint32_t>(words.size());
  shape_.factor = exact_factor(words, factors, idf);
  const auto once = std::count(factors.tf.begin(), factors.tf.end(), 1u);
  const std::size_t repeated = words.size() - static_cast<std::size_t>(once);
  const bool dense = idf.words() / 8 + 3 * repeated < 4 * words.size();
  if (shape_.factor != 0 && idf.words() <= kBitmapWords && dense) {
    encode_bitmap(words, factors, idf.words());
  } else {
    shape_.form = shape_.factor != 0 ? Form::gaps : Form::gaps_and_weights;
    encode_gaps(words, factors);
  }
}

void ForwardEntry::set_data(std::span<const std::uint8_t> first,
                            std::span<const std::uint8_t> second) {
  shape_.second = static_cast<std::uint32_t>(first.size());
  shape_.size = static_cast<std::uint32_t>(first.size() + second.size());
  auto* data = new std::uint8_t[shape_.size];
  std::copy(first.begin(), first.end(), data);
  std::copy(second.begin(), second.end(), data + shape_.second);
  data_ = data;
  owned_ = true;
}

void ForwardEntry::encode_gaps(const FixedView& words, const Factors& factors) {
  const bool raw = shape_.form == Form::gaps_and_weights;
  std::vector<std::uint8_t> gaps;
  std::vector<std::uint8_t> second;
  gaps.reserve(2 * words.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t gap = words.words[i] - next;
    put(gaps, std::min(gap, kLongGap), 2);
    if (gap >= kLongGap) put(gaps, gap, 4);
    next = words.words[i] + 1;
    if (raw) {
      put(second, words.weights[i], 4);
    } else if (factors.tf[i] > 1) {
      put(second, words.words[i], 4);
      put(second, factors.tf[i] - 2, 1);
    }
  }
  set_data(gaps, second);
}

void ForwardEntry::encode_bitmap(const FixedView& words, const Factors& factors,
                                 std::uint32_t vocabulary_size) {
  shape_.form = Form::bitmap;
  std::vector<std::uint8_t> bits((std::size_t{vocabulary_size} + 63) / 64 * 8, 0);
  std::vector<std::uint8_t> repeats;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bits[words.words[i] / 8] |= static_cast<std::uint8_t>(1u << (words.words[i] % 8));
    if (factors.tf[i] == 1) continue;
    put(repeats, words.words[i], 2);
    repeats.push_back(static_cast<std::uint8_t>(factors.tf[i] - 2));
  }
  shape_.words = static_cast<std::uint32_t>(repeats.size() / 3);
  set_data(bits, repeats);
}

bool ForwardEntry::sound(std::uint32_t vocabulary_size) const {
  if (shape_.size == 0 || shape_.second > shape_.size) return false;
  if (!std::isfinite(shape_.factor) || shape_.factor < 0) return false;
  return shape_.form == Form::bitmap ? sound_bitmap(vocabulary_size) : sound_gaps(vocabulary_size);
}

bool ForwardEntry::sound_gaps(std::uint32_t vocabulary_size) const {
  const bool raw = shape_.form == Form::gaps_and_weights;
  if (!raw && shape_.form != Form::gaps) return false;
  const std::uint8_t* gap = data_;
  const std::uint8_t* const end = data_ + shape_.second;
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < shape_.words; ++i) {
    if (end - gap < 2) return false;
    std::uint32_t quantum = get_u16(gap);
    gap += 2;
    if (quantum == kLongGap) {
      if (end - gap < 4) return false;
      quantum = get_u32(gap);
      gap += 4;
    }
    next += std::uint64_t{quantum} + 1;
  }
  if (gap != end || next > vocabulary_size || shape_.words == 0) return false;
  const std::uint32_t second = shape_.size - shape_.second;
  return raw ? second == std::uint64_t{shape_.words} * 4 : sound_repeated();
}

/// Each repeated word is one of the words.
bool ForwardEntry::sound_repeated() const {
  if ((shape_.size - shape_.second) % kRepeatedBytes != 0) return false;
  std::uint32_t at = shape_.second;
  walk_gaps([&](std::uint32_t word, std::uint32_t) {
    if (at < shape_.size && get_u32(data_ + at) == word) at += kRepeatedBytes;
  });
  return at == shape_.size;
}

bool ForwardEntry::sound_bitmap(std::uint32_t vocabulary_size) const {
  const std::uint64_t bitmap = (std::uint64_t{vocabulary_size} + 63) / 64 * 8;
  if (vocabulary_size > kBitmapWords || shape_.second != bitmap ||
      shape_.size - shape_.second != std::uint64_t{shape_.words} * 3) {
    return false;
  }
  for (std::uint32_t word = vocabulary_size; word < bitmap * 8; ++word) {
    if ((data_[word / 8] >> (word % 8) & 1) != 0) return false;
  }
  for (std::uint32_t i = 0; i < shape_.words; ++i) {
    if (get_u16(data_ + shape_.second + std::size_t{i} * 3) >= vocabulary_size) return false;
  }
  return true;
}

FixedHistogram ForwardEntry::decode(const IdfTable& idf) const {
  return shape_.form == Form::bitmap ? decode_bitmap(idf) : decode_gaps(idf);
}

FixedHistogram ForwardEntry::decode_gaps(const IdfTable& idf) const {
  std::vector<std::uint32_t> words;
  std::vector<FixedWeight> weights;
  words.reserve(shape_.words);
  weights.reserve(shape_.words);
  const bool raw = shape_.form == Form::gaps_and_weights;
  std::uint32_t repeated = shape_.second;
  walk_gaps([&](std::uint32_t word, std::uint32_t i) {
    std::uint32_t tf = 1;
    if (!raw && repeated < shape_.size && get_u32(data_ + repeated) == word) {
      tf = data_[repeated + 4] + 2u;
      repeated += kRepeatedBytes;
    }
    words.push_back(word);
    weights.push_back(raw ? raw_weight(i) : weight_of(tf, idf[word], shape_.factor));
  });
  return FixedHistogram::unchecked(std::move(words), std::move(weights));
}

FixedHistogram ForwardEntry::decode_bitmap(const IdfTable& idf) const {
  std::vector<std::uint32_t> words;
  std::vector<FixedWeight> weights;
  const std::uint8_t* repeated = data_ + shape_.second;
  const std::uint8_t* end = data_ + shape_.size;
  for (std::uint32_t byte = 0; byte < shape_.second; ++byte) {
    for (std::uint32_t left = data_[byte]; left != 0; left &= left - 1) {
      const std::uint32_t word = byte * 8 + static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint32_t tf = 1;
      if (repeated != end && get_u16(repeated) == word) {
        tf = repeated[2] + 2u;
        repeated += 3;
      }
      words.push_back(word);
      weights.push_back(weight_of(tf, idf[word], shape_.factor));
    }
  }
  return FixedHistogram::unchecked(std::move(words), std::move(weights));
}

std::uint32_t ForwardEntry::first_common(const FixedView& query) const {
  std::uint32_t first = ~std::uint32_t{0};
  if (shape_.form == Form::bitmap) {
    for (const std::uint32_t word : query.words) {
      if ((data_[word / 8] >> (word % 8) & 1) != 0) return word;
    }
    return first;
  }
  std::size_t asked = 0;
  walk_gaps([&](std::uint32_t word, std::uint32_t) {
    while (asked < query.size() && query.words[asked] < word) ++asked;
    if (asked == query.size()) return false;
    if (query.words[asked] == word) first = word;
    return first != word;
  });
  return first;
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/forward_list.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "looptree/index/detail/gap_score.hpp"
#include "looptree/index/detail/gap_walk.hpp"

namespace looptree::detail {
namespace {

/// Two images differ in rounding by far less than this, and in occurrences by far more.
constexpr double kTolerance = 1.0 / 1024;

/// What one byte of occurrences can say.
constexpr std::uint32_t kMostRepeats = 257;

void put(std::vector<std::uint8_t>& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// The factor that turns occurrences into weights, or 0 if none gives back all of them.
double exact_factor(const Terms& terms, const Factors& factors, const WordUnits& units) {
  const auto most = std::max_element(factors.counts.begin(), factors.counts.end());
  if (most == factors.counts.end() || *most > kMostRepeats) return 0;
  double norm = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) norm += factors.counts[i] * units[terms.words[i]];
  const double factor = kFixedOne / norm;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (weight_of(factors.counts[i], units[terms.words[i]], factor) != terms.weights[i]) return 0;
  }
  return factor;
}

}  // namespace

Factors factorize(const Terms& terms, const WordUnits& units) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    least = std::min(least, terms.weights[i] * units.inverse(terms.words[i]));
  }
  Factors factors;
  factors.scale = least * (1 + kTolerance);
  factors.heavy.resize(terms.size());
  factors.counts.resize(terms.size());
  constexpr double kMost =
      4e9;  // any count this large is no count: the check of the factor sees it
  const double per_least = 1 / least;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    factors.heavy[i] = terms.weights[i] > light_limit(units[terms.words[i]], factors.scale);
    factors.counts[i] = static_cast<std::uint32_t>(
        std::min(kMost, terms.weights[i] * units.inverse(terms.words[i]) * per_least + 0.5));
  }
  return factors;
}

ForwardList::ForwardList(const Terms& terms, const Factors& factors, const WordUnits& units) {
  shape_.terms = static_cast<std::uint32_t>(terms.size());
  shape_.factor = exact_factor(terms, factors, units);
  const auto once = std::count(factors.counts.begin(), factors.counts.end(), 1u);
  const std::size_t repeated = terms.size() - static_cast<std::size_t>(once);
  const bool dense = units.words() / 8 + 3 * repeated < 4 * terms.size();
  if (shape_.factor != 0 && units.words() <= QueryTable::kTableWords && dense) {
    encode_bitmap(terms, factors, units.words());
  } else {
    shape_.form = shape_.factor != 0 ? Form::gaps : Form::gaps_and_weights;
    encode_gaps(terms, factors);
  }
}

void ForwardList::set_data(std::span<const std::uint8_t> first,
                           std::span<const std::uint8_t> second) {
  shape_.second = static_cast<std::uint32_t>(first.size());
  shape_.size = static_cast<std::uint32_t>(first.size() + second.size());
  auto* data = new std::uint8_t[shape_.size];
  std::copy(first.begin(), first.end(), data);
  std::copy(second.begin(), second.end(), data + shape_.second);
  data_ = data;
  owned_ = true;
}

void ForwardList::encode_gaps(const Terms& terms, const Factors& factors) {
  const bool raw = shape_.form == Form::gaps_and_weights;
  std::vector<std::uint8_t> gaps;
  std::vector<std::uint8_t> second;
  gaps.reserve(2 * terms.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t gap = terms.words[i] - next;
    put(gaps, std::min(gap, kLongGap), 2);
    if (gap >= kLongGap) put(gaps, gap, 4);
    next = terms.words[i] + 1;
    if (raw) {
      put(second, terms.weights[i], 4);
    } else if (factors.counts[i] > 1) {
      put(second, terms.words[i], 4);
      put(second, factors.counts[i] - 2, 1);
    }
  }
  set_data(gaps, second);
}

void ForwardList::encode_bitmap(const Terms& terms, const Factors& factors,
                                std::uint32_t vocabulary_size) {
  shape_.form = Form::bitmap;
  std::vector<std::uint8_t> bits((std::size_t{vocabulary_size} + 63) / 64 * 8, 0);
  std::vector<std::uint8_t> repeats;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    bits[terms.words[i] / 8] |= static_cast<std::uint8_t>(1u << (terms.words[i] % 8));
    if (factors.counts[i] == 1) continue;
    put(repeats, terms.words[i], 2);
    repeats.push_back(static_cast<std::uint8_t>(factors.counts[i] - 2));
  }
  shape_.terms = static_cast<std::uint32_t>(repeats.size() / 3);
  set_data(bits, repeats);
}

/// Calls visit(word, index) for every word in order. A visit that returns false ends the walk.
template <typename Visit>
void ForwardList::walk_gaps(Visit visit) const {
  const std::uint8_t* at = data_;
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < shape_.terms; ++i, ++word) {
    word += next_gap(at);
    if constexpr (std::is_void_v<decltype(visit(word, i))>) {
      visit(word, i);
    } else if (!visit(word, i)) {
      return;
    }
  }
}

/// Calls visit(word, count) for the words that occur more than once, in order.
template <typename Visit>
void ForwardList::walk_repeats(Visit visit) const {
  for (std::uint32_t at = shape_.second; at < shape_.size; at += kRepeatBytes) {
    visit(get_u32(data_ + at), data_[at + 4] + 2u);
  }
}

bool ForwardList::sound(std::uint32_t vocabulary_size) const {
  if (shape_.size == 0 || shape_.second > shape_.size) return false;
  if (!std::isfinite(shape_.factor) || shape_.factor < 0) return false;
  return shape_.form == Form::bitmap ? sound_bitmap(vocabulary_size) : sound_gaps(vocabulary_size);
}

bool ForwardList::sound_gaps(std::uint32_t vocabulary_size) const {
  const bool raw = shape_.form == Form::gaps_and_weights;
  if (!raw && shape_.form != Form::gaps) return false;
  const std::uint8_t* gap = data_;
  const std::uint8_t* const end = data_ + shape_.second;
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < shape_.terms; ++i) {
    if (end - gap < 2) return false;
    std::uint32_t step = get_u16(gap);
    gap += 2;
    if (step == kLongGap) {
      if (end - gap < 4) return false;
      step = get_u32(gap);
      gap += 4;
    }
    next += std::uint64_t{step} + 1;
  }
  if (gap != end || next > vocabulary_size || shape_.terms == 0) return false;
  const std::uint32_t second = shape_.size - shape_.second;
  return raw ? second == std::uint64_t{shape_.terms} * 4 : sound_repeats();
}

/// Each of them is one of the words.
bool ForwardList::sound_repeats() const {
  if ((shape_.size - shape_.second) % kRepeatBytes != 0) return false;
  std::uint32_t at = shape_.second;
  walk_gaps([&](std::uint32_t word, std::uint32_t) {
    if (at < shape_.size && get_u32(data_ + at) == word) at += kRepeatBytes;
  });
  return at == shape_.size;
}

bool ForwardList::sound_bitmap(std::uint32_t vocabulary_size) const {
  const std::uint64_t bitmap = (std::uint64_t{vocabulary_size} + 63) / 64 * 8;
  if (vocabulary_size > QueryTable::kTableWords || shape_.second != bitmap ||
      shape_.size - shape_.second != std::uint64_t{shape_.terms} * 3) {
    return false;
  }
  for (std::uint32_t word = vocabulary_size; word < bitmap * 8; ++word) {
    if ((data_[word / 8] >> (word % 8) & 1) != 0) return false;
  }
  for (std::uint32_t i = 0; i < shape_.terms; ++i) {
    if (get_u16(data_ + shape_.second + std::size_t{i} * 3) >= vocabulary_size) return false;
  }
  return true;
}

FixedWeight ForwardList::raw_weight(std::uint32_t i) const {
  return get_u32(data_ + shape_.second + std::size_t{i} * 4);
}

OwnedTerms ForwardList::decode(const WordUnits& units) const {
  if (shape_.form == Form::bitmap) return decode_bitmap(units);
  OwnedTerms terms;
  terms.words.reserve(shape_.terms);
  terms.weights.reserve(shape_.terms);
  const bool raw = shape_.form == Form::gaps_and_weights;
  walk_gaps([&](std::uint32_t word, std::uint32_t i) {
    terms.words.push_back(word);
    terms.weights.push_back(raw ? raw_weight(i) : weight_of(1, units[word], shape_.factor));
  });
  if (raw) return terms;
  std::size_t i = 0;
  walk_repeats([&](std::uint32_t word, std::uint32_t count) {
    while (terms.words[i] != word) ++i;
    terms.weights[i] = weight_of(count, units[word], shape_.factor);
  });
  return terms;
}

OwnedTerms ForwardList::decode_bitmap(const WordUnits& units) const {
  OwnedTerms terms;
  const std::uint8_t* repeat = data_ + shape_.second;
  const std::uint8_t* end = data_ + shape_.size;
  for (std::uint32_t byte = 0; byte < shape_.second; ++byte) {
    for (std::uint32_t left = data_[byte]; left != 0; left &= left - 1) {
      const std::uint32_t word = byte * 8 + static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint32_t count = 1;
      if (repeat != end && get_u16(repeat) == word) {
        count = repeat[2] + 2u;
        repeat += 3;
      }
      terms.words.push_back(word);
      terms.weights.push_back(weight_of(count, units[word], shape_.factor));
    }
  }
  return terms;
}

FixedWeight ForwardList::score(const QueryTable& query) const {
  switch (shape_.form) {
    case Form::bitmap:
      return score_bitmap(bitmap(), query.dense(), query.compact());
    case Form::gaps:
      return score_gaps(query);
    default:
      return score_weights(query);
  }
}

FixedWeight ForwardList::lack(const QueryTable& query) const {
  return shape_.form == Form::bitmap ? lack_of_repeats(bitmap(), query.dense()) : 0;
}

FixedWeight ForwardList::score_gaps(const QueryTable& query) const {
  const std::span<const std::uint8_t> repeats(data_ + shape_.second, shape_.size - shape_.second);
  return detail::score_gaps({{data_, shape_.terms}, repeats, shape_.factor}, query.ranked());
}

FixedWeight ForwardList::score_weights(const QueryTable& query) const {
  FixedWeight sum = 0;
  walk_gaps([&](std::uint32_t word, std::uint32_t i) {
    if (query.may_have(word) != 0) sum += std::min(query.weight(word), raw_weight(i));
  });
  return sum;
}

std::uint32_t ForwardList::first_common(const Terms& query) const {
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

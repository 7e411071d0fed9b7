// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/forward_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace looptree::detail {
namespace {

/// Two images differ in rounding by far less than this, and in occurrences by far more.
constexpr double kTolerance = 1.0 / 1024;

/// A gap is one byte: the low seven bits count the words passed over, the high bit says that the
/// word occurs more than once. 126 says that the gap follows in two bytes, 127 in four.
constexpr std::uint8_t kRepeated = 0x80;
constexpr std::uint8_t kGapBits = 0x7F;
constexpr std::uint8_t kGapIn2 = 126;
constexpr std::uint8_t kGapIn4 = 127;
/// A repetition is one byte, two occurrences being 0; 255 says that the number follows in four.
constexpr std::uint8_t kManyTimes = 0xFF;

void put(std::vector<std::uint8_t>& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::uint32_t get_u16(const std::uint8_t* in) {
  return in[0] | std::uint32_t{in[1]} << 8;
}
std::uint32_t get_u32(const std::uint8_t* in) {
  return get_u16(in) | get_u16(in + 2) << 16;
}

FixedWeight weight_of(std::uint32_t count, double unit, double factor) {
  return static_cast<FixedWeight>(count * unit * factor + 0.5);
}

/// The factor that turns occurrences into weights, or 0 if none gives back all of them.
double exact_factor(const Terms& terms, const Factors& factors, const WordUnits& units) {
  double norm = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) norm += factors.counts[i] * units[terms.words[i]];
  const double factor = kFixedOne / norm;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (weight_of(factors.counts[i], units[terms.words[i]], factor) != terms.weights[i]) return 0;
  }
  return factor;
}

}  // namespace

WordUnits::WordUnits(std::span<const float> word_weights, std::uint32_t vocabulary_size)
    : units_(vocabulary_size, 1.0), inverses_(vocabulary_size, 1.0) {
  for (std::size_t word = 0; word < word_weights.size(); ++word) {
    const double unit = static_cast<double>(word_weights[word]);
    if (!(unit > 0) || !std::isfinite(unit)) continue;
    units_[word] = unit;
    inverses_[word] = 1 / unit;
  }
}

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
  for (std::size_t i = 0; i < terms.size(); ++i) {
    factors.heavy[i] = terms.weights[i] > light_limit(units[terms.words[i]], factors.scale);
    factors.counts[i] = static_cast<std::uint32_t>(
        std::min(kMost, terms.weights[i] * units.inverse(terms.words[i]) / least + 0.5));
  }
  return factors;
}

ForwardList::ForwardList(const Terms& terms, const Factors& factors, const WordUnits& units)
    : terms_(static_cast<std::uint32_t>(terms.size())),
      factor_(exact_factor(terms, factors, units)) {
  raw_ = factor_ == 0;
  std::vector<std::uint8_t> gaps;
  std::vector<std::uint8_t> repeats;
  gaps.reserve(terms.size() + terms.size() / 4);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t gap = terms.words[i] - next;
    const bool repeated = !raw_ && factors.counts[i] > 1;
    const std::uint8_t flag = repeated ? kRepeated : 0;
    if (gap < kGapIn2) {
      gaps.push_back(static_cast<std::uint8_t>(gap | flag));
    } else {
      const bool two = gap <= 0xFFFF;
      gaps.push_back((two ? kGapIn2 : kGapIn4) | flag);
      put(gaps, gap, two ? 2 : 4);
    }
    next = terms.words[i] + 1;
    if (raw_) {
      put(repeats, terms.weights[i], 4);
    } else if (repeated && factors.counts[i] - 2 < kManyTimes) {
      repeats.push_back(static_cast<std::uint8_t>(factors.counts[i] - 2));
    } else if (repeated) {
      repeats.push_back(kManyTimes);
      put(repeats, factors.counts[i], 4);
    }
  }
  repeats_ = static_cast<std::uint32_t>(gaps.size());
  size_ = static_cast<std::uint32_t>(gaps.size() + repeats.size());
  data_ = std::make_unique<std::uint8_t[]>(size_);
  std::copy(gaps.begin(), gaps.end(), data_.get());
  std::copy(repeats.begin(), repeats.end(), data_.get() + repeats_);
}

/// Calls visit(word, weigh) for every word in order; weigh() computes its weight, which most
/// callers want for a few words only.
template <typename Visit>
void ForwardList::walk(const WordUnits& units, Visit visit) const {
  const std::uint8_t* gap = data_.get();
  const std::uint8_t* repeat = data_.get() + repeats_;
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < terms_; ++i, ++word) {
    const std::uint8_t code = *gap++;
    if (const std::uint8_t step = code & kGapBits; step < kGapIn2) {
      word += step;
    } else if (step == kGapIn2) {
      word += get_u16(gap);
      gap += 2;
    } else {
      word += get_u32(gap);
      gap += 4;
    }
    const std::uint8_t* counted = repeat;
    if (raw_) {
      repeat += 4;
    } else if ((code & kRepeated) != 0) {
      repeat += *repeat == kManyTimes ? 5 : 1;
    }
    visit(word, [&] {
      if (raw_) return get_u32(counted);
      if ((code & kRepeated) == 0) return weight_of(1, units[word], factor_);
      const std::uint32_t count = *counted == kManyTimes ? get_u32(counted + 1) : *counted + 2u;
      return weight_of(count, units[word], factor_);
    });
  }
}

OwnedTerms ForwardList::decode(const WordUnits& units) const {
  OwnedTerms terms;
  terms.words.reserve(terms_);
  terms.weights.reserve(terms_);
  walk(units, [&](std::uint32_t word, auto weigh) {
    terms.words.push_back(word);
    terms.weights.push_back(weigh());
  });
  return terms;
}

FixedWeight ForwardList::score(const FixedWeight* query, const WordUnits& units) const {
  FixedWeight sum = 0;
  walk(units, [&](std::uint32_t word, auto weigh) {
    if (query[word] != 0) sum += std::min(query[word], weigh());
  });
  return sum;
}

FixedWeight ForwardList::score(const Terms& query, const WordUnits& units) const {
  FixedWeight sum = 0;
  std::size_t at = 0;
  walk(units, [&](std::uint32_t word, auto weigh) {
    while (at < query.size() && query.words[at] < word) ++at;
    if (at < query.size() && query.words[at] == word) sum += std::min(query.weights[at], weigh());
  });
  return sum;
}

}  // namespace looptree::detail

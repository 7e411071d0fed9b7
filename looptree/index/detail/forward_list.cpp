// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/forward_list.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace looptree::detail {
namespace {

/// Two images differ in rounding by far less than this, and in occurrences by far more.
constexpr double kTolerance = 1.0 / 1024;

/// A gap is two bytes: fifteen bits count the words passed over, the high bit says that the word
/// occurs more than once. 32767 says that the gap follows in four bytes.
constexpr std::uint32_t kRepeated = 0x8000;
constexpr std::uint32_t kLongGap = 0x7FFF;
/// A repetition is one byte, two occurrences being 0.
constexpr std::uint32_t kMostRepeats = 257;

void put(std::vector<std::uint8_t>& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::uint32_t get_u16(const std::uint8_t* in) {
  return in[0] | std::uint32_t{in[1]} << 8;
}
std::uint32_t get_u32(const std::uint8_t* in) {
  return get_u16(in) | get_u16(in + 2) << 16;
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

WordUnits::WordUnits(std::span<const double> word_weights, std::uint32_t vocabulary_size)
    : units_(vocabulary_size, 1.0), inverses_(vocabulary_size, 1.0) {
  for (std::size_t word = 0; word < word_weights.size(); ++word) {
    const double unit = word_weights[word];
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
  std::vector<std::uint8_t> repeats;
  gaps.reserve(2 * terms.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t gap = terms.words[i] - next;
    const bool repeated = !raw && factors.counts[i] > 1;
    put(gaps, std::min(gap, kLongGap) | (repeated ? kRepeated : 0), 2);
    if (gap >= kLongGap) put(gaps, gap, 4);
    next = terms.words[i] + 1;
    if (raw) put(repeats, terms.weights[i], 4);
    if (repeated) repeats.push_back(static_cast<std::uint8_t>(factors.counts[i] - 2));
  }
  set_data(gaps, repeats);
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

/// Calls visit(word, place, repeated) for every word in order. `place` numbers what stands in the
/// second part: repetitions, or weights. No branch depends on the data but the one for rare long
/// gaps, since one that is mispredicted costs as much as ten words. A visit that returns false ends
/// the walk.
template <typename Visit>
void ForwardList::walk_gaps(Visit visit) const {
  const std::uint8_t* gap = data_;
  std::uint32_t word = 0;
  std::uint32_t place = 0;
  const std::uint32_t every = shape_.form == Form::gaps_and_weights ? 1 : 0;
  for (std::uint32_t i = 0; i < shape_.terms; ++i, ++word) {
    const std::uint32_t code = get_u16(gap);
    const std::uint32_t step = code & kLongGap;
    gap += 2;
    if (step == kLongGap) [[unlikely]] {
      word += get_u32(gap);
      gap += 4;
    } else {
      word += step;
    }
    const std::uint32_t repeated = code >> 15;
    if constexpr (std::is_void_v<decltype(visit(word, place, repeated))>) {
      visit(word, place, repeated);
    } else if (!visit(word, place, repeated)) {
      return;
    }
    place += repeated | every;
  }
}

inline FixedWeight ForwardList::weight(std::uint32_t place, bool repeated, double unit) const {
  const std::uint8_t* part = data_ + shape_.second;
  if (shape_.form == Form::gaps_and_weights) return get_u32(part + std::size_t{place} * 4);
  return weight_of(repeated ? part[place] + 2u : 1u, unit, shape_.factor);
}

bool ForwardList::sound(std::uint32_t vocabulary_size) const {
  if (shape_.size == 0 || shape_.second > shape_.size || !std::isfinite(shape_.factor))
    return false;
  return shape_.form == Form::bitmap ? sound_bitmap(vocabulary_size) : sound_gaps(vocabulary_size);
}

bool ForwardList::sound_gaps(std::uint32_t vocabulary_size) const {
  const bool raw = shape_.form == Form::gaps_and_weights;
  if (!raw && shape_.form != Form::gaps) return false;
  const std::uint8_t* gap = data_;
  const std::uint8_t* const end = data_ + shape_.second;
  std::uint64_t next = 0;
  std::uint32_t repeated = 0;
  for (std::uint32_t i = 0; i < shape_.terms; ++i) {
    if (end - gap < 2) return false;
    const std::uint32_t code = get_u16(gap);
    gap += 2;
    std::uint32_t step = code & kLongGap;
    if (step == kLongGap) {
      if (end - gap < 4) return false;
      step = get_u32(gap);
      gap += 4;
    }
    next += std::uint64_t{step} + 1;
    repeated += code >> 15;
  }
  const std::uint64_t seconds = raw ? std::uint64_t{shape_.terms} * 4 : repeated;
  return gap == end && next <= vocabulary_size && shape_.terms > 0 &&
         seconds == shape_.size - shape_.second && (!raw || repeated == 0);
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

OwnedTerms ForwardList::decode(const WordUnits& units) const {
  if (shape_.form == Form::bitmap) return decode_bitmap(units);
  OwnedTerms terms;
  terms.words.reserve(shape_.terms);
  terms.weights.reserve(shape_.terms);
  walk_gaps([&](std::uint32_t word, std::uint32_t place, std::uint32_t repeated) {
    terms.words.push_back(word);
    terms.weights.push_back(weight(place, repeated != 0, units[word]));
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

FixedWeight ForwardList::score(const QueryTable& query, const WordUnits& units) const {
  return shape_.form == Form::bitmap ? score_bitmap(query, units) : score_gaps(query, units);
}

namespace {

/// Room for the words that a frame and the query have in common, and a few that they have not.
std::uint64_t* common_memory(std::size_t words) {
  thread_local std::vector<std::uint64_t> memory;
  if (memory.size() < words + 8) memory.resize(words + 8);
  return memory.data();
}

}  // namespace

/// First the common words, without a branch; then the weights of those few.
FixedWeight ForwardList::score_gaps(const QueryTable& query, const WordUnits& units) const {
  std::uint64_t* const common = common_memory(shape_.terms);
  std::uint64_t* next = common;
  walk_gaps([&](std::uint32_t word, std::uint32_t place, std::uint32_t repeated) {
    *next = std::uint64_t{word} << 32 | place << 1 | repeated;
    next += query.may_have(word) ? 1 : 0;
  });
  FixedWeight sum = 0;
  for (const std::uint64_t* one = common; one != next; ++one) {
    const auto word = static_cast<std::uint32_t>(*one >> 32);
    const auto place = static_cast<std::uint32_t>(*one);
    if (const FixedWeight asked = query.weight(word); asked != 0) {
      sum += std::min(asked, weight(place >> 1, (place & 1) != 0, units[word]));
    }
  }
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
  walk_gaps([&](std::uint32_t word, std::uint32_t, std::uint32_t) {
    while (asked < query.size() && query.words[asked] < word) ++asked;
    if (asked == query.size()) return false;
    if (query.words[asked] == word) first = word;
    return first != word;
  });
  return first;
}

FixedWeight ForwardList::score_bitmap(const QueryTable& query, const WordUnits& units) const {
  const BitmapFrame frame{data_, shape_.second, data_ + shape_.second, shape_.terms, shape_.factor};
  return detail::score_bitmap(frame, query.dense(), query.compact(units), units.data());
}

namespace {

struct TableMemory {  // all zero between queries
  std::vector<std::uint8_t> present = std::vector<std::uint8_t>(QueryTable::kTableWords, 0);
  std::vector<FixedWeight> weights = std::vector<FixedWeight>(QueryTable::kTableWords, 0);
  std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(QueryTable::kTableWords / 64, 0);
};

TableMemory& table_memory() {
  thread_local TableMemory memory;
  return memory;
}

}  // namespace

QueryTable::QueryTable(const Terms& query, std::uint32_t vocabulary_size)
    : query_(query),
      full_(vocabulary_size <= kTableWords),
      present_(table_memory().present.data()),
      weights_(table_memory().weights.data()),
      bits_(table_memory().bits.data()) {
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint32_t entry = query.words[i] % kTableWords;
    present_[entry] = 1;
    if (!full_) continue;
    weights_[entry] = query.weights[i];
    bits_[entry / 64] |= std::uint64_t{1} << (entry % 64);
  }
}

QueryTable::~QueryTable() {
  for (const std::uint32_t word : query_.words) {
    const std::uint32_t entry = word % kTableWords;
    present_[entry] = 0;
    weights_[entry] = 0;
    bits_[entry / 64] = 0;
  }
}

const CompactQuery* QueryTable::compact(const WordUnits& units) const {
  constexpr std::uint32_t kWorthMaking = 4;
  if (asked_ < kWorthMaking) {
    ++asked_;
    return nullptr;
  }
  if (!compact_ && compact_pays()) compact_.emplace(query_, bits_, units.data(), units.words());
  return compact_ ? &*compact_ : nullptr;
}

FixedWeight QueryTable::find(std::uint32_t word) const {
  const auto at = std::lower_bound(query_.words.begin(), query_.words.end(), word);
  if (at == query_.words.end() || *at != word) return 0;
  return query_.weights[static_cast<std::size_t>(at - query_.words.begin())];
}

}  // namespace looptree::detail

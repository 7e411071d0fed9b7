// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Rows of the match are turned into columns of 64-bit words, so that one vector holds the same word
// of several rows, and distances come out one per lane, ready to be compared.
#include "looptree/detect/detail/hamming.hpp"

#include <algorithm>
#include <cstring>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/detect/detail/hamming.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

#ifndef LOOPTREE_DETECT_HAMMING_ONCE
#define LOOPTREE_DETECT_HAMMING_ONCE
namespace looptree::detail {

/// A distance and a row as one number, ordered by distance and then by row.
using Key = std::int64_t;
constexpr Key kFar = std::numeric_limits<Key>::max();
/// Columns are padded to a multiple of the most lanes a vector may have.
constexpr std::size_t kPadding = 32;

struct HammingJob {
  const std::uint64_t* query;    ///< rows x words
  const std::uint64_t* columns;  ///< words x padded
  std::size_t query_rows;
  std::size_t match_rows;
  std::size_t padded;
  std::size_t words;
  Key* best;         ///< per query row
  Key* second;       ///< per query row
  Key* best_column;  ///< per match row, padded
};

}  // namespace looptree::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void compare_all(const HammingJob& job) {
  const hn::ScalableTag<std::int64_t> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(d);
  const auto far = hn::Set(d, kFar);
  for (std::size_t i = 0; i < job.query_rows; ++i) {
    const std::uint64_t* row = job.query + i * job.words;
    auto best = far;
    auto second = far;
    auto index = hn::Iota(d, Key{0});
    const auto own = hn::Set(d, static_cast<Key>(i));
    for (std::size_t j = 0; j < job.match_rows; j += lanes) {
      auto sum = hn::Zero(du);
      for (std::size_t w = 0; w < job.words; ++w) {
        const auto column = hn::LoadU(du, job.columns + w * job.padded + j);
        sum = hn::Add(sum, hn::PopulationCount(hn::Xor(column, hn::Set(du, row[w]))));
      }
      const auto distance = hn::ShiftLeft<32>(hn::BitCast(d, sum));
      const auto real = hn::Lt(index, hn::Set(d, static_cast<Key>(job.match_rows)));
      const auto key = hn::IfThenElse(real, hn::Or(distance, index), far);
      second = hn::Min(second, hn::Max(best, key));
      best = hn::Min(best, key);
      Key* column_best = job.best_column + j;
      hn::StoreU(hn::Min(hn::LoadU(d, column_best), hn::Or(distance, own)), d, column_best);
      index = hn::Add(index, hn::Set(d, static_cast<Key>(lanes)));
    }
    // The second best overall is the second of the lane that won, or the best of another lane.
    HWY_ALIGN Key bests[kPadding];
    HWY_ALIGN Key seconds[kPadding];
    hn::StoreU(best, d, bests);
    hn::StoreU(second, d, seconds);
    Key first = kFar;
    Key next = kFar;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      next = std::min({std::max(first, bests[lane]), next, seconds[lane]});
      first = std::min(first, bests[lane]);
    }
    job.best[i] = first;
    job.second[i] = next;
  }
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {
namespace {

HWY_EXPORT(compare_all);

/// Bytes as whole words, the last one filled up with zeros.
std::vector<std::uint64_t> as_words(DescriptorView rows, std::size_t words) {
  std::vector<std::uint64_t> result(rows.size() * words);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(result.data() + i * words, rows.bytes(i).data(), rows.width());
  }
  return result;
}

std::vector<std::uint64_t> as_columns(DescriptorView rows, std::size_t words, std::size_t padded) {
  const std::vector<std::uint64_t> packed = as_words(rows, words);
  std::vector<std::uint64_t> columns(words * padded);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t w = 0; w < words; ++w) columns[w * padded + i] = packed[i * words + w];
  }
  return columns;
}

float distance_of(Key key) {
  return key == kFar ? std::numeric_limits<float>::infinity() : static_cast<float>(key >> 32);
}

std::uint32_t row_of(Key key) {
  return key == kFar ? TwoNearest::kNone : static_cast<std::uint32_t>(key);
}

}  // namespace

NearestBothWays nearest_hamming(DescriptorView query, DescriptorView match) {
  const std::size_t words = (query.width() + 7) / 8;
  const std::size_t padded = (match.size() + kPadding - 1) / kPadding * kPadding;
  const std::vector<std::uint64_t> rows = as_words(query, words);
  const std::vector<std::uint64_t> columns = as_columns(match, words, padded);
  std::vector<Key> best(query.size(), kFar);
  std::vector<Key> second(query.size(), kFar);
  std::vector<Key> best_column(padded, kFar);
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(compare_all)
  ({rows.data(), columns.data(), query.size(), match.size(), padded, words, best.data(),
    second.data(), best_column.data()});

  NearestBothWays result;
  for (std::size_t i = 0; i < query.size(); ++i) {
    result.of_query.push_back({row_of(best[i]), distance_of(best[i]), distance_of(second[i])});
  }
  for (std::size_t j = 0; j < match.size(); ++j) result.of_match.push_back(row_of(best_column[j]));
  return result;
}

}  // namespace looptree::detail
#endif

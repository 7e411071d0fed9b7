// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/kernels.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/vocabulary/detail/kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Nearest {
  std::uint32_t index;
  float distance;
};

// Distances of binary rows ------------------------------------------------------------------------

HWY_INLINE std::uint64_t load_word(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

HWY_INLINE std::uint32_t hamming(const std::byte* a, const std::byte* b, std::size_t stride) {
#if HWY_TARGET == HWY_SCALAR
  int sum = 0;
  for (std::size_t i = 0; i < stride; i += 8) {
    sum += std::popcount(load_word(a + i) ^ load_word(b + i));
  }
  return static_cast<std::uint32_t>(sum);
#else
  // Rows are whole 16-byte vectors; wider ones pay only for much longer rows than are in use.
  const hn::FixedTag<std::uint64_t, 2> d;
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < stride; i += 16) {
    const auto x = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(a + i));
    const auto y = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(b + i));
    sum = hn::Add(sum, hn::PopulationCount(hn::Xor(x, y)));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
#endif
}

struct AnyBits {
  std::size_t stride;

  HWY_INLINE float distance(const std::byte* a, const std::byte* b) const {
    return static_cast<float>(hamming(a, b, stride));
  }
  HWY_INLINE Nearest nearest(const std::byte* query, const std::byte* rows,
                             std::uint32_t count) const {
    Nearest best = {0, distance(query, rows)};
    for (std::uint32_t i = 1; i < count; ++i) {
      const float found = distance(query, rows + i * stride);
      if (found < best.distance) best = {i, found};
    }
    return best;
  }
};

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE
/// 256 bits, ORB and BRIEF: a row is one vector, and the sums of four rows are made together, which
/// takes a third of the shuffles of four separate sums.
struct Bits256 {
  static constexpr std::size_t stride = 32;
  using D = hn::FixedTag<std::uint64_t, 4>;
  using V = hn::Vec<D>;

  static HWY_INLINE V counts(V query, const std::byte* row) {
    return hn::PopulationCount(
        hn::Xor(query, hn::LoadU(D(), reinterpret_cast<const std::uint64_t*>(row))));
  }
  static HWY_INLINE V pair(V a, V b) {
    return hn::Add(hn::InterleaveLower(D(), a, b), hn::InterleaveUpper(D(), a, b));
  }
  HWY_INLINE float distance(const std::byte* a, const std::byte* b) const {
    return static_cast<float>(hamming(a, b, stride));
  }
  HWY_INLINE Nearest nearest(const std::byte* query, const std::byte* rows,
                             std::uint32_t count) const {
    const D d;
    const V q = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(query));
    // The smallest of distance * 2^32 + index is the nearest row, and the first of the nearest.
    V best = hn::Set(d, std::numeric_limits<std::int64_t>::max());
    V index = hn::Iota(d, std::uint64_t{0});
    const V two = hn::Set(d, std::uint64_t{2});
    const V four = hn::Set(d, std::uint64_t{4});
    const std::byte* const end = rows + count * stride;
    const std::byte* row = rows;
    for (; row + 4 * stride <= end; row += 4 * stride) {
      const V ab = pair(counts(q, row), counts(q, row + stride));
      const V cd = pair(counts(q, row + 2 * stride), counts(q, row + 3 * stride));
      const V sums = hn::Add(hn::ConcatLowerLower(d, cd, ab), hn::ConcatUpperUpper(d, cd, ab));
      best = hn::Min(best, hn::Or(hn::ShiftLeft<32>(sums), index));
      index = hn::Add(index, four);
    }
    for (; row < end; row += 2 * stride) {
      // A lone last row stands in for the one behind it: the copy has a higher index and loses.
      const V ab = pair(counts(q, row), counts(q, row + stride < end ? row + stride : row));
      const V sums = hn::Add(ab, hn::ConcatLowerUpper(d, ab, ab));
      best = hn::Min(best, hn::Or(hn::ShiftLeft<32>(sums), index));
      index = hn::Add(index, two);
    }
    const std::uint64_t key = hn::GetLane(hn::MinOfLanes(d, best));
    return {static_cast<std::uint32_t>(key), static_cast<float>(key >> 32U)};
  }
};
HWY_INLINE Bits256 bits256() {
  return {};
}
#else
HWY_INLINE AnyBits bits256() {
  return {32};
}
#endif

// Distances of real rows --------------------------------------------------------------------------

HWY_INLINE float last_four(const float* sums) {
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

HWY_INLINE float squared_distance(const float* a, const float* b, std::size_t floats) {
  alignas(16) std::array<float, 4> four;
#if HWY_TARGET == HWY_SCALAR
  std::array<float, 16> sums = {};
  for (std::size_t i = 0; i < floats; ++i) {
    const float difference = a[i] - b[i];
    sums[i % 16] += difference * difference;
  }
  for (std::size_t i = 0; i < 8; ++i) sums[i] += sums[i + 8];
  for (std::size_t i = 0; i < 4; ++i) four[i] = sums[i] + sums[i + 4];
#else
  const auto add_square = [&](auto d, auto sum, std::size_t i) HWY_ATTR {
    const auto difference = hn::Sub(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    return hn::Add(sum, hn::Mul(difference, difference));
  };
  const hn::FixedTag<float, 4> d4;
#if HWY_MAX_BYTES >= 64 && !HWY_HAVE_SCALABLE
  const hn::FixedTag<float, 16> d;
  const hn::FixedTag<float, 8> d8;
  auto all = hn::Zero(d);
  for (std::size_t i = 0; i < floats; i += 16) all = add_square(d, all, i);
  const auto eight = hn::Add(hn::LowerHalf(d8, all), hn::UpperHalf(d8, all));
  hn::Store(hn::Add(hn::LowerHalf(d4, eight), hn::UpperHalf(d4, eight)), d4, four.data());
#elif HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE
  const hn::FixedTag<float, 8> d;
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  for (std::size_t i = 0; i < floats; i += 16) {
    low = add_square(d, low, i);
    high = add_square(d, high, i + 8);
  }
  const auto eight = hn::Add(low, high);
  hn::Store(hn::Add(hn::LowerHalf(d4, eight), hn::UpperHalf(d4, eight)), d4, four.data());
#else
  auto sum0 = hn::Zero(d4);
  auto sum1 = hn::Zero(d4);
  auto sum2 = hn::Zero(d4);
  auto sum3 = hn::Zero(d4);
  for (std::size_t i = 0; i < floats; i += 16) {
    sum0 = add_square(d4, sum0, i);
    sum1 = add_square(d4, sum1, i + 4);
    sum2 = add_square(d4, sum2, i + 8);
    sum3 = add_square(d4, sum3, i + 12);
  }
  hn::Store(hn::Add(hn::Add(sum0, sum2), hn::Add(sum1, sum3)), d4, four.data());
#endif
#endif
  return last_four(four.data());
}

struct Reals {
  std::size_t stride;

  HWY_INLINE float distance(const std::byte* a, const std::byte* b) const {
    return squared_distance(reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b),
                            stride / sizeof(float));
  }
  HWY_INLINE Nearest nearest(const std::byte* query, const std::byte* rows,
                             std::uint32_t count) const {
    // A distance that is not a number is never less, so an undefined centre never wins.
    Nearest best = {0, std::numeric_limits<float>::infinity()};
    for (std::uint32_t i = 0; i < count; ++i) {
      const float found = distance(query, rows + i * stride);
      if (found < best.distance) best = {i, found};
    }
    return best;
  }
};

// Many rows at once -------------------------------------------------------------------------------

template <typename Metric>
HWY_INLINE void nearest_of_all(const Metric& metric, const Rows& rows, const Rows& centres,
                               std::uint32_t* index, float* distance) {
  const auto count = static_cast<std::uint32_t>(centres.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const Nearest best = metric.nearest(rows.data + i * rows.stride, centres.data, count);
    index[i] = best.index;
    distance[i] = best.distance;
  }
}

template <typename Metric>
HWY_INLINE void distances_of_all(const Metric& metric, const Rows& rows, const std::byte* other,
                                 float* distance) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    distance[i] = metric.distance(rows.data + i * rows.stride, other);
  }
}

/// A descriptor on its way down. It rests after each access to memory that may miss, and others
/// move on meanwhile.
struct Traveller {
  std::byte* query;
  std::size_t row;
  std::uint32_t node;   ///< where it is; its record is on the way into the cache
  std::uint32_t first;  ///< the children it is about to compare with, if `count` is not 0
  std::uint32_t count;
  std::uint32_t level;
  std::uint32_t passed;
};

/// Enough to keep every line-fill buffer busy: more gain nothing, fewer wait.
constexpr std::size_t kTravellers = 16;
/// Of a long run of lines the first few; the hardware guesses the rest.
constexpr std::size_t kPrefetchBytes = 1024;

HWY_INLINE void prefetch(const std::byte* data, std::size_t bytes) {
  const std::byte* end = data + (bytes < kPrefetchBytes ? bytes : kPrefetchBytes);
  for (const std::byte* line = data; line < end; line += 64) hwy::Prefetch(line);
  hwy::Prefetch(end - 1);  // where the rows do not begin with a line, they end one later
}

template <typename Metric>
HWY_INLINE void walk_all(const Metric& metric, const VocabularyImage& image,
                         DescriptorView descriptors, const Walk& out) {
  const std::size_t stride = image.stride;
  const std::size_t row_bytes = image.shape.row_bytes();
  const bool binary = descriptors.type() == DescriptorType::binary;
  std::vector<std::byte> queries(kTravellers * stride);
  std::array<Traveller, kTravellers> travellers;
  std::size_t next = 0;
  const auto start = [&](Traveller& traveller) HWY_ATTR {
    const void* row = binary ? static_cast<const void*>(descriptors.bytes(next).data())
                             : static_cast<const void*>(descriptors.floats(next).data());
    std::memcpy(traveller.query, row, row_bytes);
    traveller.row = next++;
    traveller.first = image.nodes[0].first;
    traveller.count = image.nodes[0].count;
    traveller.level = 0;
    traveller.passed = 0;
  };
  std::size_t active = 0;
  while (active < kTravellers && next < descriptors.size()) {
    travellers[active].query = queries.data() + active * stride;
    start(travellers[active++]);
  }
  while (active > 0) {
    for (std::size_t t = 0; t < active; ++t) {
      Traveller& traveller = travellers[t];
      if (traveller.count != 0) {
        const std::byte* rows = image.row(traveller.first);
        traveller.node =
            traveller.first + metric.nearest(traveller.query, rows, traveller.count).index;
        traveller.count = 0;
        if (traveller.level++ < out.level) traveller.passed = traveller.node;
        hwy::Prefetch(&image.nodes[traveller.node]);
        continue;
      }
      const Node node = image.nodes[traveller.node];
      if (node.count != 0) {
        traveller.first = node.first;
        traveller.count = node.count;
        prefetch(image.row(node.first), node.count * stride);
        continue;
      }
      out.words[traveller.row] = node.first;
      if (!out.nodes.empty()) out.nodes[traveller.row] = traveller.passed;
      if (next < descriptors.size()) {
        start(traveller);
      } else {
        traveller = travellers[--active];
      }
    }
  }
}

// What is dispatched to ---------------------------------------------------------------------------

template <typename Job>
HWY_INLINE void with_metric(DescriptorType type, std::size_t stride, const Job& job) {
  if (type == DescriptorType::real) {
    job(Reals{stride});
  } else if (stride == 32) {
    job(bits256());
  } else {
    job(AnyBits{stride});
  }
}

void nearest_rows(const Rows& rows, const Rows& centres, std::uint32_t* index, float* distance) {
  with_metric(rows.type, rows.stride, [&](const auto& metric) HWY_ATTR {
    nearest_of_all(metric, rows, centres, index, distance);
  });
}

void row_distances(const Rows& rows, const std::byte* other, float* distance) {
  with_metric(rows.type, rows.stride, [&](const auto& metric) HWY_ATTR {
    distances_of_all(metric, rows, other, distance);
  });
}

void walk_tree(const VocabularyImage& image, const DescriptorView& descriptors, const Walk& out) {
  with_metric(image.shape.type, image.stride,
              [&](const auto& metric) HWY_ATTR { walk_all(metric, image, descriptors, out); });
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(nearest_rows);
HWY_EXPORT(row_distances);
HWY_EXPORT(walk_tree);

void nearest(const Rows& rows, const Rows& centres, std::span<std::uint32_t> index,
             std::span<float> distance) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(nearest_rows)(rows, centres, index.data(), distance.data());
}

void distances(const Rows& rows, const std::byte* other, std::span<float> distance) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(row_distances)(rows, other, distance.data());
}

void walk(const VocabularyImage& image, DescriptorView descriptors, const Walk& walk) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(walk_tree)(image, descriptors, walk);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/clustering.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace looptree::detail {
namespace {

/// Counts, for every bit position of rows added to it, how often the bit was set. Counters are
/// stored across words, plane p holding bit p of each, so one addition serves 64 positions.
class BitCounters {
 public:
  BitCounters(std::size_t words, std::size_t most_rows)
      : words_(words),
        planes_(static_cast<std::size_t>(std::bit_width(most_rows))),
        bits_(words * planes_) {}

  void add(const std::byte* row) {
    ++rows_;
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t carry;
      std::memcpy(&carry, row + w * sizeof(carry), sizeof(carry));
      for (std::uint64_t* plane = &bits_[w * planes_]; carry != 0; ++plane) {
        const std::uint64_t both = *plane & carry;
        *plane ^= carry;
        carry = both;
      }
    }
  }

  std::size_t rows() const { return rows_; }

  /// The bits set in at least half of the rows.
  void majority(std::byte* result) const {
    const std::uint64_t below = (rows_ + 1) / 2 - 1;  // a count must exceed this
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t greater = 0;
      std::uint64_t equal = ~std::uint64_t{0};
      for (std::size_t p = planes_; p-- > 0;) {
        const std::uint64_t plane = bits_[w * planes_ + p];
        const std::uint64_t bound = (below >> p & 1U) != 0 ? ~std::uint64_t{0} : 0;
        greater |= equal & plane & ~bound;
        equal &= ~(plane ^ bound);
      }
      std::memcpy(result + w * sizeof(greater), &greater, sizeof(greater));
    }
  }

 private:
  std::size_t words_;
  std::size_t planes_;
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> bits_;
};

class Clustering {
 public:
  Clustering(const Rows& rows, std::size_t count, SplitMix64 random)
      : rows_(rows), random_(random), distance_(rows.count) {
    result_.assignment.resize(rows.count);
    seed(count);
  }

  Clusters run(std::size_t max_iterations) {
    assign();
    std::vector<std::uint32_t> before;
    for (std::size_t i = 0; i < max_iterations && result_.count > 1; ++i) {
      before = result_.assignment;
      fill_empty_clusters();
      move_centres();
      assign();
      if (before == result_.assignment) break;
    }
    drop_empty_clusters();
    return std::move(result_);
  }

 private:
  const std::byte* row(std::size_t i) const { return rows_.data + i * rows_.stride; }
  std::byte* centre(std::size_t c) { return result_.centres.data() + c * rows_.stride; }

  void add_centre(std::size_t from) {
    result_.centres.insert(result_.centres.end(), row(from), row(from) + rows_.stride);
    ++result_.count;
  }

  /// k-means++: each seed is drawn with probability proportional to the squared distance from the
  /// seeds so far. Between bit vectors the Hamming distance is that square.
  void seed(std::size_t count) {
    std::vector<float> nearest_seed(rows_.count);
    add_centre(static_cast<std::size_t>(random_.next() % rows_.count));
    distances(rows_, centre(0), nearest_seed);
    while (result_.count < count) {
      double sum = 0;
      for (const float distance : nearest_seed) sum += static_cast<double>(distance);
      if (!(sum > 0)) return;  // every row equals a seed
      add_centre(draw(nearest_seed, random_.uniform() * sum));
      distances(rows_, centre(result_.count - 1), distance_);
      for (std::size_t i = 0; i < rows_.count; ++i) {
        nearest_seed[i] = std::min(nearest_seed[i], distance_[i]);
      }
    }
  }

  /// The row at which the running sum of distances passes `target`.
  static std::size_t draw(std::span<const float> distances, double target) {
    std::size_t last = 0;
    double sum = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      if (!(distances[i] > 0)) continue;
      last = i;
      sum += static_cast<double>(distances[i]);
      if (sum > target) break;
    }
    return last;
  }

  void assign() {
    nearest(rows_, {rows_.type, rows_.stride, result_.centres.data(), result_.count},
            result_.assignment, distance_);
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> sizes(result_.count);
    for (const std::uint32_t c : result_.assignment) ++sizes[c];
    return sizes;
  }

  void fill_empty_clusters() {
    const std::vector<std::size_t> size = sizes();
    for (std::uint32_t c = 0; c < result_.count; ++c) {
      if (size[c] != 0) continue;
      const auto farthest = std::max_element(distance_.begin(), distance_.end());
      if (!(*farthest > 0)) return;
      result_.assignment[static_cast<std::size_t>(farthest - distance_.begin())] = c;
      *farthest = 0;
    }
  }

  void move_centres() {
    if (rows_.type == DescriptorType::binary) {
      move_to_majorities();
    } else {
      move_to_means();
    }
  }

  void move_to_majorities() {
    std::vector<BitCounters> counters(result_.count, BitCounters(rows_.stride / 8, rows_.count));
    for (std::size_t i = 0; i < rows_.count; ++i) counters[result_.assignment[i]].add(row(i));
    for (std::size_t c = 0; c < result_.count; ++c) {
      if (counters[c].rows() != 0) counters[c].majority(centre(c));
    }
  }

  void move_to_means() {
    const std::size_t width = rows_.stride / sizeof(float);
    std::vector<double> sums(result_.count * width);
    for (std::size_t i = 0; i < rows_.count; ++i) {
      const auto* values = reinterpret_cast<const float*>(row(i));
      double* sum = &sums[result_.assignment[i] * width];
      for (std::size_t j = 0; j < width; ++j) sum[j] += static_cast<double>(values[j]);
    }
    const std::vector<std::size_t> size = sizes();
    for (std::size_t c = 0; c < result_.count; ++c) {
      if (size[c] == 0) continue;
      auto* values = reinterpret_cast<float*>(centre(c));
      for (std::size_t j = 0; j < width; ++j) {
        values[j] = static_cast<float>(sums[c * width + j] / static_cast<double>(size[c]));
      }
    }
  }

  void drop_empty_clusters() {
    const std::vector<std::size_t> size = sizes();
    std::vector<std::uint32_t> renumbered(result_.count);
    std::uint32_t kept = 0;
    for (std::size_t c = 0; c < result_.count; ++c) {
      renumbered[c] = kept;
      if (size[c] == 0) continue;
      if (kept != c) std::memcpy(centre(kept), centre(c), rows_.stride);
      ++kept;
    }
    for (std::uint32_t& c : result_.assignment) c = renumbered[c];
    result_.count = kept;
    result_.centres.resize(kept * rows_.stride);
  }

  const Rows& rows_;
  SplitMix64 random_;
  Clusters result_;
  std::vector<float> distance_;
};

}  // namespace

Clusters cluster(const Rows& rows, std::size_t count, std::size_t max_iterations,
                 SplitMix64 random) {
  return Clustering(rows, count, random).run(max_iterations);
}

}  // namespace looptree::detail

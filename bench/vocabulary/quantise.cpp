// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "looptree/common/simd.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "bench/vocabulary/benches.hpp"
#include "bench/vocabulary/timing.hpp"

namespace looptree::bench {
namespace {

/// A tree as DBoW2 keeps it: nodes with a vector of children and a descriptor on the heap.
class HeapTree {
 public:
  explicit HeapTree(const std::vector<Row>& rows) : nodes_(rows.size() + 1) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Node& node = nodes_[i + 1];
      node.descriptor = std::make_unique<std::uint8_t[]>(kBytes);
      std::memcpy(node.descriptor.get(), rows[i].data(), kBytes);
      nodes_[i / kBranching].children.push_back(static_cast<std::uint32_t>(i + 1));
      if (i >= leaf_begin(rows)) node.word = word++;
    }
  }

  template <typename Distance>
  std::uint32_t word(const std::uint8_t* feature, const Distance& distance) const {
    std::uint32_t at = 0;
    do {
      const std::vector<std::uint32_t> children = nodes_[at].children;  // DBoW2 copies them
      at = children[0];
      std::uint32_t best = distance(feature, nodes_[at].descriptor.get());
      for (std::size_t i = 1; i < children.size(); ++i) {
        const std::uint32_t d = distance(feature, nodes_[children[i]].descriptor.get());
        if (d < best) {
          best = d;
          at = children[i];
        }
      }
    } while (!nodes_[at].children.empty());
    return nodes_[at].word;
  }

 private:
  struct Node {
    double weight = 0;
    std::vector<std::uint32_t> children;
    std::unique_ptr<std::uint8_t[]> descriptor;
    std::uint32_t word = 0;
  };
  std::vector<Node> nodes_;
};

std::uint64_t load_word(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

/// Counting bits with shifts and masks, as DBoW2 does.
std::uint32_t distance_by_arithmetic(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 8) {
    std::uint64_t v = load_word(a + i) ^ load_word(b + i);
    v = v - ((v >> 1U) & 0x5555555555555555U);
    v = (v & 0x3333333333333333U) + ((v >> 2U) & 0x3333333333333333U);
    sum += (((v + (v >> 4U)) & 0x0f0f0f0f0f0f0f0fU) * 0x0101010101010101U) >> 56U;
  }
  return static_cast<std::uint32_t>(sum);
}

#if defined(__x86_64__)
#define LOOPTREE_POPCNT __attribute__((target("popcnt")))
#else
#define LOOPTREE_POPCNT
#endif
LOOPTREE_POPCNT std::uint32_t distance_by_instruction(const std::uint8_t* a,
                                                      const std::uint8_t* b) {
  int sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 8) {
    sum += std::popcount(load_word(a + i) ^ load_word(b + i));
  }
  return static_cast<std::uint32_t>(sum);
}

/// Only the memory of a walk: for every descriptor the lines its path reads, in the same places and
/// the same order, with all addresses known beforehand. No way of quantising with this layout can
/// be faster than the memory delivers these lines.
class PathReplay {
 public:
  PathReplay(const Vocabulary& vocabulary, DescriptorView queries)
      : rows_(vocabulary.node_count() * kBytes + 64), records_(vocabulary.node_count()) {
    for (std::size_t level = 0; level <= kDepth; ++level) {
      paths_.push_back(vocabulary.quantize(queries, kDepth - level).nodes);
    }
    std::fill(rows_.begin(), rows_.end(), std::uint8_t{1});
    aligned_ = rows_.data() + (64 - reinterpret_cast<std::uintptr_t>(rows_.data()) % 64) % 64;
  }

  std::uint64_t run() const {
    constexpr std::size_t kAhead = 4;
    std::uint64_t sum = 0;
    const std::size_t count = paths_[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) {
        visit(i + kAhead, [](const void* line) { __builtin_prefetch(line); });
      }
      visit(i, [&](const void* line) { sum += *static_cast<const std::uint64_t*>(line); });
    }
    return sum;
  }

  /// The same, each descriptor waiting for every step, as a walk of one at a time must.
  std::uint64_t run_dependent() const {
    std::uint64_t zero = 0;
    for (std::size_t i = 0; i < paths_[0].size(); ++i) {
      for (std::size_t level = 0; level <= kDepth; ++level) {
        const std::uint64_t node = paths_[level][i] + zero;
        zero = records_[node];
        if (level == kDepth) break;
        const std::uint8_t* children = aligned_ + node * kBranching * kBytes + zero;
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < kBranching * kBytes; at += 64) {
          sum += *reinterpret_cast<const std::uint64_t*>(children + at);
        }
        zero = sum >> 63U;
      }
    }
    return zero;
  }

 private:
  template <typename Visit>
  void visit(std::size_t i, const Visit& visit) const {
    for (std::size_t level = 0; level <= kDepth; ++level) {
      const std::size_t node = paths_[level][i];
      visit(&records_[node]);
      if (level == kDepth) break;
      const std::uint8_t* children = aligned_ + node * kBranching * kBytes;
      for (std::size_t at = 0; at < kBranching * kBytes; at += 64) visit(children + at);
    }
  }

  std::vector<std::uint8_t> rows_;
  std::vector<std::uint64_t> records_;
  const std::uint8_t* aligned_;
  std::vector<std::vector<std::uint32_t>> paths_;
};

Descriptors queries_near_words(const std::vector<Row>& nodes, std::size_t count) {
  RandomRows random(3);
  Descriptors queries;
  queries.bytes.resize(count * kBytes);
  const std::size_t first = leaf_begin(nodes);
  for (std::size_t i = 0; i < count; ++i) {
    const Row row = random.near(nodes[first + random.next() % (nodes.size() - first)], 3);
    std::memcpy(&queries.bytes[i * kBytes], row.data(), kBytes);
  }
  return queries;
}

}  // namespace

void bench_quantise(const MillionWords& files, const std::vector<Row>& nodes) {
  constexpr std::size_t kQueries = 100000;
  constexpr int kRounds = 11;
  const Vocabulary mapped = Vocabulary::load(files.own);
  const Vocabulary loaded = Vocabulary::load(files.text);
  const HeapTree heap(nodes);
  const Descriptors queries = queries_near_words(nodes, kQueries);
  const PathReplay replay(loaded, queries.view());
  std::vector<WordId> ours;
  std::vector<std::uint32_t> arithmetic(kQueries);
  std::vector<std::uint32_t> instruction(kQueries);
  volatile std::uint64_t sink = 0;
  const auto per_query = [&](double ms) { return ms * 1e6 / kQueries; };

  const std::vector<double> times = interleaved(
      CLOCK_THREAD_CPUTIME_ID, kRounds,
      {
          [&] { ours = loaded.words(queries.view()); },
          [&] { ours = mapped.words(queries.view()); },
          [&] {
            for (std::size_t i = 0; i < kQueries; ++i) {
              arithmetic[i] = heap.word(&queries.bytes[i * kBytes], distance_by_arithmetic);
            }
          },
          [&] {
            for (std::size_t i = 0; i < kQueries; ++i) {
              instruction[i] = heap.word(&queries.bytes[i * kBytes], distance_by_instruction);
            }
          },
          [&] { sink = replay.run(); },
          [&] { sink = replay.run_dependent(); },
      });
  for (std::size_t i = 0; i < kQueries; ++i) {
    if (ours[i].value != arithmetic[i] || arithmetic[i] != instruction[i]) {
      throw std::runtime_error("words differ at " + std::to_string(i));
    }
  }
  std::printf(
      "\nQuantising 100,000 descriptors of 256 bits against 1,000,000 words, one thread, %s\n",
      simd_level().c_str());
  std::printf("  looptree, in memory                %7.0f ns per descriptor\n",
              per_query(times[0]));
  std::printf("  looptree, mapped file              %7.0f ns\n", per_query(times[1]));
  std::printf("  heap nodes as DBoW2                %7.0f ns   %.1fx\n", per_query(times[2]),
              times[2] / times[0]);
  std::printf("  heap nodes, popcnt instruction     %7.0f ns   %.1fx\n", per_query(times[3]),
              times[3] / times[0]);
  std::printf("  memory alone, overlapped           %7.0f ns   looptree is %.2fx of this bound\n",
              per_query(times[4]), times[0] / times[4]);
  std::printf("  memory alone, one step at a time   %7.0f ns   looptree is %.2fx of this bound\n",
              per_query(times[5]), times[0] / times[5]);

  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    const double time =
        interleaved(CLOCK_THREAD_CPUTIME_ID, 5, {[&] { ours = loaded.words(queries.view()); }})[0];
    std::printf("  looptree, %-10s               %7.0f ns\n", level.c_str(), per_query(time));
  }
  force_simd_level("");
}

}  // namespace looptree::bench

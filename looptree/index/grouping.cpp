// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/grouping.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree {
namespace {

void check_size(std::size_t size) {
  require(size > 0, ErrorKind::invalid_argument, "expected groups of at least one item, found 0");
}

}  // namespace

Groups random_groups(std::size_t items, std::size_t size, std::uint64_t seed) {
  check_size(size);
  std::vector<std::size_t> order(items);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = items; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Groups groups(items);
  for (std::size_t i = 0; i < items; ++i) groups[order[i]] = static_cast<std::uint32_t>(i / size);
  return groups;
}

Groups affinity_groups(std::span<const Histogram> histograms, std::size_t size) {
  check_size(size);
  Groups groups(histograms.size());
  std::uint32_t words = 1;
  for (const Histogram& histogram : histograms) {
    if (!histogram.empty()) words = std::max(words, histogram.words().back().value + 1);
  }
  PooledIndex free({words, {}});  // items are erased as they join a group
  free.insert(histograms);
  std::uint32_t group = 0;
  for (std::uint32_t leader = 0; leader < histograms.size(); ++leader) {
    if (!free.erase(FrameId{leader})) continue;
    groups[leader] = group;
    std::size_t missing = size - 1;
    if (missing > 0) {
      for (const Match& match : free.query(histograms[leader], {.top_k = missing}).matches) {
        groups[match.frame.value] = group;
        free.erase(match.frame);
        --missing;
      }
    }
    // Whoever shares no word is as far as anyone: take the lowest.
    for (std::uint32_t item = leader + 1; missing > 0 && item < histograms.size(); ++item) {
      if (!free.erase(FrameId{item})) continue;
      groups[item] = group;
      --missing;
    }
    ++group;
  }
  return groups;
}

Groups label_groups(std::span<const std::uint32_t> labels) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  Groups groups;
  groups.reserve(labels.size());
  for (const std::uint32_t label : labels) {
    groups.push_back(
        numbers.emplace(label, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return groups;
}

std::vector<Histogram> pool(std::span<const Histogram> histograms, const Groups& groups,
                            Pooling pooling) {
  if (histograms.size() != groups.size()) {
    throw Error(ErrorKind::invalid_argument, "expected one group number per histogram, found " +
                                                 std::to_string(groups.size()) + " for " +
                                                 std::to_string(histograms.size()) + " histograms");
  }
  std::vector<std::map<WordId, double>> pooled;
  std::vector<double> members;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    if (groups[i] >= pooled.size()) {
      pooled.resize(groups[i] + 1);
      members.resize(groups[i] + 1);
    }
    ++members[groups[i]];
    for (std::size_t j = 0; j < histograms[i].size(); ++j) {
      double& value = pooled[groups[i]][histograms[i].words()[j]];
      const double weight = histograms[i].weights()[j];
      value = pooling == Pooling::max ? std::max(value, weight) : value + weight;
    }
  }
  std::vector<Histogram> result;
  for (std::size_t group = 0; group < pooled.size(); ++group) {
    std::vector<WordId> words;
    std::vector<double> weights;
    for (const auto& [word, value] : pooled[group]) {
      words.push_back(word);
      weights.push_back(pooling == Pooling::mean ? value / members[group] : value);
    }
    result.emplace_back(std::move(words), std::move(weights));
  }
  return result;
}

}  // namespace looptree

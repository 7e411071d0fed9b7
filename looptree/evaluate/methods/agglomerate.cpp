// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/agglomerate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/index/grouping.hpp"

namespace looptree::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(std::span<const Histogram> histograms, std::size_t groups) {
  if (groups > 0 && groups <= histograms.size()) return;
  refuse("expected from 1 to " + std::to_string(histograms.size()) +
         " groups, the number of histograms; found " + std::to_string(groups));
}

double x_log_x(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

/// What a pair of masses adds to the information lost by merging them, itself negative: only the
/// whole, less its parts, is a cost.
double shared(double a, double b) {
  return x_log_x(a) + x_log_x(b) - x_log_x(a + b);
}

/// Costs of all pairs of n groups.
class CostTable {
 public:
  explicit CostTable(std::size_t groups) : costs_(groups * (groups - 1) / 2) {}

  double& at(std::size_t a, std::size_t b) {
    if (a < b) std::swap(a, b);
    return costs_[a * (a - 1) / 2 + b];
  }
  double at(std::size_t a, std::size_t b) const { return const_cast<CostTable&>(*this).at(a, b); }

 private:
  std::vector<double> costs_;
};

/// Groups by the words they have, for costs by information.
class MassIndex {
 public:
  explicit MassIndex(std::span<const Histogram> histograms) : sums_(histograms.size()) {
    std::uint32_t words = 0;
    for (const Histogram& histogram : histograms) {
      if (!histogram.empty()) words = std::max(words, histogram.words().back().value + 1);
    }
    lists_.resize(words);
  }

  double total(std::size_t group) const { return sums_[group]; }

  /// Adds a group, and what it shares with every group there is to `sums`.
  void insert(std::uint32_t group, const Histogram& histogram, std::vector<double>& sums) {
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      const double mass = histogram.weights()[i];
      std::vector<Posting>& list = lists_[histogram.words()[i].value];
      const Posting own{group, mass, x_log_x(mass)};
      for (const Posting& other : list) sums[other.group] += shared(own, other);
      list.push_back(own);
      sums_[group] += mass;
    }
  }

  /// Puts group `merged`, of which `kept` and `gone` are made, in the place of both.
  void replace(std::uint32_t kept, std::uint32_t gone, const Histogram& merged,
               std::vector<double>& sums) {
    for (std::size_t i = 0; i < merged.size(); ++i) {
      std::vector<Posting>& list = lists_[merged.words()[i].value];
      std::erase_if(list, [&](const Posting& p) { return p.group == kept || p.group == gone; });
    }
    sums_[kept] = 0;
    insert(kept, merged, sums);
  }

 private:
  struct Posting {
    std::uint32_t group;
    double mass;
    double x_log_x;
  };
  static double shared(const Posting& a, const Posting& b) {
    return a.x_log_x + b.x_log_x - evaluate::x_log_x(a.mass + b.mass);
  }
  std::vector<std::vector<Posting>> lists_;
  std::vector<double> sums_;
};

Histogram sum(const Histogram& a, const Histogram& b) {
  std::vector<WordId> words;
  std::vector<double> weights;
  std::size_t j = 0;
  const auto put = [&](WordId word, double weight) {
    words.push_back(word);
    weights.push_back(weight);
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (; j < b.size() && b.words()[j] < a.words()[i]; ++j) put(b.words()[j], b.weights()[j]);
    const bool both = j < b.size() && b.words()[j] == a.words()[i];
    put(a.words()[i], a.weights()[i] + (both ? b.weights()[j++] : 0));
  }
  for (; j < b.size(); ++j) put(b.words()[j], b.weights()[j]);
  return Histogram(std::move(words), std::move(weights));
}

/// Costs by information.
class Bottleneck {
 public:
  explicit Bottleneck(std::span<const Histogram> histograms)
      : rows_(histograms.begin(), histograms.end()), index_(histograms) {}

  void fill(CostTable& costs) {
    std::vector<double> sums(rows_.size());
    for (std::uint32_t a = 0; a < rows_.size(); ++a) {
      std::fill(sums.begin(), sums.end(), 0.0);
      index_.insert(a, rows_[a], sums);
      for (std::size_t b = 0; b < a; ++b) costs.at(a, b) = cost(a, b, sums[b]);
    }
  }

  void merge(std::uint32_t kept, std::uint32_t gone, const std::vector<std::uint32_t>& others,
             CostTable& costs) {
    rows_[kept] = sum(rows_[kept], rows_[gone]);
    rows_[gone] = {};
    std::vector<double> sums(rows_.size());
    index_.replace(kept, gone, rows_[kept], sums);
    for (const std::uint32_t other : others) {
      costs.at(kept, other) = cost(kept, other, sums[other]);
    }
  }

 private:
  double cost(std::size_t a, std::size_t b, double words) const {
    return words - shared(index_.total(a), index_.total(b));
  }

  std::vector<Histogram> rows_;
  MassIndex index_;
};

/// Costs by Ward: after a merge they follow from those before (Lance and Williams, 1967).
class Ward {
 public:
  explicit Ward(std::span<const Histogram> histograms)
      : histograms_(histograms), members_(histograms.size(), 1.0) {}

  void fill(CostTable& costs) {
    std::vector<std::vector<std::pair<std::uint32_t, double>>> lists;
    std::vector<double> squares;
    std::vector<double> products(histograms_.size());
    for (std::uint32_t a = 0; a < histograms_.size(); ++a) {
      std::fill(products.begin(), products.end(), 0.0);
      double square = 0;
      for (std::size_t i = 0; i < histograms_[a].size(); ++i) {
        const double weight = histograms_[a].weights()[i];
        const std::size_t word = histograms_[a].words()[i].value;
        if (word >= lists.size()) lists.resize(word + 1);
        for (const auto& [other, theirs] : lists[word]) products[other] += weight * theirs;
        lists[word].emplace_back(a, weight);
        square += weight * weight;
      }
      for (std::size_t b = 0; b < a; ++b) {
        costs.at(a, b) = (square + squares[b] - 2 * products[b]) / 2;
      }
      squares.push_back(square);
    }
  }

  void merge(std::uint32_t kept, std::uint32_t gone, const std::vector<std::uint32_t>& others,
             CostTable& costs) {
    const double a = members_[kept];
    const double b = members_[gone];
    const double between = costs.at(kept, gone);
    for (const std::uint32_t other : others) {
      const double c = members_[other];
      double& cost = costs.at(kept, other);
      cost = ((a + c) * cost + (b + c) * costs.at(gone, other) - c * between) / (a + b + c);
    }
    members_[kept] += members_[gone];
  }

 private:
  std::span<const Histogram> histograms_;
  std::vector<double> members_;
};

/// Greedy merging: every group knows the nearest of the others, which a merge seldom changes.
class Merger {
 public:
  explicit Merger(std::size_t items) : costs_(items), left_(items), nearest_(items), of_(items) {
    std::iota(left_.begin(), left_.end(), 0u);
    std::iota(of_.begin(), of_.end(), 0u);
  }

  template <typename Costs>
  Groups run(Costs costs, std::size_t groups) {
    costs.fill(costs_);
    for (const std::uint32_t group : left_) find_nearest(group);
    while (left_.size() > groups) {
      const std::uint32_t cheapest = *std::min_element(
          left_.begin(), left_.end(),
          [this](std::uint32_t a, std::uint32_t b) { return cost_of(a) < cost_of(b); });
      const auto [kept, gone] = std::minmax(cheapest, nearest_[cheapest]);
      left_.erase(std::lower_bound(left_.begin(), left_.end(), gone));
      std::vector<std::uint32_t> others = left_;
      others.erase(std::lower_bound(others.begin(), others.end(), kept));
      costs.merge(kept, gone, others, costs_);
      of_[gone] = kept;
      update_nearest(kept, gone, others);
    }
    return label_groups(roots());
  }

 private:
  double cost_of(std::uint32_t group) const { return costs_.at(group, nearest_[group]); }

  void find_nearest(std::uint32_t group) {
    nearest_[group] = group;
    for (const std::uint32_t other : left_) {
      if (other == group) continue;
      if (nearest_[group] == group || costs_.at(group, other) < cost_of(group)) {
        nearest_[group] = other;
      }
    }
  }

  void update_nearest(std::uint32_t kept, std::uint32_t gone,
                      const std::vector<std::uint32_t>& others) {
    if (others.empty()) return;
    find_nearest(kept);
    for (const std::uint32_t other : others) {
      if (nearest_[other] == kept || nearest_[other] == gone) {
        find_nearest(other);
      } else {
        const double cost = costs_.at(other, kept);
        const double best = cost_of(other);
        if (cost < best || (cost == best && kept < nearest_[other])) nearest_[other] = kept;
      }
    }
  }

  /// The group that each item ended in.
  std::vector<std::uint32_t> roots() const {
    std::vector<std::uint32_t> roots(of_.size());
    for (std::size_t i = 0; i < of_.size(); ++i) {
      roots[i] = of_[i] == i ? of_[i] : roots[of_[i]];  // groups are known by their first member
    }
    return roots;
  }

  CostTable costs_;
  std::vector<std::uint32_t> left_;  ///< the groups there are, ascending
  std::vector<std::uint32_t> nearest_;
  std::vector<std::uint32_t> of_;
};

/// The cost of one merge, by definition.
double plain_cost(std::span<const Histogram> histograms, const std::vector<std::uint32_t>& a,
                  const std::vector<std::uint32_t>& b, Linkage linkage) {
  const auto pool = [&](const std::vector<std::uint32_t>& members) {
    Histogram pooled;
    for (const std::uint32_t member : members) pooled = sum(pooled, histograms[member]);
    return pooled;
  };
  const Histogram x = pool(a);
  const Histogram y = pool(b);
  const Histogram both = sum(x, y);
  if (linkage == Linkage::information) {
    const auto negentropy = [](const Histogram& histogram) {
      double sum = 0;
      for (const double weight : histogram.weights()) sum += x_log_x(weight);
      return sum - x_log_x(histogram.sum());
    };
    return negentropy(x) + negentropy(y) - negentropy(both);
  }
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  double distance = 0;
  for (const WordId word : both.words()) {
    const auto mean = [&](const Histogram& histogram, double members) {
      const auto words = histogram.words();
      const auto found = std::lower_bound(words.begin(), words.end(), word);
      if (found == words.end() || *found != word) return 0.0;
      return histogram.weights()[static_cast<std::size_t>(found - words.begin())] / members;
    };
    const double gap = mean(x, m) - mean(y, n);
    distance += gap * gap;
  }
  return m * n / (m + n) * distance;
}

/// New words of old ones, given where each was seen and with what weight.
std::vector<WordId> number_words(std::vector<std::vector<WordId>> seen_at,
                                 std::vector<std::vector<double>> weights, std::size_t words) {
  std::vector<Histogram> rows;
  std::vector<std::size_t> seen;
  for (std::size_t word = 0; word < seen_at.size(); ++word) {
    if (seen_at[word].empty()) continue;
    seen.push_back(word);
    rows.emplace_back(std::move(seen_at[word]), std::move(weights[word]));
  }
  // Label 0 is for words never seen: to merge one with another costs nothing, which says nothing.
  std::vector<std::uint32_t> labels(weights.size());
  const std::size_t left = seen.size() == labels.size() ? words : words - 1;
  if (!rows.empty() && left > 0) {
    const Groups groups = agglomerate(rows, std::min(left, rows.size()), Linkage::information);
    for (std::size_t i = 0; i < seen.size(); ++i) labels[seen[i]] = groups[i] + 1;
  }
  std::vector<WordId> reduced;
  for (const std::uint32_t label : label_groups(labels)) reduced.emplace_back(label);
  return reduced;
}

}  // namespace

Groups agglomerate(std::span<const Histogram> histograms, std::size_t groups, Linkage linkage) {
  check(histograms, groups);
  Merger merger(histograms.size());
  return linkage == Linkage::information ? merger.run(Bottleneck(histograms), groups)
                                         : merger.run(Ward(histograms), groups);
}

Groups agglomerate_plainly(std::span<const Histogram> histograms, std::size_t groups,
                           Linkage linkage) {
  check(histograms, groups);
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < histograms.size(); ++i) members.push_back({i});
  while (members.size() > groups) {
    double best = std::numeric_limits<double>::infinity();
    std::pair<std::size_t, std::size_t> merged;
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = a + 1; b < members.size(); ++b) {
        const double cost = plain_cost(histograms, members[a], members[b], linkage);
        if (cost < best) {
          best = cost;
          merged = {a, b};
        }
      }
    }
    std::vector<std::uint32_t>& kept = members[merged.first];
    std::vector<std::uint32_t>& gone = members[merged.second];
    kept.insert(kept.end(), gone.begin(), gone.end());
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(merged.second));
  }
  std::vector<std::uint32_t> labels(histograms.size());
  for (std::uint32_t group = 0; group < members.size(); ++group) {
    for (const std::uint32_t member : members[group]) labels[member] = group;
  }
  return label_groups(labels);
}

std::vector<WordId> reduce_vocabulary(std::span<const Histogram> images,
                                      std::span<const std::uint32_t> places,
                                      std::uint32_t vocabulary_size, std::size_t words) {
  if (images.size() != places.size()) {
    refuse("expected one place per image, found " + std::to_string(places.size()) + " for " +
           std::to_string(images.size()));
  }
  if (words == 0 || words > vocabulary_size) {
    refuse("expected from 1 to " + std::to_string(vocabulary_size) +
           " words, the size of the vocabulary; found " + std::to_string(words));
  }
  // Of every word its weight in each place: rows of the joint distribution of words and places.
  std::vector<std::vector<WordId>> seen_at(vocabulary_size);
  std::vector<std::vector<double>> weights(vocabulary_size);
  std::vector<std::size_t> by_place(images.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::stable_sort(by_place.begin(), by_place.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  for (const std::size_t i : by_place) {
    for (std::size_t w = 0; w < images[i].size(); ++w) {
      const std::uint32_t word = images[i].words()[w].value;
      if (word >= vocabulary_size) {
        refuse("expected words below " + std::to_string(vocabulary_size) + ", found " +
               std::to_string(word));
      }
      if (seen_at[word].empty() || seen_at[word].back().value != places[i]) {
        seen_at[word].emplace_back(places[i]);
        weights[word].push_back(0);
      }
      weights[word].back() += images[i].weights()[w];
    }
  }
  return number_words(std::move(seen_at), std::move(weights), words);
}

WordSequence reduce_words(const WordSequence& sequence, std::span<const WordId> reduced,
                          std::vector<float> word_weights) {
  const WordId highest =
      reduced.empty() ? WordId{0} : *std::max_element(reduced.begin(), reduced.end());
  const std::size_t size = word_weights.empty() ? highest.value + 1 : word_weights.size();
  if (reduced.size() != sequence.vocabulary_size || highest.value >= size) {
    refuse("expected a new word below " + std::to_string(size) + " for each of " +
           std::to_string(sequence.vocabulary_size) + " words, found " +
           std::to_string(reduced.size()) + " up to " + std::to_string(highest.value));
  }
  WordSequence result = sequence;
  result.vocabulary_size = static_cast<std::uint32_t>(size);
  result.word_weights = std::move(word_weights);
  for (std::vector<WordId>& frame : result.frames) {
    for (WordId& word : frame) word = reduced[word.value];
  }
  return result;
}

}  // namespace looptree::evaluate

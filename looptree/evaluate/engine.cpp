// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/engine.hpp"

#include <algorithm>
#include <charconv>
#include <list>
#include <map>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree::evaluate {
namespace {

class PooledEngine final : public Engine {
 public:
  PooledEngine(IndexOptions options, double slack) : index_(std::move(options)), slack_(slack) {}

  void insert(const Histogram& histogram) override { index_.insert(histogram); }
  std::vector<Match> query(const Histogram& histogram, const QueryOptions& options) const override {
    if (slack_ == options.slack) return index_.query(histogram, options).matches;
    QueryOptions own = options;
    own.slack = slack_;
    return index_.query(histogram, own).matches;
  }

 private:
  PooledIndex index_;
  double slack_;
};

class ExhaustiveEngine final : public Engine {
 public:
  explicit ExhaustiveEngine(std::uint32_t vocabulary_size) : index_(vocabulary_size) {}

  void insert(const Histogram& histogram) override { index_.insert(histogram); }
  std::vector<Match> query(const Histogram& histogram, const QueryOptions& options) const override {
    return index_.query(histogram, options).matches;
  }

 private:
  ExhaustiveIndex index_;
};

/// DBoW2's shape: one linked list per word, a tree map from frame to score, then a sort. Sums in
/// the library's fixed point, so that its answers can be compared.
class ListsEngine final : public Engine {
 public:
  explicit ListsEngine(std::uint32_t vocabulary_size) : lists_(vocabulary_size) {}

  void insert(const Histogram& histogram) override {
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      lists_.at(histogram.words()[i].value)
          .push_back({FrameId{next_}, to_fixed(histogram.weights()[i])});
    }
    ++next_;
  }

  std::vector<Match> query(const Histogram& histogram, const QueryOptions& options) const override {
    std::map<FrameId, FixedWeight> sums;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      const FixedWeight weight = to_fixed(histogram.weights()[i]);
      for (const Posting& posting : lists_.at(histogram.words()[i].value)) {
        if (posting.frame >= options.filter.last) break;
        sums[posting.frame] += std::min(posting.weight, weight);
      }
    }
    std::vector<Match> matches;
    for (const auto& [frame, sum] : sums) {
      const double score = from_fixed(sum);
      if (score >= options.threshold) matches.push_back({frame, score});
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.score > b.score; });
    if (matches.size() > options.top_k) matches.resize(options.top_k);
    return matches;
  }

 private:
  struct Posting {
    FrameId frame;
    FixedWeight weight;
  };
  std::vector<std::list<Posting>> lists_;
  std::uint32_t next_ = 0;
};

Variant pooled_variant(std::string name, Topology topology, double slack, const WordSpace& words) {
  const bool exact = topology.is_exact() || slack == 0;
  IndexOptions options{words.size, std::move(topology), words.weights};
  return {std::move(name),
          [options = std::move(options), slack] {
            return std::make_unique<PooledEngine>(options, slack);
          },
          exact, exact};
}

double parse_slack(std::string_view text, std::string_view name) {
  double slack = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slack);
  if (error != std::errc{} || end != text.data() + text.size() || !(slack >= 0 && slack <= 1)) {
    throw Error(ErrorKind::invalid_argument,
                "expected a slack from 0 to 1 after @, as in d2b16-mean@0.8, found \"" +
                    std::string(name) + "\"");
  }
  return slack;
}

}  // namespace

Engine::~Engine() = default;

Variant make_variant(std::string_view name, const WordSpace& words) {
  const std::uint32_t vocabulary_size = words.size;
  if (name == "exhaustive") {
    return {"exhaustive",
            [vocabulary_size] { return std::make_unique<ExhaustiveEngine>(vocabulary_size); }, true,
            true};
  }
  if (name == "lists") {
    return {"lists", [vocabulary_size] { return std::make_unique<ListsEngine>(vocabulary_size); },
            true, true};
  }
  const std::size_t at = name.find('@');
  const double slack = at == std::string_view::npos ? 1.0 : parse_slack(name.substr(at + 1), name);
  return pooled_variant(std::string(name), Topology::parse(name.substr(0, at)), slack, words);
}

Variant make_variant(std::string name, Topology topology, const WordSpace& words) {
  return pooled_variant(std::move(name), std::move(topology), 1.0, words);
}

Variant on_keyframes(Variant variant, std::vector<bool> keep) {
  variant.name = "keyframes " + variant.name;
  variant.keep = std::move(keep);
  variant.is_exact = false;  // it cannot answer with a frame it does not hold
  return variant;
}

std::vector<Variant> make_variants(std::span<const std::string> names, const WordSpace& words) {
  std::vector<Variant> variants;
  for (const std::string& name : names) variants.push_back(make_variant(name, words));
  return variants;
}

}  // namespace looptree::evaluate

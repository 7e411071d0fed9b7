// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/index/index_options.hpp"

#include "bench/engine.hpp"

namespace looptree::bench {
namespace {

/// What stands behind the @ of an engine's name.
struct Variant {
  std::string simd;
  double slack = 1;
  std::size_t threads = 1;
};

Variant parse_variant(std::string_view text) {
  Variant variant;
  if (text.empty()) return variant;
  if (text.starts_with("slack")) {
    text.remove_prefix(5);
    std::from_chars(text.data(), text.data() + text.size(), variant.slack);
  } else if (text.ends_with("threads")) {
    std::from_chars(text.data(), text.data() + text.size(), variant.threads);
  } else {
    variant.simd = text;
  }
  return variant;
}

/// Variants of one topology ask one and the same index, the first of them fills it.
class Looptree final : public Engine {
 public:
  Looptree(std::shared_ptr<PooledIndex> index, bool owner, Variant variant)
      : variant_(std::move(variant)), index_(std::move(index)), owner_(owner) {}

  void insert(const Histogram& histogram) override {
    if (owner_) index_->insert(histogram);
  }

  std::vector<Match> query(const Histogram& histogram, const Question& question) const override {
    QueryOptions options;
    options.threshold = question.threshold;
    options.top_k = question.top_k == 0 ? QueryOptions::kUnlimited : question.top_k;
    options.slack = variant_.slack;
    options.threads = variant_.threads;
    if (variant_.simd != forced_) {
      force_simd_level(variant_.simd);
      forced_ = variant_.simd;
    }
    return index_->query(histogram, options).matches;
  }

  std::size_t bytes() const override { return index_->memory().bytes; }
  bool concurrent() const override { return owner_; }

 private:
  static inline std::string forced_;
  Variant variant_;
  std::shared_ptr<PooledIndex> index_;
  bool owner_;
};

}  // namespace

std::unique_ptr<Engine> make_looptree(const std::string& name,
                                      std::span<const double> word_weights) {
  static std::map<std::string, std::weak_ptr<PooledIndex>> indexes;
  const std::size_t at = name.find('@');
  const std::string topology = name.substr(0, at);
  const std::string variant = at == std::string::npos ? "" : name.substr(at + 1);
  std::shared_ptr<PooledIndex> index = indexes[topology].lock();
  const bool owner = index == nullptr;
  if (owner) {
    index = std::make_shared<PooledIndex>(index_options(word_weights, Topology::parse(topology)));
    indexes[topology] = index;
  }
  return std::make_unique<Looptree>(std::move(index), owner, parse_variant(variant));
}

std::string Question::name() const {
  if (top_k == 0) return "threshold";
  return "top-" + std::to_string(top_k);
}

std::unique_ptr<Engine> make_engine(const std::string& name, std::span<const double> word_weights) {
  const auto words = static_cast<std::uint32_t>(word_weights.size());
  if (name == "plain") return make_plain(words);
  if (name == "lists") return make_lists(words);
  return make_looptree(name, word_weights);
}

}  // namespace looptree::bench

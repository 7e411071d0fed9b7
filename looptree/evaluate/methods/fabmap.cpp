// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/fabmap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check(const FabMapOptions& options) {
  if (!(options.false_detection >= 0 && options.false_detection < options.detection &&
        options.detection < 1)) {
    refuse("expected 0 <= false detection < detection < 1, found " +
           std::to_string(options.false_detection) + " and " + std::to_string(options.detection));
  }
  if (!(options.new_place > 0 && options.new_place < 1)) {
    refuse("expected a prior of a new place between 0 and 1, found " +
           std::to_string(options.new_place));
  }
}

void check(const Histogram& image, std::size_t vocabulary_size) {
  if (image.empty() || image.words().back().value < vocabulary_size) return;
  refuse("expected words below " + std::to_string(vocabulary_size) + ", found " +
         std::to_string(image.words().back().value));
}

/// ln p(word seen or not | parent seen or not, word among the place's or not).
class WordTerms {
 public:
  WordTerms(const WordDependence& word, const FabMapOptions& options) {
    for (const bool has : {false, true}) {
      const double there = existence(word.seen, has, options);
      for (const bool parent : {false, true}) {
        const double given = parent ? word.seen_if_parent_is : word.seen_if_parent_is_not;
        const double seen = there * observation(word.seen, given, options.detection) +
                            (1 - there) * observation(word.seen, given, options.false_detection);
        terms_[true][parent][has] = std::log(seen);
        terms_[false][parent][has] = std::log1p(-seen);
      }
    }
  }

  double term(bool seen, bool parent, bool has) const { return terms_[seen][parent][has]; }
  /// What changes if the place has the word.
  double gain(bool seen, bool parent) const {
    return term(seen, parent, true) - term(seen, parent, false);
  }

 private:
  /// p(what makes the word is at the place | the place's image has the word or not). Beforehand it
  /// is as likely as the word.
  static double existence(double seen, bool has, const FabMapOptions& options) {
    const double there = (has ? options.detection : 1 - options.detection) * seen;
    const double not_there =
        (has ? options.false_detection : 1 - options.false_detection) * (1 - seen);
    return there / (there + not_there);
  }

  /// p(word seen | parent, existence), from each alone: what both say is weighed against what is
  /// known without either.
  static double observation(double seen, double given_parent, double given_existence) {
    const double yes = given_existence * given_parent / seen;
    const double no = (1 - given_existence) * (1 - given_parent) / (1 - seen);
    return yes / (yes + no);
  }

  double terms_[2][2][2];
};

/// ln sum exp of the values in [first, last), which may be none.
double log_sum(std::span<const double> values) {
  double highest = kNone;
  for (const double value : values) highest = std::max(highest, value);
  if (highest == kNone) return kNone;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - highest);
  return highest + std::log(sum);
}

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high == kNone ? kNone : high + std::log1p(std::exp(std::min(a, b) - high));
}

/// Images as places: who has a word, and what each place's words are worth to an image without any.
class PlaceIndex {
 public:
  explicit PlaceIndex(std::size_t vocabulary_size) : lists_(vocabulary_size) {}

  void insert(const Histogram& image, const std::vector<WordTerms>& terms) {
    double sum = 0;
    for (const WordId word : image.words()) {
      lists_[word.value].push_back(static_cast<std::uint32_t>(worth_.size()));
      sum += terms[word.value].gain(false, false);
    }
    worth_.push_back(sum);
  }

  std::size_t size() const { return worth_.size(); }

  /// Starts the sums of the places below `last`.
  std::vector<double> start(std::size_t last, double base) const {
    std::vector<double> sums(worth_.begin(), worth_.begin() + static_cast<std::ptrdiff_t>(last));
    for (double& sum : sums) sum += base;
    return sums;
  }

  void add(std::uint32_t word, double amount, std::vector<double>& sums) const {
    for (const std::uint32_t place : lists_[word]) {
      if (place >= sums.size()) break;
      sums[place] += amount;
    }
  }

 private:
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<double> worth_;
};

/// What is believed of the frames after an image, given its log-likelihood at each.
class Beliefs {
 public:
  Beliefs(std::span<const double> frames, double new_place, const FabMapOptions& options)
      : frames_(frames),
        same_place_(options.same_place),
        prior_(std::log1p(-options.new_place) - std::log(static_cast<double>(frames.size()))),
        new_place_(new_place + std::log(options.new_place)),
        total_(log_add(log_sum(frames) + prior_, new_place_)) {}

  double new_place_probability() const { return std::exp(new_place_ - total_); }

  /// Of the place around a frame.
  PlaceBelief of(std::uint32_t frame) const {
    const std::size_t first = frame > same_place_ ? frame - same_place_ : 0;
    const std::size_t last = std::min(frames_.size(), frame + same_place_ + 1);
    const double own = log_sum(frames_.subspan(first, last - first)) + prior_;
    const double other_places =
        log_add(log_sum(frames_.first(first)), log_sum(frames_.subspan(last))) + prior_;
    const double log_odds = own - log_add(other_places, new_place_);
    return {frame, frames_[frame], std::exp(own - total_), log_odds};
  }

  /// The places of at least these odds, at most `count`, by falling likelihood. A frame near a
  /// likelier one is the same place.
  std::vector<PlaceBelief> places(std::size_t count, double min_log_odds) const {
    std::vector<std::uint32_t> left(frames_.size());
    std::iota(left.begin(), left.end(), 0u);
    const auto less_likely = [this](std::uint32_t a, std::uint32_t b) {
      return frames_[a] != frames_[b] ? frames_[a] < frames_[b] : a > b;
    };
    std::make_heap(left.begin(), left.end(), less_likely);
    std::vector<PlaceBelief> found;
    while (!left.empty() && found.size() < count) {
      const std::uint32_t frame = left.front();
      std::pop_heap(left.begin(), left.end(), less_likely);
      left.pop_back();
      const bool known = std::any_of(found.begin(), found.end(), [&](const PlaceBelief& other) {
        return (other.frame > frame ? other.frame - frame : frame - other.frame) <= same_place_;
      });
      if (known) continue;
      const PlaceBelief belief = of(frame);
      if (belief.log_odds < min_log_odds) break;
      found.push_back(belief);
    }
    return found;
  }

 private:
  std::span<const double> frames_;
  std::size_t same_place_;
  double prior_;      ///< of a frame, logarithm
  double new_place_;  ///< likelihood times prior, likewise
  double total_;
};

}  // namespace

struct FabMapModel::Impl {
  FabMapOptions options;
  ChowLiuTree tree;
  std::vector<WordTerms> terms;
  std::vector<std::vector<std::uint32_t>> children;
  double nothing_seen = 0;  ///< log-likelihood of no words at a place without words
  PlaceIndex samples;

  Impl(std::span<const Histogram> training, std::uint32_t vocabulary_size,
       const FabMapOptions& chosen)
      : options(chosen),
        tree(learn_chow_liu(training, vocabulary_size, chosen.tree)),
        children(vocabulary_size),
        samples(vocabulary_size) {
    terms.reserve(vocabulary_size);
    for (std::uint32_t word = 0; word < vocabulary_size; ++word) {
      terms.emplace_back(tree[word], options);
      nothing_seen += terms[word].term(false, false, false);
      if (tree[word].parent != WordDependence::kNoParent) {
        children[tree[word].parent].push_back(word);
      }
    }
    for (const Histogram& image : training) samples.insert(image, terms);
  }

  std::vector<bool> presence(const Histogram& image) const {
    check(image, tree.size());
    std::vector<bool> seen(tree.size());
    for (const WordId word : image.words()) seen[word.value] = true;
    return seen;
  }

  bool parent_seen(std::uint32_t word, const std::vector<bool>& seen) const {
    const std::uint32_t parent = tree[word].parent;
    return parent != WordDependence::kNoParent && seen[parent];
  }

  /// Calls `visit(word, seen, parent seen)` for the words whose terms depend on the image.
  template <typename Visit>
  void for_each_affected(const Histogram& image, const std::vector<bool>& seen,
                         const Visit& visit) const {
    for (const WordId word : image.words()) {
      visit(word.value, true, parent_seen(word.value, seen));
      for (const std::uint32_t child : children[word.value]) {
        if (!seen[child]) visit(child, false, true);
      }
    }
  }

  /// The log-likelihoods of an image at the places of an index below `last`.
  std::vector<double> likelihoods(const Histogram& image, const std::vector<bool>& seen,
                                  const PlaceIndex& places, std::size_t last) const {
    double base = nothing_seen;
    for_each_affected(image, seen, [&](std::uint32_t word, bool is_seen, bool parent) {
      base += terms[word].term(is_seen, parent, false) - terms[word].term(false, false, false);
    });
    std::vector<double> sums = places.start(last, base);
    for_each_affected(image, seen, [&](std::uint32_t word, bool is_seen, bool parent) {
      places.add(word, terms[word].gain(is_seen, parent) - terms[word].gain(false, false), sums);
    });
    return sums;
  }
};

FabMapModel::FabMapModel(std::span<const Histogram> training, std::uint32_t vocabulary_size,
                         const FabMapOptions& options) {
  check(options);
  impl_ = std::make_unique<const Impl>(training, vocabulary_size, options);
}

FabMapModel::~FabMapModel() = default;

const ChowLiuTree& FabMapModel::tree() const noexcept {
  return impl_->tree;
}
const FabMapOptions& FabMapModel::options() const noexcept {
  return impl_->options;
}

double FabMapModel::log_likelihood(const Histogram& image, const Histogram& place) const {
  const std::vector<bool> seen = impl_->presence(image);
  const std::vector<bool> has = impl_->presence(place);
  double sum = 0;
  for (std::uint32_t word = 0; word < impl_->terms.size(); ++word) {
    sum += impl_->terms[word].term(seen[word], impl_->parent_seen(word, seen), has[word]);
  }
  return sum;
}

struct FabMap::Impl {
  std::shared_ptr<const FabMapModel> model;
  PlaceIndex places;
};

FabMap::FabMap(std::shared_ptr<const FabMapModel> model)
    : impl_(new Impl{model, PlaceIndex(model->tree().size())}) {}

FabMap::~FabMap() = default;

void FabMap::insert(const Histogram& image) {
  check(image, impl_->model->tree().size());
  impl_->places.insert(image, impl_->model->impl_->terms);
}

std::size_t FabMap::size() const noexcept {
  return impl_->places.size();
}

std::vector<double> FabMap::log_likelihoods(const Histogram& image, std::size_t last) const {
  const FabMapModel::Impl& model = *impl_->model->impl_;
  return model.likelihoods(image, model.presence(image), impl_->places, std::min(last, size()));
}

FabMapAnswer FabMap::query(const Histogram& image, std::size_t last, std::size_t count,
                           double min_log_odds) const {
  const FabMapModel::Impl& model = *impl_->model->impl_;
  const std::vector<bool> seen = model.presence(image);
  const std::vector<double> frames =
      model.likelihoods(image, seen, impl_->places, std::min(last, size()));
  const std::vector<double> samples =
      model.likelihoods(image, seen, model.samples, model.samples.size());
  FabMapAnswer answer;
  answer.new_place_log_likelihood =
      log_sum(samples) - std::log(static_cast<double>(samples.size()));
  if (frames.empty()) return answer;
  const Beliefs beliefs(frames, answer.new_place_log_likelihood, model.options);
  answer.new_place_probability = beliefs.new_place_probability();
  answer.places = beliefs.places(count, min_log_odds);
  return answer;
}

namespace {

/// Divides log odds, so that a double tells them apart after squashing.
constexpr double kOddsScale = 100;

class FabMapEngine final : public Engine {
 public:
  explicit FabMapEngine(std::shared_ptr<const FabMapModel> model) : map_(std::move(model)) {}

  void insert(const Histogram& histogram) override { map_.insert(histogram); }
  std::vector<Match> query(const Histogram& histogram, const QueryOptions& options) const override {
    const double least = options.threshold > 0
                             ? kOddsScale * std::log(options.threshold / (1 - options.threshold))
                             : kNone;
    // A last digit lost in the logarithm loses no match: what is too low is left out below.
    const FabMapAnswer answer =
        map_.query(histogram, options.filter.last.value, options.top_k, least - 1e-6);
    std::vector<Match> matches;
    for (const PlaceBelief& place : answer.places) {
      const double score = 1 / (1 + std::exp(-place.log_odds / kOddsScale));
      if (score >= options.threshold) matches.push_back({FrameId{place.frame}, score});
    }
    return matches;
  }

 private:
  FabMap map_;
};

}  // namespace

Variant make_fabmap(std::shared_ptr<const FabMapModel> model, std::string name) {
  Variant variant;
  variant.name = std::move(name);
  variant.make = [model = std::move(model)] { return std::make_unique<FabMapEngine>(model); };
  variant.own_scale = true;
  return variant;
}

}  // namespace looptree::evaluate

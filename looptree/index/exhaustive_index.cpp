// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/exhaustive_index.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/filter.hpp"
#include "looptree/index/search/common_words.hpp"

namespace looptree {

struct ExhaustiveIndex::Impl {
  std::uint32_t vocabulary_size = 0;
  std::vector<FixedHistogram> frames;  // one without words is erased
  detail::Sessions sessions;
};

ExhaustiveIndex::ExhaustiveIndex(std::uint32_t vocabulary_size) : impl_(std::make_unique<Impl>()) {
  require(vocabulary_size > 0, ErrorKind::invalid_argument,
          "expected a vocabulary of at least one word, found vocabulary_size 0");
  impl_->vocabulary_size = vocabulary_size;
}
ExhaustiveIndex::~ExhaustiveIndex() = default;
ExhaustiveIndex::ExhaustiveIndex(ExhaustiveIndex&&) noexcept = default;
ExhaustiveIndex& ExhaustiveIndex::operator=(ExhaustiveIndex&&) noexcept = default;

FrameId ExhaustiveIndex::insert(const Histogram& histogram, InsertOptions options) {
  impl_->sessions.reserve();
  impl_->frames.emplace_back(histogram, impl_->vocabulary_size);
  impl_->sessions.append(options.session);
  return FrameId{static_cast<std::uint32_t>(impl_->frames.size() - 1)};
}

bool ExhaustiveIndex::erase(FrameId frame) {
  if (frame.value >= impl_->frames.size() || impl_->frames[frame.value].empty()) return false;
  impl_->frames[frame.value] = {};
  impl_->sessions.erase(frame.value);
  return true;
}

void ExhaustiveIndex::clear() {
  impl_->frames.clear();
  impl_->sessions = {};
}

std::size_t ExhaustiveIndex::size() const {
  return static_cast<std::size_t>(std::count_if(impl_->frames.begin(), impl_->frames.end(),
                                                [](const auto& frame) { return !frame.empty(); }));
}

QueryResult ExhaustiveIndex::query(const Histogram& histogram, const QueryOptions& options) const {
  check(options);
  const FixedHistogram query(histogram, impl_->vocabulary_size);
  const detail::FrameFilter filter(options.filter, impl_->sessions);
  detail::Collector best(options.top_k, fixed_threshold(options.threshold), filter.accept());
  for (std::uint32_t frame = filter.first(); frame < filter.last(); ++frame) {
    best.offer(frame, intersection(query.view(), impl_->frames[frame].view()));
  }
  QueryResult result;
  const std::size_t scored = filter.last() - filter.first();
  result.layers.push_back({impl_->frames.size(), scored, 0, scored});
  result.matches = detail::to_matches(best.take());
  return result;
}

CommonWords ExhaustiveIndex::common_words(const Histogram& histogram,
                                          const CommonWordsOptions& options) const {
  check(options);
  const FixedHistogram query(histogram, impl_->vocabulary_size);
  const detail::FrameFilter filter(options.filter, impl_->sessions);
  CommonWords result;
  for (std::uint32_t id = filter.first(); id < filter.last(); ++id) {
    const FixedHistogram& frame = impl_->frames[id];
    std::vector<std::uint32_t> both;
    std::set_intersection(query.words().begin(), query.words().end(), frame.words().begin(),
                          frame.words().end(), std::back_inserter(both));
    if (both.empty() || (filter.accept() != nullptr && !(*filter.accept())(id))) continue;
    const auto common = static_cast<std::uint32_t>(both.size());
    const double score = from_fixed(intersection(query.view(), frame.view()));
    result.frames.push_back({FrameId{id}, common, WordId{both[0]}, options.scores ? score : 0});
    result.most = std::max(result.most, common);
  }
  if (options.count_sharing || filter.accept() == nullptr) result.sharing = result.frames.size();
  const std::uint32_t cut = detail::common_cut(result.most, options);
  std::erase_if(result.frames, [&](const CommonFrame& frame) { return frame.common <= cut; });
  std::sort(result.frames.begin(), result.frames.end(),
            [](const CommonFrame& a, const CommonFrame& b) {
              return std::tie(a.first, a.frame) < std::tie(b.first, b.frame);
            });
  return result;
}

}  // namespace looptree

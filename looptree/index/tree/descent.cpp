// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/tree/descent.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "looptree/common/parallel.hpp"
#include "looptree/index/core/filter.hpp"
#include "looptree/index/core/workspace.hpp"
#include "looptree/index/search/frame_search.hpp"

namespace looptree::detail {
namespace {

std::vector<std::uint32_t> items_of(std::span<const Scored> scored) {
  std::vector<std::uint32_t> items;
  items.reserve(scored.size());
  for (const Scored& one : scored) items.push_back(one.item);
  return items;
}

/// Fewer candidates than this are not worth waking another thread.
constexpr std::size_t kCandidatesPerThread = 4096;

/// Part `i` of `parts` of the candidates, in even ranges.
Candidates part_of(const Candidates& all, std::size_t i, std::size_t parts) {
  const auto cut = [&](std::size_t at) {
    return static_cast<std::uint32_t>(all.first +
                                      (std::uint64_t{all.last} - all.first) * at / parts);
  };
  Candidates part;
  part.first = cut(i);
  part.last = cut(i + 1);
  part.listed = all.listed;
  const auto begin = std::lower_bound(all.items.begin(), all.items.end(), part.first);
  part.items.assign(begin, std::lower_bound(begin, all.items.end(), part.last));
  return part;
}

/// One query on its way down.
class Descent {
 public:
  Descent(const SearchState& state, const FixedView& query, const QueryOptions& options)
      : state_(state),
        query_(query),
        options_(options),
        filter_(options.filter, state.sessions),
        hits_(options.top_k, fixed_threshold(options.threshold), filter_.accept()) {
    const std::uint32_t frames = state.sessions.next();
    stats_.resize(state.tree.search_layers(frames));
    for (std::size_t l = 0; l < stats_.size(); ++l) stats_[l].nodes = state.tree.nodes(l, frames);
  }

  QueryResult run() {
    if (!filter_.empty()) {
      if (stats_.size() == 1 || searches_everything()) {
        search_frames(state_.tree.above(0, filter_.first(), filter_.last()));
      } else {
        descend();
      }
    }
    stats_[0].exact = hits_.offers();
    return {to_matches(hits_.take()), std::move(stats_)};
  }

 private:
  bool beam_limited() const { return options_.beam != QueryOptions::kUnlimited; }
  bool exact() const { return state_.topology.is_exact() && !beam_limited(); }

  /// Mean pooling without a threshold, or with slack 0, prunes nothing: go to the frames at once.
  bool searches_everything() const { return !exact() && !beam_limited() && node_floor() == 0; }

  /// What a node must score for its children to be searched.
  FixedWeight node_floor() const {
    if (beam_limited()) return 1;
    if (!state_.topology.is_exact()) return fixed_threshold(options_.slack * options_.threshold);
    return hits_.threshold();  // rises as a top-k search finds its frames
  }

  void descend() {
    const std::size_t top = stats_.size() - 1;
    const std::vector<Scored> best =
        search_layer(top, state_.tree.above(top, filter_.first(), filter_.last()));
    std::span<const Scored> rest = best;
    if (exact() && options_.top_k != QueryOptions::kUnlimited) {
      // The frames under a few of the best nodes give a threshold that prunes most of the others.
      const std::size_t few = std::min(rest.size(), std::max<std::size_t>(4, options_.top_k));
      search_below(top, rest.first(few));
      rest = rest.subspan(few);
    }
    const auto reaches = [&](const Scored& node) { return node.sum >= node_floor(); };
    const auto end = std::partition_point(rest.begin(), rest.end(), reaches);
    search_below(top, {rest.begin(), end});
  }

  void search_below(std::size_t layer, std::span<const Scored> nodes) {
    if (nodes.empty()) return;
    std::vector<std::uint32_t> parents = items_of(nodes);
    for (; layer > 1; --layer) {
      parents = items_of(search_layer(layer - 1, children(layer, std::move(parents))));
    }
    search_frames(children(1, std::move(parents)));
  }

  Candidates children(std::size_t layer, std::vector<std::uint32_t> nodes) {
    stats_[layer].descended += nodes.size();
    // Below all of them lies everything, and nobody needs a list of that.
    if (nodes.size() == state_.tree.above(layer, filter_.first(), filter_.last()).size()) {
      return state_.tree.above(layer - 1, filter_.first(), filter_.last());
    }
    return state_.tree.below(layer, std::move(nodes), filter_.first(), filter_.last());
  }

  std::vector<Scored> search_layer(std::size_t layer, const Candidates& candidates) {
    Collector survivors(options_.beam, node_floor());
    stats_[layer].scored += candidates.size();
    const PooledLayer& nodes = state_.pooled[layer - 1];
    in_parts(candidates, survivors,
             [&](const Candidates& part, Collector& collector, Workspace& workspace) {
               // Where pooling bounds the frames below, a bound on the pooled score does so, too.
               exact() ? nodes.bound(query_, part, collector)
                       : nodes.search(query_, part, collector, workspace);
             });
    return survivors.take();
  }

  void search_frames(const Candidates& candidates) {
    stats_[0].scored += candidates.size();
    in_parts(candidates, hits_,
             [&](const Candidates& part, Collector& collector, Workspace& workspace) {
               detail::search_frames(state_.frames, query_, part, collector, workspace);
             });
  }

  /// What a collector keeps does not depend on the order of offers, so neither does the answer.
  template <typename Search>
  void in_parts(const Candidates& candidates, Collector& collector, Search search_part) const {
    const std::size_t parts =
        std::min(thread_count(options_.threads), candidates.size() / kCandidatesPerThread);
    if (parts <= 1) {
      search_part(candidates, collector, *workspace_);
      return;
    }
    std::vector<Collector> forks(parts, collector.fork());
    parallel_for(parts, parts, [&](std::size_t i) {
      const WorkspaceLease workspace;
      search_part(part_of(candidates, i, parts), forks[i], *workspace);
    });
    for (const Collector& fork : forks) collector.merge(fork);
  }

  const WorkspaceLease workspace_;
  const SearchState& state_;
  const FixedView& query_;
  const QueryOptions& options_;
  FrameFilter filter_;
  Collector hits_;
  std::vector<LayerStats> stats_;
};

}  // namespace

QueryResult search(const SearchState& state, const FixedView& query, const QueryOptions& options) {
  return Descent(state, query, options).run();
}

}  // namespace looptree::detail

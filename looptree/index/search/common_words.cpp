// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/common_words.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/index/kernels/block_sums.hpp"
#include "looptree/index/search/postings_walk.hpp"
#include "looptree/index/search/query_lookup.hpp"
#include "looptree/index/search/row_plans.hpp"

namespace looptree::detail {
namespace {

/// Counts take 16 bits.
constexpr std::size_t kMaxWords = 0xFFFF;

/// The words of the query as one layout stores them.
struct SplitWords {
  std::vector<RowPlan> plans;       ///< of those with a row: each counts once
  std::vector<std::uint32_t> rare;  ///< the others
};

/// A plan whose sums are plain counts: only the last batch adds the count up.
RowPlan counting_plan(std::span<const std::uint32_t> lines, Workspace& workspace) {
  RowPlan plan(workspace);
  const std::size_t batches = RowPlan::batches_of(lines.size(), plan.grain);
  plan.rows.assign(plan.first_row(batches), 0);
  for (std::size_t i = 0; i < lines.size(); ++i) plan.rows[i] = lines[i] * kLine;
  plan.impacts.assign(batches, 1);
  plan.impacts.push_back(0);
  plan.repeat_rows();
  return plan;
}

SplitWords split(const FixedView& query, const RowLayout& layout, Workspace& workspace) {
  SplitWords result;
  if (layout.rows() == 0) {
    result.rare.assign(query.words.begin(), query.words.end());
    return result;
  }
  std::vector<std::uint32_t> lines;
  for (const std::uint32_t word : query.words) {
    const std::uint32_t line = layout.line(word);
    (line == RowLayout::kNoRow ? result.rare : lines)
        .push_back(line == RowLayout::kNoRow ? word : line);
  }
  for (std::size_t i = 0; i < lines.size(); i += RowPlan::kMaxRows) {
    const std::size_t count = std::min(RowPlan::kMaxRows, lines.size() - i);
    result.plans.push_back(counting_plan(std::span(lines).subspan(i, count), workspace));
  }
  return result;
}

/// Where the counts of a segment lie in the scratch.
struct Part {
  const Segment& segment;
  std::size_t at;
  std::uint32_t first;  ///< slots of the range that the filter leaves
  std::uint32_t last;
};

class Count {
 public:
  Count(const FrameLayer& frames, const FixedView& query, const FrameFilter& filter,
        const CommonWordsOptions& options, Workspace& workspace)
      : frames_(frames),
        query_(query),
        filter_(filter),
        options_(options),
        workspace_(workspace),
        counts_(workspace.sums) {}

  CommonWords run() {
    for (const auto& segment : frames_.segments()) count(*segment);
    if (options_.count_sharing) ask_about_all();
    if (options_.count_sharing || filter_.accept() == nullptr) result_.sharing = sharing();
    select();
    std::sort(result_.frames.begin(), result_.frames.end(),
              [](const CommonFrame& a, const CommonFrame& b) {
                return std::tie(a.first, a.frame) < std::tie(b.first, b.frame);
              });
    return std::move(result_);
  }

 private:
  struct Candidate {
    const Part* part;
    std::uint32_t slot;
    std::uint16_t common;
  };

  void count(const Segment& segment) {
    const std::uint32_t first = segment.slot_of(filter_.first());
    const std::uint32_t last = segment.slot_of(filter_.last());
    if (first >= last) return;
    if (layout_ != segment.layout().get()) words_ = split(query_, *segment.layout(), workspace_);
    layout_ = segment.layout().get();
    const std::size_t at = used_;
    used_ += segment.blocks() * kBlockFrames;
    if (counts_.size() < used_) counts_.resize(used_);
    std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(at),
              counts_.begin() + static_cast<std::ptrdiff_t>(used_), std::uint16_t{0});
    add_postings(segment.postings(), counts_.data() + at);
    parts_.push_back({segment, at, first, last});
    for (std::size_t block = first / kBlockFrames; block <= (last - 1) / kBlockFrames; ++block) {
      add_rows(segment, block, counts_.data() + at + block * kBlockFrames);
    }
    drop_others(parts_.back());
  }

  void add_postings(const PostingLists& lists, std::uint16_t* counts) const {
    for_each_posting_list(
        lists, words_.rare.size(), workspace_, [&](std::size_t i) { return words_.rare[i]; },
        [&](std::size_t, std::span<const std::uint16_t> slots) {
          for (const std::uint16_t slot : slots) ++counts[slot];
        });
  }

  void add_rows(const Segment& segment, std::size_t block, std::uint16_t* counts) const {
    const Block& rows = segment.block(block);
    if (rows.live == 0 || rows.rows.empty()) return;
    const bool more = block + 1 < segment.blocks() && !segment.block(block + 1).rows.empty();
    const std::uint8_t* next = more ? segment.block(block + 1).rows.data() : nullptr;
    for (const RowPlan& plan : words_.plans) {
      add_block_sums(BlockSums(plan, {rows.rows.data(), next}), counts);
    }
  }

  /// Erased frames may still have their bits and postings, and the range cuts blocks.
  void drop_others(const Part& part) {
    std::uint16_t* counts = counts_.data() + part.at;
    const auto slots = static_cast<std::uint32_t>(part.segment.blocks() * kBlockFrames);
    std::fill(counts, counts + part.first, std::uint16_t{0});
    std::fill(counts + part.last, counts + slots, std::uint16_t{0});
    if (part.segment.live() == part.segment.slots()) return;
    for (std::uint32_t slot = part.first; slot < part.last; ++slot) {
      if (!part.segment.alive(slot)) counts[slot] = 0;
    }
  }

  void ask_about_all() {
    if (filter_.accept() == nullptr) return;
    for (const Part& part : parts_) {
      for (std::uint32_t slot = part.first; slot < part.last; ++slot) {
        std::uint16_t& count = counts_[part.at + slot];
        if (count > 0 && !(*filter_.accept())(part.segment.id(slot))) count = 0;
      }
    }
  }

  std::size_t sharing() const {
    std::size_t sharing = 0;
    for (std::size_t i = 0; i < used_; ++i) sharing += counts_[i] > 0 ? 1 : 0;
    return sharing;
  }

  std::uint16_t most() const {
    std::uint16_t most = 0;
    for (std::size_t i = 0; i < used_; ++i) most = std::max(most, counts_[i]);
    return most;
  }

  /// From the top down, and only as far as it takes: those that the filter rejects are dropped, and
  /// if the best were among them, a lower maximum lets more frames in.
  void select() {
    while (const std::uint16_t most = this->most()) {
      bool rejected = false;
      std::vector<Candidate> passed;
      for_each_above(common_cut(most, options_), [&](const Candidate& candidate) {
        if (accepts(candidate)) {
          passed.push_back(candidate);
        } else {
          counts_[candidate.part->at + candidate.slot] = 0;
          rejected = true;
        }
      });
      if (rejected && this->most() != most) continue;
      result_.most = most;
      for (const Candidate& candidate : passed) keep(candidate);
      return;
    }
  }

  bool accepts(const Candidate& candidate) {
    if (filter_.accept() == nullptr || options_.count_sharing) return true;
    const std::uint32_t id = candidate.part->segment.id(candidate.slot);
    const auto known = std::lower_bound(accepted_.begin(), accepted_.end(), id);
    if (known != accepted_.end() && *known == id) return true;  // from a round before
    if (!(*filter_.accept())(id)) return false;
    accepted_.insert(known, id);
    return true;
  }

  template <typename Visit>
  void for_each_above(std::uint32_t cut, Visit visit) const {
    constexpr std::uint32_t kRun = 64;  // looked at as a whole: most have nothing
    for (const Part& part : parts_) {
      const std::uint16_t* counts = counts_.data() + part.at;
      for (std::uint32_t run = part.first / kRun * kRun; run < part.last; run += kRun) {
        std::uint16_t best = 0;
        for (std::uint32_t i = 0; i < kRun; ++i) best = std::max(best, counts[run + i]);
        if (best <= cut) continue;
        for (std::uint32_t i = 0; i < kRun; ++i) {
          if (counts[run + i] > cut) visit(Candidate{&part, run + i, counts[run + i]});
        }
      }
    }
  }

  void keep(const Candidate& candidate) {
    const Segment& segment = candidate.part->segment;
    const ForwardEntry& forward = segment.forward(candidate.slot);
    CommonFrame frame;
    frame.frame = FrameId{segment.id(candidate.slot)};
    frame.common = candidate.common;
    frame.first = WordId{forward.first_common(query_)};
    if (options_.scores) {
      if (!lookup_) lookup_.emplace(query_, frames_.idf().words(), &frames_.idf(), workspace_);
      frame.score = from_fixed(lookup_->score(forward));
    }
    result_.frames.push_back(frame);
  }

  const FrameLayer& frames_;
  const FixedView& query_;
  const FrameFilter& filter_;
  const CommonWordsOptions& options_;
  Workspace& workspace_;
  std::vector<std::uint16_t>& counts_;  // by slot
  std::size_t used_ = 0;                // of counts_
  std::vector<Part> parts_;
  SplitWords words_;
  const RowLayout* layout_ = nullptr;  // that words_ were split for
  std::vector<std::uint32_t> accepted_;
  std::optional<QueryLookup> lookup_;
  CommonWords result_;
};

}  // namespace

std::uint32_t common_cut(std::uint32_t most, const CommonWordsOptions& options) {
  const auto part = static_cast<std::uint32_t>(static_cast<float>(most) * options.fraction);
  return std::max(part, options.min_words);
}

CommonWords common_words(const FrameLayer& frames, const FixedView& query,
                         const FrameFilter& filter, const CommonWordsOptions& options) {
  if (query.size() > kMaxWords) {
    throw Error(ErrorKind::unsupported, "expected a query of at most 65535 distinct words, found " +
                                            std::to_string(query.size()) +
                                            "; PooledIndex::query() takes more");
  }
  const WorkspaceLease workspace;
  return Count(frames, query, filter, options, *workspace).run();
}

}  // namespace looptree::detail

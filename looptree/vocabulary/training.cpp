// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/training.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/vocabulary/detail/clustering.hpp"
#include "looptree/vocabulary/detail/image.hpp"

namespace looptree {
namespace {

using detail::Clusters;

/// A node of more rows finds its centres on a sample of this many.
constexpr std::size_t kSampleRows = std::size_t{1} << 17U;
/// Rows of such a node are assigned in pieces of this many, on all threads.
constexpr std::size_t kPieceRows = std::size_t{1} << 14U;
/// Progress is reported, and cancelling noticed, about this often.
constexpr std::size_t kReports = 200;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check_range(const char* what, std::size_t value, std::size_t low, std::size_t high) {
  if (value >= low && value <= high) return;
  refuse(std::string("expected ") + what + " from " + std::to_string(low) + " to " +
         std::to_string(high) + ", found " + std::to_string(value));
}

void check(DescriptorView descriptors, std::span<const std::size_t> rows_per_image,
           const TrainOptions& options) {
  check_range("a branching", options.branching, 2, detail::kMaxBranching);
  check_range("a depth", options.depth, 1, detail::kMaxDepth);
  check_range("a number of iterations", options.max_iterations, 1, 1000000);
  check_range("a descriptor width", descriptors.width(), 1, detail::kMaxWidth);
  check_range("a number of descriptors", descriptors.size(), 2, 0xfffffffe);
  const std::size_t rows =
      std::accumulate(rows_per_image.begin(), rows_per_image.end(), std::size_t{0});
  if (rows != descriptors.size()) {
    refuse("expected the rows of the images to add up to " + std::to_string(descriptors.size()) +
           ", the number of descriptors; found " + std::to_string(rows));
  }
  if (descriptors.type() == DescriptorType::binary) return;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    for (const float value : descriptors.floats(i)) {
      if (!std::isfinite(value)) {
        refuse("expected finite descriptors, found " + std::to_string(value) + " in row " +
               std::to_string(i));
      }
    }
  }
}

/// Grows the tree level by level. Rows are never moved: `order_` lists them node by node, ascending
/// within a node, and is partitioned as nodes split.
class Trainer {
 public:
  Trainer(DescriptorView descriptors, std::span<const std::size_t> rows_per_image,
          const TrainOptions& options)
      : descriptors_(descriptors),
        options_(options),
        shape_{descriptors.type(), descriptors.width(), options.branching,
               options.depth,      options.weighting,   options.scoring},
        stride_(detail::stride_of(shape_)),
        images_(rows_per_image.size()),
        order_(descriptors.size()),
        next_order_(descriptors.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    image_of_row_.reserve(descriptors.size());
    for (std::size_t image = 0; image < rows_per_image.size(); ++image) {
      image_of_row_.insert(image_of_row_.end(), rows_per_image[image],
                           static_cast<std::uint32_t>(image));
    }
  }

  Vocabulary run() {
    report(options_.progress, 0, total_steps());
    std::vector<Branch> level = {{0, order_.size(), {}}};
    nodes_.push_back({0, 0});
    weights_.push_back(0);
    for (std::size_t depth = 0; !level.empty(); ++depth) {
      grow(level, depth < options_.depth);
      done_.store((depth + 1) * order_.size());  // rows of leaves above count as well
      level = next_level(level);
      std::swap(order_, next_order_);
    }
    if (nodes_.size() == 1) refuse("expected descriptors that differ, found all of them equal");
    report(options_.progress, total_steps(), total_steps());
    return finish();
  }

 private:
  /// A node that may still split, with its part of order_.
  struct Branch {
    std::size_t begin;
    std::size_t end;
    Clusters clusters;
    std::vector<std::size_t> sizes = {};
    float weight = 0;

    std::size_t rows() const { return end - begin; }
  };

  std::size_t total_steps() const { return (options_.depth + 1) * order_.size(); }

  /// Weighs and splits the nodes of a level.
  void grow(std::vector<Branch>& level, bool split) {
    const std::size_t first_node = nodes_.size() - level.size();
    parallel_for(level.size(), options_.threads, [&](std::size_t i) {
      level[i].weight = weight(level[i]);
      if (split && level[i].rows() > 1) find_clusters(level[i], first_node + i);
      advance(level[i].rows());
    });
    for (Branch& branch : level) {
      if (branch.rows() > kSampleRows) assign_in_pieces(branch);
    }
  }

  /// Counts rows as done, and now and then says so. Any thread may come here.
  void advance(std::size_t rows) {
    const std::size_t step = total_steps() / kReports + 1;
    const std::size_t before = done_.fetch_add(rows);
    if (before / step == (before + rows) / step) return;
    const std::lock_guard lock(report_mutex_);
    report(options_.progress, done_.load(), total_steps());
  }

  /// ln(images / images with a row of the branch); rows ascend, and so do their images.
  float weight(const Branch& branch) const {
    if (shape_.weighting == Weighting::tf || shape_.weighting == Weighting::binary) return 1;
    std::size_t found = 0;
    std::uint32_t last = 0xffffffff;
    for (std::size_t i = branch.begin; i < branch.end; ++i) {
      const std::uint32_t image = image_of_row_[order_[i]];
      found += image != last ? 1 : 0;
      last = image;
    }
    return static_cast<float>(std::log(static_cast<double>(images_) / static_cast<double>(found)));
  }

  const void* source(std::uint32_t row) const {
    return descriptors_.type() == DescriptorType::binary
               ? static_cast<const void*>(descriptors_.bytes(row).data())
               : static_cast<const void*>(descriptors_.floats(row).data());
  }

  /// Copies of the rows that `pick(i)` names, side by side and padded.
  template <typename Pick>
  std::vector<std::byte> gather(std::size_t count, const Pick& pick) const {
    std::vector<std::byte> rows(count * stride_);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&rows[i * stride_], source(pick(i)), shape_.row_bytes());
    }
    return rows;
  }

  void find_clusters(Branch& branch, std::size_t node) {
    // Each node has a sequence of its own, so the order in which threads take nodes is no matter.
    detail::SplitMix64 random(detail::SplitMix64(options_.seed).next() ^ node);
    const std::size_t rows = branch.rows();
    const std::size_t sampled = std::min(rows, kSampleRows);
    const std::vector<std::byte> sample = gather(sampled, [&](std::size_t i) {
      if (sampled == rows) return order_[branch.begin + i];
      const double at = (static_cast<double>(i) + random.uniform()) / static_cast<double>(sampled);
      const auto picked = static_cast<std::size_t>(at * static_cast<double>(rows));
      return order_[branch.begin + std::min(picked, rows - 1)];
    });
    branch.clusters = detail::cluster({shape_.type, stride_, sample.data(), sampled},
                                      options_.branching, options_.max_iterations, random);
    if (branch.clusters.count < 2) branch.clusters = {};
    if (sampled == rows) partition(branch);
  }

  /// Writes the rows of a branch to next_order_, cluster by cluster and ascending within.
  void partition(Branch& branch) {
    const std::vector<std::uint32_t>& assignment = branch.clusters.assignment;
    branch.sizes.assign(branch.clusters.count, 0);
    for (const std::uint32_t c : assignment) ++branch.sizes[c];
    std::vector<std::size_t> next(branch.sizes.size());
    std::exclusive_scan(branch.sizes.begin(), branch.sizes.end(), next.begin(), branch.begin);
    for (std::size_t i = 0; i < assignment.size(); ++i) {
      next_order_[next[assignment[i]]++] = order_[branch.begin + i];
    }
    branch.clusters.assignment = {};
  }

  /// Assigns all rows of a branch whose centres were found on a sample.
  void assign_in_pieces(Branch& branch) {
    Clusters& clusters = branch.clusters;
    if (clusters.count == 0) return;
    clusters.assignment.resize(branch.rows());
    const std::size_t pieces = (branch.rows() + kPieceRows - 1) / kPieceRows;
    parallel_for(pieces, options_.threads, [&](std::size_t piece) {
      const std::size_t first = piece * kPieceRows;
      const std::size_t count = std::min(kPieceRows, branch.rows() - first);
      const std::vector<std::byte> rows =
          gather(count, [&](std::size_t i) { return order_[branch.begin + first + i]; });
      std::vector<float> distance(count);
      detail::nearest({shape_.type, stride_, rows.data(), count},
                      {shape_.type, stride_, clusters.centres.data(), clusters.count},
                      std::span(clusters.assignment).subspan(first, count), distance);
    });
    partition(branch);
  }

  /// The children of a level become nodes, and those that may split the next level's branches.
  std::vector<Branch> next_level(const std::vector<Branch>& level) {
    std::vector<Branch> next;
    const std::size_t first_node = nodes_.size() - level.size();
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Branch& branch = level[i];
      weights_[first_node + i] = branch.weight;
      if (branch.sizes.empty()) continue;
      nodes_[first_node + i] = {static_cast<std::uint32_t>(nodes_.size()),
                                static_cast<std::uint32_t>(branch.sizes.size())};
      rows_.insert(rows_.end(), branch.clusters.centres.begin(), branch.clusters.centres.end());
      std::size_t begin = branch.begin;
      for (const std::size_t size : branch.sizes) {
        nodes_.push_back({0, 0});
        weights_.push_back(0);
        next.push_back({begin, begin + size, {}});
        begin += size;
      }
    }
    return next;
  }

  Vocabulary finish() {
    std::uint32_t words = 0;
    for (detail::Node& node : nodes_) {
      if (node.count == 0) node.first = words++;
    }
    detail::ImageBuilder builder(shape_, nodes_.size(), words, true);
    std::copy(nodes_.begin(), nodes_.end(), builder.nodes().begin());
    std::memcpy(builder.row(1), rows_.data(), rows_.size());
    std::copy(weights_.begin(), weights_.end(), builder.node_weights().begin());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].count == 0) {
        builder.word_weights()[nodes_[n].first] = static_cast<double>(weights_[n]);
      }
    }
    Vocabulary vocabulary(builder.finish({}));
    const StopWords& stop = options_.stop_words;
    const bool stops = stop.below_weight != 0 || stop.most_frequent != 0;
    return stops ? vocabulary.stopped(stop) : vocabulary;
  }

  DescriptorView descriptors_;
  const TrainOptions& options_;
  detail::Shape shape_;
  std::size_t stride_;
  std::size_t images_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> next_order_;
  std::vector<std::uint32_t> image_of_row_;
  std::vector<detail::Node> nodes_;
  std::vector<std::byte> rows_;
  std::vector<float> weights_;
  std::atomic<std::size_t> done_ = 0;
  std::mutex report_mutex_;
};

}  // namespace

Vocabulary train_vocabulary(DescriptorView descriptors, std::span<const std::size_t> rows_per_image,
                            const TrainOptions& options) {
  check(descriptors, rows_per_image, options);
  return Trainer(descriptors, rows_per_image, options).run();
}

}  // namespace looptree

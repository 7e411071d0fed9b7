// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/learned.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/detail/learned/learned_stages.hpp"
#include "looptree/features/detail/orb_levels.hpp"

namespace looptree {

/// The network, and memory of extractions, one for each that is under way at once.
class LearnedExtractor::Engine {
 public:
  explicit Engine(const detail::Network& net) : net_(net) {}

  const detail::PackedNetwork& network() const { return net_; }
  std::unique_ptr<detail::LearnedStages> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<detail::LearnedStages>();
    auto stages = std::move(free_.back());
    free_.pop_back();
    return stages;
  }
  void give_back(std::unique_ptr<detail::LearnedStages> stages) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(stages));
  }

 private:
  detail::PackedNetwork net_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<detail::LearnedStages>> free_;
};

LearnedExtractor::LearnedExtractor(const LearnedOptions& options)
    : max_features_(options.max_features) {
  detail::check(options);
  engine_ = std::make_unique<Engine>(detail::read_network(options.network));
}

LearnedExtractor::~LearnedExtractor() = default;

Features LearnedExtractor::extract(ImageView image) const {
  detail::check(image);
  auto stages = engine_->take();
  Features features = stages->extract(image, engine_->network(), max_features_);
  engine_->give_back(std::move(stages));
  return features;
}

const std::string& LearnedExtractor::network_name() const {
  return engine_->network().name;
}

}  // namespace looptree

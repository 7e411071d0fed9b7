// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/orb.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "looptree/features/detail/orb/orb_stages.hpp"
#include "looptree/features/detail/orb_levels.hpp"

namespace looptree {

FeatureExtractor::~FeatureExtractor() = default;

/// Memory of extractions, one for each that is under way at once.
class OrbExtractor::Pool {
 public:
  std::unique_ptr<detail::OrbStages> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<detail::OrbStages>();
    auto stages = std::move(free_.back());
    free_.pop_back();
    return stages;
  }
  void give_back(std::unique_ptr<detail::OrbStages> stages) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(stages));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<detail::OrbStages>> free_;
};

OrbExtractor::OrbExtractor(const OrbOptions& options)
    : options_(options), pool_(std::make_unique<Pool>()) {
  detail::check(options);
}

OrbExtractor::~OrbExtractor() = default;

Features OrbExtractor::extract(ImageView image) const {
  detail::check(image);
  auto stages = pool_->take();
  Features features = stages->extract(image, options_);
  pool_->give_back(std::move(stages));
  return features;
}

}  // namespace looptree

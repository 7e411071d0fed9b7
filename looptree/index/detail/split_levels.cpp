// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/split_levels.hpp"

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/split_levels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

// No vectors by hand: the loop is plain enough for the compiler, once it knows the machine.
void SplitLevels(const SplitRequest& request, std::uint32_t* light, std::uint32_t* heavy) {
  const std::size_t size = request.weights.size();
  const FixedWeight* weights = request.weights.data();
  const float* units = request.units.data();
  const double scale = request.scale;
  const double per_step = request.per_step;
  for (std::size_t i = 0; i < size; ++i) {
    // Weights are below 2^31 but for a frame of a single word, and levels far below.
    const double weight = weights[i];
    const double limit = static_cast<double>(units[i]) * scale;
    const bool splits = limit < weight * (1 - kWorthARow);
    const double lighter = splits ? limit : weight;
    // By one too much where it was whole.
    light[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(lighter * per_step) + 1);
    const auto rest = static_cast<std::int32_t>((weight - lighter) * per_step) + 1;
    heavy[i] = splits ? static_cast<std::uint32_t>(rest) : 0u;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(SplitLevels);

void split_levels(const SplitRequest& request, std::uint32_t* light, std::uint32_t* heavy) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(SplitLevels)(request, light, heavy);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE

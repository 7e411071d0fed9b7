// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/learned_stages.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "looptree/common/simd.hpp"
#include "looptree/features/balance.hpp"
#include "looptree/features/detail/learned/conv_row.hpp"
#include "looptree/features/detail/learned/map_blend.hpp"

namespace looptree::detail {
namespace {

/// Behind rows that Shrink writes.
constexpr std::size_t kRowPadding = 64;
/// Keypoints described at once.
constexpr std::size_t kBatch = 64;

/// Adds the time since the last one to a stage, if anybody asked for it. Time of the processor:
/// what others take of it does not count.
class StageClock {
 public:
  explicit StageClock(LearnedTimes* times) : times_(times), last_(times != nullptr ? now() : 0) {}
  void done(double LearnedTimes::*stage) {
    if (times_ == nullptr) return;
    const double time = now();
    times_->*stage += time - last_;
    last_ = time;
  }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  LearnedTimes* times_;
  double last_;
};

/// Four pixels become one.
void halve(const ImageView& from, int width, int height, std::uint8_t* to) {
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* above = from.row(2 * y);
    const std::uint8_t* below = from.row(2 * y + 1);
    for (int x = 0; x < width; ++x, above += 2, below += 2) {
      *to++ = static_cast<std::uint8_t>((above[0] + above[1] + below[0] + below[1] + 2) / 4);
    }
  }
}

/// A layer of 3 x 3 pixels. The map around `from` reads as the layer wants it.
void convolve_3x3(const PackedLayer& layer, int stride, const ActiveMap& from, ActiveMap& to) {
  const int groups = (3 * from.channels() + kGroupInputs - 1) / kGroupInputs;
  ConvRow row{&layer, {}, 3, to.width()};
  for (int y = 0; y < to.height(); ++y) {
    for (int ky = 0; ky < 3; ++ky) {
      row.parts[static_cast<std::size_t>(ky)] = {from.row(stride * y + ky - 1) - from.channels(),
                                                 static_cast<std::size_t>(stride) * from.channels(),
                                                 groups};
    }
    convolve(row, to.row(y));
  }
}

/// A layer of single pixels.
void convolve_1x1(const PackedLayer& layer, const ActiveMap& from, ActiveMap& to) {
  for (int y = 0; y < to.height(); ++y) {
    const auto step = static_cast<std::size_t>(from.channels());
    const ConvPart part{from.row(y), step, from.channels() / kGroupInputs};
    convolve({&layer, {part}, 1, to.width()}, to.row(y));
  }
}

}  // namespace

/// Sizes of everything, where they are not those of the last image.
void LearnedStages::prepare(const ImageView& image, const PackedNetwork& net) {
  if (image.width != image_width_ || image.height != image_height_) {
    image_width_ = image.width;
    image_height_ = image.height;
    geometry_ = learned_geometry(image.width, image.height);
    shrink_.reset();
    const LearnedGeometry& g = geometry_;
    if (g.width != g.halved_width || g.height != g.halved_height) {
      if (g.width != 0) shrink_.emplace(g.halved_width, g.halved_height, g.width, g.height);
    }
  }
  const LearnedGeometry& g = geometry_;
  if (g.width == 0) return;
  const int w = g.padded_width;
  const int h = g.padded_height;
  seen_.resize((static_cast<std::size_t>(w) + kRowPadding) * static_cast<std::size_t>(h));
  input_.prepare(w, h, 1, kInputZero);
  const auto size_map = [&](LayerId id, int cell) {
    maps_[id].prepare(w / cell, h / cell, net[id].out);
  };
  size_map(kA1, 2);
  for (const LayerId id : {kA2, kA3}) size_map(id, 4);
  for (const LayerId id : {kB1, kB2, kF}) size_map(id, 8);
  for (const LayerId id : {kC1, kC2, kCp}) size_map(id, 16);
  for (const LayerId id : {kD1, kD2, kD3, kDp}) size_map(id, 32);
  sum_.prepare(w / 8, h / 8, net[kB2].out);
  hidden_.resize(static_cast<std::size_t>(w / kFineCell) * net[kK1a].out);
  cell_scores_.resize(static_cast<std::size_t>(w / kFineCell) * kCellScores);
  scores_.width = w;
  scores_.height = h;
  scores_.scores.resize(static_cast<std::size_t>(w) * h);
}

/// The image as the network takes it.
void LearnedStages::look(const ImageView& image) {
  const LearnedGeometry& g = geometry_;
  ImageView from = image;
  for (int i = 0; i < g.halvings; ++i) {
    Image smaller(from.width / 2, from.height / 2);
    halve(from, smaller.width, smaller.height, smaller.pixels.data());
    halved_ = std::move(smaller);
    from = halved_;
  }
  const std::size_t stride = static_cast<std::size_t>(g.padded_width) + kRowPadding;
  if (shrink_) {
    (*shrink_)(from, seen_.data(), stride);
  } else {
    for (int y = 0; y < g.height; ++y) {
      std::copy_n(from.row(y), g.width, seen_.data() + static_cast<std::size_t>(y) * stride);
    }
  }
  for (int y = 0; y < g.height; ++y) {
    std::uint8_t* row = seen_.data() + static_cast<std::size_t>(y) * stride;
    std::fill(row + g.width, row + g.padded_width, row[g.width - 1]);
  }
  const std::uint8_t* last = seen_.data() + static_cast<std::size_t>(g.height - 1) * stride;
  for (int y = g.height; y < g.padded_height; ++y) {
    std::copy_n(last, stride, seen_.data() + static_cast<std::size_t>(y) * stride);
  }
  contrast_({seen_.data(), g.padded_width, g.padded_height, stride}, input_.row(0),
            input_.stride());
}

/// Scores of all pixels, and the keypoints that are kept of their peaks.
void LearnedStages::find_keypoints(const PackedNetwork& net, std::size_t max_features) {
  const ActiveMap& a = maps_[kA3];
  const ActiveMap& f = maps_[kF];
  const std::size_t pair = 2 * static_cast<std::size_t>(a.channels());
  const auto depth = static_cast<std::size_t>(f.channels());
  const std::size_t hidden_depth = static_cast<std::size_t>(net[kK1a].out);
  for (int y = 0; y < f.height(); ++y) {
    const int pair_groups = static_cast<int>(pair) / kGroupInputs;
    const ConvRow joined{&net[kK1a],
                         {{{a.row(2 * y), pair, pair_groups},
                           {a.row(2 * y + 1), pair, pair_groups},
                           {f.row(y), depth, f.channels() / kGroupInputs}}},
                         3,
                         f.width()};
    convolve(joined, hidden_.data());
    const ConvPart hidden{hidden_.data(), hidden_depth, net[kK1b].groups};
    convolve({&net[kK1b], {hidden}, 1, f.width()}, cell_scores_.data());
    for (int line = 0; line < kFineCell; ++line) {
      std::int16_t* to =
          scores_.scores.data() + static_cast<std::size_t>(kFineCell * y + line) * scores_.width;
      const std::int16_t* from = cell_scores_.data() + static_cast<std::size_t>(line) * kFineCell;
      for (int x = 0; x < f.width(); ++x, to += kFineCell, from += kCellScores) {
        std::memcpy(to, from, kFineCell * sizeof(*to));
      }
    }
  }
  find_score_peaks(scores_, geometry_, net.threshold, largest_, peaks_);
  chosen_.clear();
  for (const std::size_t i :
       balanced_subset(peaks_, geometry_.width, geometry_.height, max_features)) {
    chosen_.push_back(peaks_[i]);
  }
}

/// Bits of the chosen keypoints, some at a time.
void LearnedStages::describe(const PackedNetwork& net, Features& features) {
  const ActiveMap& f = maps_[kF];
  const auto depth = static_cast<std::size_t>(f.channels());
  samples_.resize(kBatch * depth);
  bits_.resize(kBatch * kLearnedBits);
  std::vector<std::uint8_t>& bytes = features.descriptors.bytes;
  bytes.reserve(chosen_.size() * kLearnedBits / 8);
  for (std::size_t first = 0; first < chosen_.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, chosen_.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Keypoint& point = chosen_[first + i];
      sample(f, grid_place(point.x, f.width()), grid_place(point.y, f.height()),
             samples_.data() + i * depth);
      features.keypoints.push_back(image_keypoint(geometry_, point));
    }
    const ConvPart part{samples_.data(), depth, net[kDesc].groups};
    convolve({&net[kDesc], {part}, 1, static_cast<int>(count)}, bits_.data());
    for (std::size_t i = 0; i < count * kLearnedBits; i += 8) {
      unsigned byte = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) byte |= (bits_[i + bit] != 0 ? 1U : 0U) << bit;
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
  }
}

Features LearnedStages::extract(const ImageView& image, const PackedNetwork& net,
                                std::size_t max_features, LearnedTimes* times) {
  prepare_simd();
  Features features;
  features.width = image.width;
  features.height = image.height;
  StageClock clock(times);
  prepare(image, net);
  if (geometry_.width == 0) return features;
  look(image);
  clock.done(&LearnedTimes::input);

  auto& m = maps_;
  convolve_3x3(net[kA1], 2, input_, m[kA1]);
  convolve_3x3(net[kA2], 2, m[kA1], m[kA2]);
  convolve_3x3(net[kA3], 1, m[kA2], m[kA3]);
  convolve_3x3(net[kB1], 2, m[kA3], m[kB1]);
  convolve_3x3(net[kB2], 1, m[kB1], m[kB2]);
  clock.done(&LearnedTimes::fine);
  convolve_3x3(net[kC1], 2, m[kB2], m[kC1]);
  convolve_3x3(net[kC2], 1, m[kC1], m[kC2]);
  convolve_1x1(net[kCp], m[kC2], m[kCp]);
  convolve_3x3(net[kD1], 2, m[kC2], m[kD1]);
  convolve_3x3(net[kD2], 1, m[kD1], m[kD2]);
  convolve_3x3(net[kD3], 1, m[kD2], m[kD3]);
  convolve_1x1(net[kDp], m[kD3], m[kDp]);
  clock.done(&LearnedTimes::coarse);
  add_scales(m[kB2], m[kCp], m[kDp], sum_, blended_);
  convolve_3x3(net[kF], 1, sum_, m[kF]);
  clock.done(&LearnedTimes::joined);
  find_keypoints(net, max_features);
  clock.done(&LearnedTimes::keypoints);
  describe(net, features);
  clock.done(&LearnedTimes::descriptors);
  return features;
}

std::size_t LearnedStages::memory() const {
  std::size_t bytes = halved_.pixels.capacity() + seen_.capacity() + input_.memory() +
                      sum_.memory() + scores_.scores.capacity() * sizeof(std::int16_t) +
                      (peaks_.capacity() + chosen_.capacity()) * sizeof(Keypoint);
  for (const ActiveMap& map : maps_) bytes += map.memory();
  return bytes;
}

}  // namespace looptree::detail

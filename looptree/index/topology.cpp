// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/topology.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

constexpr std::size_t kMaxDepth = 32;  // two children per node reach 2^31 frames by then
constexpr std::size_t kMaxBranching = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

/// Reads a number after `letter` off the front of `text`; false where there is none.
bool take_number(std::string_view& text, char letter, std::size_t& value) {
  if (text.empty() || text.front() != letter) return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_pooling(std::string_view text, Pooling& pooling) {
  for (const Pooling candidate : {Pooling::mean, Pooling::sum, Pooling::max}) {
    if (text == to_string(candidate)) {
      pooling = candidate;
      return true;
    }
  }
  return false;
}

/// Checks that the groups are 0..n-1 without gaps and returns n.
std::size_t count_groups(const Groups& groups, std::size_t layer) {
  const std::string where = "layer " + std::to_string(layer);
  if (groups.empty()) refuse("expected groups for " + where + ", found none");
  const std::size_t count = std::size_t{*std::max_element(groups.begin(), groups.end())} + 1;
  if (count > groups.size()) {
    refuse("expected at most " + std::to_string(groups.size()) + " groups in " + where +
           ", found group number " + std::to_string(count - 1));
  }
  std::vector<bool> seen(count, false);
  for (const std::uint32_t group : groups) seen[group] = true;
  const auto gap = std::find(seen.begin(), seen.end(), false);
  if (gap != seen.end()) {
    refuse("expected groups without gaps in " + where + ", found group " +
           std::to_string(gap - seen.begin()) + " of " + std::to_string(count) + " empty");
  }
  return count;
}

}  // namespace

std::string_view to_string(Pooling pooling) {
  switch (pooling) {
    case Pooling::mean:
      return "mean";
    case Pooling::sum:
      return "sum";
    case Pooling::max:
      return "max";
  }
  return "unknown";
}

Topology Topology::fixed(std::size_t depth, std::size_t branching, Pooling pooling) {
  if (depth < 1 || depth > kMaxDepth) {
    refuse("expected a depth from 1 to 32 layers, found " + std::to_string(depth));
  }
  Topology topology;
  if (depth == 1) return topology;
  if (branching < 2 || branching > kMaxBranching) {
    refuse("expected a branching from 2 to 1048576 children, found " + std::to_string(branching));
  }
  topology.depth_ = depth;
  topology.branching_ = branching;
  topology.pooling_ = pooling;
  return topology;
}

Topology Topology::grouped(std::vector<Groups> layers, Pooling pooling) {
  if (layers.empty() || layers.size() >= kMaxDepth) {
    refuse("expected groups for 1 to 31 layers, found " + std::to_string(layers.size()));
  }
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::size_t groups = count_groups(layers[layer], layer);
    if (layer + 1 < layers.size() && layers[layer + 1].size() != groups) {
      refuse("expected layer " + std::to_string(layer + 1) + " to place the " +
             std::to_string(groups) + " groups below it, found " +
             std::to_string(layers[layer + 1].size()) + " entries");
    }
  }
  Topology topology;
  topology.pooling_ = pooling;
  topology.groups_ = std::move(layers);
  return topology;
}

Topology Topology::parse(std::string_view name) {
  std::string_view rest = name;
  std::size_t depth = 0;
  std::size_t branching = 0;
  Pooling pooling = Pooling::max;
  if (take_number(rest, 'd', depth)) {
    if (depth == 1 && rest.empty()) return {};
    if (take_number(rest, 'b', branching) && !rest.empty() && rest.front() == '-' &&
        take_pooling(rest.substr(1), pooling)) {
      return fixed(depth, branching, pooling);
    }
  }
  refuse(
      "expected a topology such as d1, d2b16-mean or d3b8-max (layers, branching, and mean, sum "
      "or max), found \"" +
      std::string(name) + "\"");
}

std::string Topology::name() const {
  const std::string suffix = "-" + std::string(to_string(pooling_));
  if (is_grouped()) return "grouped(" + std::to_string(depth()) + ")" + suffix;
  if (depth_ == 1) return "d1";
  return "d" + std::to_string(depth_) + "b" + std::to_string(branching_) + suffix;
}

std::size_t Topology::depth() const noexcept {
  return is_grouped() ? groups_.size() + 1 : depth_;
}

}  // namespace looptree

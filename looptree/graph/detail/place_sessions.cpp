// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/detail/place_sessions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

/// Closures looked at per session: enough for a vote, and a vote costs their square.
constexpr std::size_t kVoters = 200;

/// Sets of vertices that edges join.
class Islands {
 public:
  explicit Islands(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t vertex) {
    while (parent_[vertex] != vertex) {
      parent_[vertex] = parent_[parent_[vertex]];
      vertex = parent_[vertex];
    }
    return vertex;
  }
  void join(const std::vector<PoseEdge>& edges) {
    for (const PoseEdge& edge : edges) parent_[find(edge.source)] = find(edge.target);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// What one closure says about where a session belongs.
struct Vote {
  Pose moved_from_session;  ///< how to move the whole session
  Pose vertex;              ///< the closure's end in the session, before
};

/// The votes on every session that is not placed but has closures with one that is.
std::map<std::uint32_t, std::vector<Vote>> collect(const PoseGraph& graph,
                                                   const std::vector<Pose>& poses,
                                                   const std::set<std::uint32_t>& placed) {
  std::map<std::uint32_t, std::vector<Vote>> votes;
  for (const PoseEdge& edge : graph.closures) {
    const std::uint32_t target = graph.vertices[edge.target].session;
    const std::uint32_t source = graph.vertices[edge.source].session;
    if (placed.contains(target) == placed.contains(source)) continue;
    if (placed.contains(target)) {
      const Pose wanted = compose(poses[edge.target], edge.target_from_source);
      votes[source].push_back({compose(wanted, inverse(poses[edge.source])), poses[edge.source]});
    } else {
      const Pose wanted = compose(poses[edge.source], inverse(edge.target_from_source));
      votes[target].push_back({compose(wanted, inverse(poses[edge.target])), poses[edge.target]});
    }
  }
  return votes;
}

std::vector<Vote> thinned(const std::vector<Vote>& votes) {
  const std::size_t step = (votes.size() + kVoters - 1) / kVoters;
  std::vector<Vote> some;
  for (std::size_t i = 0; i < votes.size(); i += step) some.push_back(votes[i]);
  return some;
}

/// The vote from which half of the others differ least.
Pose elected(const std::vector<Vote>& all) {
  const std::vector<Vote> votes = thinned(all);
  double best = std::numeric_limits<double>::infinity();
  Pose result = votes.front().moved_from_session;
  std::vector<double> apart(votes.size());
  for (const Vote& candidate : votes) {
    for (std::size_t i = 0; i < votes.size(); ++i) {
      apart[i] = distance(compose(candidate.moved_from_session, votes[i].vertex),
                          compose(votes[i].moved_from_session, votes[i].vertex));
    }
    const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
    std::nth_element(apart.begin(), middle, apart.end());
    if (*middle < best) {
      best = *middle;
      result = candidate.moved_from_session;
    }
  }
  return result;
}

}  // namespace

void require_connected(const PoseGraph& graph) {
  Islands islands(graph.vertices.size());
  islands.join(graph.odometry);
  islands.join(graph.closures);
  for (std::size_t i = 1; i < graph.vertices.size(); ++i) {
    if (islands.find(i) == islands.find(0)) continue;
    throw Error(ErrorKind::invalid_argument,
                "expected edges that join every vertex with the first, found that vertex " +
                    std::to_string(graph.vertices[i].id) + " of session " +
                    std::to_string(graph.vertices[i].session) +
                    " is apart: leave it out, or add a closure with it");
  }
}

std::vector<Pose> place_sessions(const PoseGraph& graph) {
  std::vector<Pose> poses;
  for (const PoseVertex& vertex : graph.vertices) poses.push_back(vertex.pose);
  std::set<std::uint32_t> placed{graph.vertices.front().session};
  for (;;) {
    const auto votes = collect(graph, poses, placed);
    if (votes.empty()) return poses;
    // The session with the most closures is placed best; those after it may lean on it.
    const auto most = std::max_element(
        votes.begin(), votes.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const Pose moved_from_session = elected(most->second);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (graph.vertices[i].session != most->first) continue;
      poses[i] = compose(moved_from_session, poses[i]);
    }
    placed.insert(most->first);
  }
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <pybind11/functional.h>

#include "looptree/index/query.hpp"

#include "python/src/bind.hpp"

namespace looptree::python {

/// The keywords of query() and query_batch(), of indices and maps alike, in this order.
struct QueryArguments {
  std::optional<std::size_t> top_k;
  double threshold;
  double slack;
  std::optional<std::size_t> beam;
  std::uint32_t exclude_recent;
  std::uint32_t first;
  std::optional<std::uint32_t> last;
  std::optional<std::vector<std::uint32_t>> sessions;
  std::function<bool(std::uint32_t)> accept;
  std::size_t threads;
};
QueryOptions options_of(const QueryArguments& arguments);

/// A frame as `in` is asked about it: nothing where the object is no id at all.
std::optional<FrameId> frame_id(const py::object& object);

/// Defines `name(histogram, *, top_k=10, ...)` by `work(self, histogram, options)`. Argument is a
/// histogram or a list of them; `threads` is the default of that keyword.
template <typename Argument, typename Class, typename Work>
void def_query(Class& type, const char* name, const char* argument, std::size_t threads,
               const char* doc, Work work) {
  using Self = typename Class::type;
  type.def(
      name,
      [work](Self& self, const Argument& histogram, std::optional<std::size_t> top_k,
             double threshold, double slack, std::optional<std::size_t> beam,
             std::uint32_t exclude_recent, std::uint32_t first, std::optional<std::uint32_t> last,
             std::optional<std::vector<std::uint32_t>> sessions,
             std::function<bool(std::uint32_t)> accept, std::size_t thread_count) {
        const QueryOptions options =
            options_of({top_k, threshold, slack, beam, exclude_recent, first, last,
                        std::move(sessions), std::move(accept), thread_count});
        const Unlocked free;
        return work(self, histogram, options);
      },
      py::arg(argument), py::kw_only(), py::arg("top_k") = 10, py::arg("threshold") = 0.0,
      py::arg("slack") = 1.0, py::arg("beam") = py::none(), py::arg("exclude_recent") = 0,
      py::arg("first") = 0, py::arg("last") = py::none(), py::arg("sessions") = py::none(),
      py::arg("accept") = py::none(), py::arg("threads") = threads, doc);
}

inline constexpr auto kQueryDoc = R"(The frames that match, best first.

top_k: at most so many, None for all. threshold: only frames that score at least this, in [0, 1].
slack, in [0, 1]: mean pooling searches below a node that reaches slack * threshold. beam: retrieval
mode, below the `beam` best nodes of each layer only. The rest filters inside the search, before the
cut to top_k: exclude_recent leaves out the newest ids; first <= id < last; sessions, a list of
their numbers; accept(frame) -> bool, asked about frames that would otherwise be returned, which
must not call into the index. threads: for this one query, 0 for all of the machine.)";
inline constexpr auto kBatchDoc =
    "One result per histogram, all against the same state, on `threads` threads (0: all). Keywords "
    "as in query().";

}  // namespace looptree::python

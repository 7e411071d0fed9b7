// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// looptree._core: the library as Python sees it. python/looptree/__init__.py gives it its names.
#include "looptree/version.hpp"

#include "python/src/bind.hpp"

PYBIND11_MODULE(_core, m) {
  using namespace looptree::python;
  m.doc() = "The compiled part of looptree; import looptree instead.";
  // Classes say where users find them, not where they are compiled.
  const pybind11::object own_name = m.attr("__name__");
  m.attr("__name__") = "looptree";
  m.attr("__version__") = LOOPTREE_VERSION;
  bind_errors(m);
  bind_common(m);
  bind_features(m);
  bind_histogram(m);
  bind_vocabulary(m);
  bind_topology(m);
  bind_query(m);
  bind_index(m);
  bind_evaluate(m);
  bind_words(m);
  bind_candidates(m);
#ifdef LOOPTREE_WITH_STORE
  bind_map_types(m);
  bind_map(m);
#endif
#ifdef LOOPTREE_WITH_VISION
  bind_metric(m);
  bind_detect(m);
  bind_dataset(m);
#endif
#if defined(LOOPTREE_WITH_STORE) && defined(LOOPTREE_WITH_VISION)
  bind_pairs(m);
#endif
  m.attr("__name__") = own_name;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/protocols/synthetic_queries.hpp"
#include "looptree/histogram/histogram.hpp"

#include "cli/eval/eval_input.hpp"

namespace looptree::cli {

/// Where the queries of the synthetic protocols come from, by the names of inputs. Several are
/// joined into one.
struct QuerySources {
  std::vector<std::string> right;     ///< a second camera; none: the Oxford rule
  std::vector<std::string> negative;  ///< other sequences
};

/// A database with its queries.
struct Database {
  std::vector<Histogram> frames;
  std::vector<Pose> poses;  ///< one per frame, or none
  evaluate::SyntheticQueries queries;
};

/// With a second camera all frames are the database and its images the positive queries; else odd
/// frames are the database and even ones the queries. An answer is right by the input's truth, or,
/// where the truth is a table of loops or there is none, if it is a neighbour of the query in the
/// sequence: positive queries have a right answer by the way they are made. Throws
/// Error(invalid_argument) unless there is one image of the second camera per frame.
Database make_database(const Input& input, const QuerySources& sources, const TruthOptions& truth);

}  // namespace looptree::cli

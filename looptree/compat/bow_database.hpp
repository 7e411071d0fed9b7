// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <ostream>

#include "looptree/compat/bow.hpp"
#include "looptree/compat/bow_vocabulary.hpp"
#include "looptree/export.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree::compat {

/// An image database with DBoW2's methods over looptree's index: same ids, same matches, same
/// order, scores within 1e-6 (they are multiples of 2^-31). Only the L1 score: a vocabulary with
/// another is refused with Error(unsupported). docs/compat.md lists the quirks that are kept.
///
/// Queries run concurrently with each other and with one add() at a time. Copying copies every
/// entry.
class LOOPTREE_EXPORT BowDatabase {
 public:
  BowDatabase(bool use_di, int di_levels);
  ~BowDatabase();
  BowDatabase(const BowDatabase& other);
  BowDatabase& operator=(const BowDatabase& other);
  BowDatabase(BowDatabase&&) noexcept;
  BowDatabase& operator=(BowDatabase&&) noexcept;

  /// Takes the vocabulary's words and clears the database.
  void reset(const BowVocabulary& vocabulary, bool use_di, int di_levels);

  /// Adds an image and returns its id, 0, 1, 2, ... An empty vector gets an id, too, and is never
  /// found. Throws Error(invalid_argument) for one that is not L1-normalised, which DBoW2 takes
  /// and scores wrongly.
  EntryId add(const BowVector& vec, const FeatureVector& fec = FeatureVector());
  void clear();
  unsigned int size() const;
  /// Nothing to do here; the index grows as it needs.
  void allocate(int nd = 0, int ni = 0) {
    static_cast<void>(nd);
    static_cast<void>(ni);
  }
  bool usingDirectIndex() const;
  int getDirectIndexLevels() const;

  /// The images with most in common, best first: at most `max_results` (all, if 0 or less) with
  /// Id < max_id (all, if -1). DBoW2's documentation says Id <= max_id; this is what it does. A
  /// max_id below -1, with which it finds nothing at all, is refused with Error(invalid_argument).
  void query(const BowVector& vec, QueryResults& ret, int max_results = 1, int max_id = -1) const;

  /// The features that add() stored. Throws Error(invalid_argument) without a direct index, or for
  /// an id that was not given.
  const FeatureVector& retrieveFeatures(EntryId id) const;

  /// The index below, for everything that DBoW2 cannot do; its frames are the entries, less the
  /// empty ones. Throws if there is no vocabulary yet.
  const PooledIndex& index() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

LOOPTREE_EXPORT std::ostream& operator<<(std::ostream& out, const BowDatabase& database);

}  // namespace looptree::compat

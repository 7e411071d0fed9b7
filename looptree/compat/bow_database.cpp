// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/compat/bow_database.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/index/index_options.hpp"

namespace looptree::compat {

struct BowDatabase::Impl {
  bool use_di = false;
  int di_levels = 0;
  std::optional<PooledIndex> index;     // none without a vocabulary
  mutable std::shared_mutex mutex;      // guards all below
  std::deque<FeatureVector> features;   // a deque: references to entries stay good
  std::vector<EntryId> entry_of_frame;  // ascending; entries without words have no frame
  unsigned int entries = 0;

  void forget() {
    features.clear();
    entry_of_frame.clear();
    entries = 0;
  }

  const PooledIndex& words() const {
    require(index.has_value(), ErrorKind::invalid_argument,
            "expected a database with a vocabulary, found none; call setVocabulary() first");
    return *index;
  }
};

BowDatabase::BowDatabase(bool use_di, int di_levels) : impl_(std::make_unique<Impl>()) {
  impl_->use_di = use_di;
  impl_->di_levels = di_levels;
}
BowDatabase::~BowDatabase() = default;
BowDatabase::BowDatabase(BowDatabase&&) noexcept = default;
BowDatabase& BowDatabase::operator=(BowDatabase&&) noexcept = default;

BowDatabase::BowDatabase(const BowDatabase& other) : impl_(std::make_unique<Impl>()) {
  const std::shared_lock lock(other.impl_->mutex);
  impl_->use_di = other.impl_->use_di;
  impl_->di_levels = other.impl_->di_levels;
  impl_->features = other.impl_->features;
  impl_->entry_of_frame = other.impl_->entry_of_frame;
  impl_->entries = other.impl_->entries;
  if (!other.impl_->index) return;
  impl_->index.emplace(other.impl_->index->options());
  for (std::uint32_t frame = 0; frame < impl_->entry_of_frame.size(); ++frame) {
    impl_->index->insert(*other.impl_->index->histogram(FrameId{frame}));
  }
}

BowDatabase& BowDatabase::operator=(const BowDatabase& other) {
  if (this != &other) *this = BowDatabase(other);
  return *this;
}

void BowDatabase::reset(const BowVocabulary& vocabulary, bool use_di, int di_levels) {
  if (vocabulary.getScoringType() != L1_NORM) {
    throw Error(ErrorKind::unsupported,
                "expected a vocabulary that scores by L1, the only score of this database, found " +
                    std::string(to_string(static_cast<Score>(vocabulary.getScoringType()))) +
                    "; setScoringType(L1_NORM) changes it");
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->index.emplace(index_options(vocabulary.vocabulary()));
  impl_->use_di = use_di;
  impl_->di_levels = di_levels;
  impl_->forget();
}

EntryId BowDatabase::add(const BowVector& vec, const FeatureVector& fec) {
  impl_->words();
  const Histogram histogram = to_histogram(vec);
  const std::lock_guard lock(impl_->mutex);
  if (!histogram.empty()) {
    impl_->index->insert(histogram);
    impl_->entry_of_frame.push_back(impl_->entries);
  }
  if (impl_->use_di) impl_->features.push_back(fec);
  return impl_->entries++;
}

void BowDatabase::clear() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->index) impl_->index->clear();
  impl_->forget();
}

unsigned int BowDatabase::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->entries;
}

bool BowDatabase::usingDirectIndex() const {
  return impl_->use_di;
}

int BowDatabase::getDirectIndexLevels() const {
  return impl_->di_levels;
}

void BowDatabase::query(const BowVector& vec, QueryResults& ret, int max_results,
                        int max_id) const {
  ret.clear();
  if (max_id < -1) {
    throw Error(ErrorKind::invalid_argument,
                "expected max_id of at least 0, or -1 for all, found " + std::to_string(max_id));
  }
  const PooledIndex& index = impl_->words();
  const Histogram histogram = to_histogram(vec);
  if (histogram.empty()) return;
  const std::shared_lock lock(impl_->mutex);
  const std::vector<EntryId>& entries = impl_->entry_of_frame;
  QueryOptions options;
  options.top_k =
      max_results <= 0 ? QueryOptions::kUnlimited : static_cast<std::size_t>(max_results);
  if (max_id >= 0) {
    const auto end = std::lower_bound(entries.begin(), entries.end(), static_cast<EntryId>(max_id));
    options.filter.last = FrameId{static_cast<std::uint32_t>(end - entries.begin())};
  }
  for (const Match& match : index.query(histogram, options).matches) {
    ret.emplace_back(entries[match.frame.value], match.score);
  }
}

const FeatureVector& BowDatabase::retrieveFeatures(EntryId id) const {
  const std::shared_lock lock(impl_->mutex);
  if (id >= impl_->features.size()) {
    throw Error(ErrorKind::invalid_argument,
                impl_->use_di
                    ? "expected an entry below " + std::to_string(impl_->features.size()) +
                          ", found " + std::to_string(id)
                    : std::string("expected a database with a direct index, found one "
                                  "made without (use_di)"));
  }
  return impl_->features[id];
}

const PooledIndex& BowDatabase::index() const {
  return impl_->words();
}

std::ostream& operator<<(std::ostream& out, const BowDatabase& database) {
  out << "Database: Entries = " << database.size()
      << ", Using direct index = " << (database.usingDirectIndex() ? "yes" : "no");
  if (database.usingDirectIndex()) {
    out << ", Direct index levels = " << database.getDirectIndexLevels();
  }
  return out;
}

}  // namespace looptree::compat

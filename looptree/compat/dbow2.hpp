// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/compat/bow_features.hpp"
#include "looptree/compat/descriptor_classes.hpp"

/// DBoW2's interface over looptree. Include this instead of DBoW2/DBoW2.h and say
/// `namespace DBoW2 = looptree::dbow2;` (or change the name), and code written for DBoW2's database
/// compiles and gives its answers. What DBoW2 has and this has not is not declared, so that the
/// compiler says so; docs/compat.md lists it, with the quirks.
namespace looptree::dbow2 {

using namespace compat::names;  // NOLINT(google-build-using-namespace): they are ours here too
using compat::FBrief;
using compat::FBytes;
using compat::FFloat;
using compat::FORB;
using compat::FSurf64;
using compat::L1;
using compat::L2;
using compat::LNorm;

/// The descriptors of an image are a vector of `TDescriptor`, which `F` knows how to lay end to
/// end.
template <class TDescriptor, class F>
struct DescriptorRows {
  static std::size_t append(const TDescriptor& feature, Descriptors& rows) {
    F::append(feature, rows);
    return 1;
  }
  static std::size_t append(const std::vector<TDescriptor>& features, Descriptors& rows) {
    for (const TDescriptor& feature : features) F::append(feature, rows);
    return features.size();
  }
};

template <class TDescriptor, class F>
class TemplatedVocabulary : public compat::FeatureVocabulary<DescriptorRows<TDescriptor, F>> {
  using compat::FeatureVocabulary<DescriptorRows<TDescriptor, F>>::FeatureVocabulary;
};

template <class TDescriptor, class F>
class TemplatedDatabase : public compat::FeatureDatabase<DescriptorRows<TDescriptor, F>,
                                                         TemplatedVocabulary<TDescriptor, F>> {
  using compat::FeatureDatabase<DescriptorRows<TDescriptor, F>,
                                TemplatedVocabulary<TDescriptor, F>>::FeatureDatabase;
};

typedef TemplatedVocabulary<FORB::TDescriptor, FORB> OrbVocabulary;
typedef TemplatedDatabase<FORB::TDescriptor, FORB> OrbDatabase;
typedef TemplatedVocabulary<FBrief::TDescriptor, FBrief> BriefVocabulary;
typedef TemplatedDatabase<FBrief::TDescriptor, FBrief> BriefDatabase;
typedef TemplatedVocabulary<FSurf64::TDescriptor, FSurf64> Surf64Vocabulary;
typedef TemplatedDatabase<FSurf64::TDescriptor, FSurf64> Surf64Database;

}  // namespace looptree::dbow2

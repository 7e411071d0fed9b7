// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/vocabulary/detail/formats/assemble.hpp"
#include "looptree/vocabulary/detail/formats/reader.hpp"
#include "looptree/vocabulary/detail/formats/writer.hpp"
#include "looptree/vocabulary/detail/image.hpp"

// One reader per family of files, and a writer where the format can be written. Readers stream:
// they allocate as data arrives, never because a header says so. They throw Error(corruption) or
// Error(unsupported).
namespace looptree::detail {

RawTree read_orbslam_text(Reader& reader);
RawTree read_yaml(Reader& reader);
RawTree read_dbow3_binary(Reader& reader);
RawTree read_openvslam_binary(Reader& reader);
RawTree read_vins_binary(Reader& reader);
RawTree read_fbow(Reader& reader);

inline constexpr std::uint64_t kDbow3Magic = 88877711233ULL;
inline constexpr std::uint64_t kFbowMagic = 55824124ULL;

void write_orbslam_text(const VocabularyImage& image, Writer& writer);
void write_openvslam_binary(const VocabularyImage& image, Writer& writer);
void write_dbow3_binary(const VocabularyImage& image, Writer& writer);
/// `format` is one of the three YAML ones.
void write_yaml(const VocabularyImage& image, VocabularyFormat format, Writer& writer);

/// What every writer needs of a node: its parent, and its weight as files have it.
std::vector<std::uint32_t> parents_of(const VocabularyImage& image);
double weight_of(const VocabularyImage& image, std::uint32_t node);

/// The nodes, without the root, in an order in which every parent precedes its children, siblings
/// keep their order, and leaves come in the order of their words: what formats need that number
/// words as they meet them. Throws Error(unsupported) if there is none.
std::vector<std::uint32_t> order_by_word(const VocabularyImage& image, VocabularyFormat format);

/// Throws Error(unsupported) if leaves share words, which only our own format can express.
void require_unshared_words(const VocabularyImage& image, VocabularyFormat format);
/// Throws Error(unsupported) unless descriptors are binary.
void require_binary(const VocabularyImage& image, VocabularyFormat format);

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/ids.hpp"
#include "looptree/common/progress.hpp"
#include "looptree/common/weighting.hpp"
#include "looptree/export.hpp"

namespace looptree {

namespace detail {
struct VocabularyImage;
}  // namespace detail

/// The files a vocabulary can come from or go to. docs/vocabulary.md says who writes which.
enum class VocabularyFormat {
  looptree,          ///< our own: memory-mapped and used in place
  orbslam_text,      ///< ORBvoc.txt
  dbow2_yaml,        ///< descriptors as decimal numbers: ORB, SURF
  dbow2_brief_yaml,  ///< descriptors as strings of bits
  dbow3_yaml,
  dbow3_binary,
  openvslam_binary,  ///< .dbow2
  vins_binary,       ///< read only
  fbow,              ///< read only
};

/// The name the command line and messages use: "looptree", "orbslam-text", "dbow2-yaml", ...
LOOPTREE_EXPORT std::string_view to_string(VocabularyFormat format);

/// The format of that name, or nothing.
LOOPTREE_EXPORT std::optional<VocabularyFormat> vocabulary_format(std::string_view name);

/// Words, weights and nodes of a batch of descriptors, one of each per row.
struct Quantized {
  std::vector<WordId> words;
  std::vector<double> weights;       ///< the word's weight; 0 for a stopped word
  std::vector<std::uint32_t> nodes;  ///< the node some levels above the word, see quantize()
};

/// Which words to leave out of histograms because they say little. Both criteria apply.
struct StopWords {
  double below_weight = 0;   ///< words lighter than this
  double most_frequent = 0;  ///< this share of the words, those of least weight; in [0, 1]
};

/// Where a vocabulary came from, and what reading it changed.
struct VocabularyOrigin {
  std::optional<VocabularyFormat> format;  ///< none: trained, cut or changed in this process
  /// The word ids of the file, one for each of ours, if theirs were not dense and had to be
  /// renumbered; ascending. Empty if the ids are the file's own.
  std::vector<std::uint32_t> word_ids;
};

struct LoadOptions {
  /// Verify the checksums of our own format. Without, a damaged descriptor goes unnoticed, but
  /// opening a file that is not in memory does not read it through.
  bool verify = true;
  ProgressCallback progress = {};  ///< counts bytes of the file
};

/// A tree of descriptors that turns descriptors into words.
///
/// Immutable, and cheap to copy: copies share one block of memory, or one mapped file. Every method
/// may be called from any number of threads at once.
///
/// A descriptor starts at the root and moves to the nearest child until it reaches a leaf, its
/// word. Of children at the same distance the first wins, as in DBoW2, DBoW3 and FBoW, so their
/// words are ours. Distances: Hamming for binary descriptors; for real ones the squared Euclidean
/// distance in single precision, summed in a fixed order, so that it is the same on every machine.
/// DBoW3 sums in double precision and FBoW in another order, which can decide a tie within rounding
/// otherwise; and some of DBoW3's functions cut the distance to a whole number first, which makes
/// them useless for short descriptors and is not imitated. A NaN in a tree never wins.
class LOOPTREE_EXPORT Vocabulary {
 public:
  /// Reads a file of any format in VocabularyFormat, recognised by its content; text and YAML also
  /// inside gzip, tar and tar.gz. Our own format is mapped, not read. Throws Error: not_found, io,
  /// corruption (with the place in the file), or unsupported (with how to convert the file).
  /// Cost: the time to parse; peak memory below twice the result.
  static Vocabulary load(const std::filesystem::path& path, const LoadOptions& options = {});

  /// The same from memory. Nothing refers to `bytes` afterwards.
  static Vocabulary from_bytes(std::span<const std::byte> bytes, const LoadOptions& options = {});

  /// Writes the file, or replaces it as a whole; text and YAML are compressed if the name ends in
  /// ".gz". Reading it back gives this vocabulary again: the same words, weights and hash, except
  /// that openvslam_binary rounds weights to single precision. Throws Error(unsupported) if the
  /// format cannot hold it: descriptors of another type, leaves that share a word, words that the
  /// format would number otherwise. Throws Error(io), and Error(cancelled) on request; then no
  /// file is left behind.
  void save(const std::filesystem::path& path, VocabularyFormat format = VocabularyFormat::looptree,
            const ProgressCallback& progress = {}) const;

  /// The number of words.
  std::uint32_t size() const noexcept;
  /// The most children a node was meant to have (k), and the most levels below the root (L).
  std::size_t branching() const noexcept;
  std::size_t depth() const noexcept;
  DescriptorType descriptor_type() const noexcept;
  /// Bytes or floats of a descriptor.
  std::size_t descriptor_width() const noexcept;
  /// How histograms made of its words are meant to be weighted and compared.
  Weighting weighting() const noexcept;
  Score scoring() const noexcept;
  /// One weight >= 0 per word, in general the inverse document frequency; 0 for a stopped word.
  /// A view, valid as long as this vocabulary or a copy of it.
  std::span<const double> word_weights() const& noexcept;
  std::span<const double> word_weights() && = delete;  // it would outlive what it points to

  /// The word of each row. Throws Error(invalid_argument) if the rows are of another type or
  /// width, or not finite. On one thread; cost: branching x levels distances per row.
  std::vector<WordId> words(DescriptorView descriptors) const;

  /// Words with their weights and the node each descriptor passes `levels_up` levels above the
  /// deepest level, depth(): what a direct index groups features by. 0 asks for the leaf, depth()
  /// or more for the root, which is node 0; a leaf that lies higher than that level stands for
  /// itself. Node numbers are below node_count(), level by level, and looptree's own: a file's
  /// node numbers are not kept. Throws and costs as words().
  Quantized quantize(DescriptorView descriptors, std::size_t levels_up = 0) const;

  /// The same tree with the nodes of `level` as words: a tree of a million words, cut at level 4,
  /// has ten thousand. Leaves above that level stay words. Words are numbered anew, level by
  /// level. Their weights are exact if the vocabulary was trained here; other files do not tell
  /// in how many images an inner node occurred, so that is estimated as if its words occurred
  /// independently. Throws Error(invalid_argument) for level 0. Cost: a copy of what remains.
  Vocabulary cut(std::size_t level) const;

  /// The same with more words stopped: their weight becomes 0. Throws Error(invalid_argument) for
  /// a criterion out of range, or `most_frequent` where weights do not tell frequencies (tf,
  /// binary). Cost: a copy.
  Vocabulary stopped(const StopWords& stop) const;

  /// Equal for vocabularies that give the same answers: tree, descriptors, words, weights,
  /// weighting and scoring. Constant time.
  std::uint64_t content_hash() const noexcept;

  /// Nodes of the tree, root included.
  std::size_t node_count() const noexcept;
  /// Leaves by level, root first; their sum exceeds size() if leaves share words.
  std::vector<std::size_t> leaves_by_level() const;
  /// Bytes in memory, or of the mapped file.
  std::size_t memory_bytes() const noexcept;
  const VocabularyOrigin& origin() const noexcept;

  explicit Vocabulary(std::shared_ptr<const detail::VocabularyImage> image);

 private:
  std::shared_ptr<const detail::VocabularyImage> image_;
};

/// What one occurrence of each word weighs in the vocabulary's histograms before normalisation, as
/// IndexOptions::word_weights wants it: the idf, or nothing where the weighting knows none.
LOOPTREE_EXPORT std::vector<double> occurrence_weights(const Vocabulary& vocabulary);

}  // namespace looptree

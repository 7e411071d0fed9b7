// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// A sequence reduced to the words of its images, and what is known of them: enough to repeat every
/// experiment with an index, without images, features or the vocabulary.
struct WordSequence {
  std::uint32_t vocabulary_size = 0;
  /// One weight per word; empty: take inverse_document_frequency() of these frames.
  std::vector<float> word_weights;
  /// The words of each frame, in any order, repeated as they occur.
  std::vector<std::vector<WordId>> frames;
  std::vector<Pose> poses;            ///< one per frame, or none at all
  std::vector<std::uint32_t> labels;  ///< likewise
  /// Likewise, for datasets that give loops as a table: the frames that show the same place, by
  /// number, earlier or later.
  std::vector<std::vector<std::uint32_t>> loops;

  friend bool operator==(const WordSequence&, const WordSequence&) = default;
};

/// Reads a sequence of words; docs/formats/words.md describes the file, which is text:
///   looptree-words 1
///   vocabulary 10000
///   idf 5.21 0.33 ...          one weight per word; may be left out
///   frame 17 204 204 9x3 ...   one line per image; 9x3 is word 9 three times
///   pose r11 r12 r13 t1 ...    of the frame before: 3x4, row by row, world from camera
///   label 12                   of the frame before
///   loops 3 4 5                frames of the same place as the frame before
/// Empty lines and those that start with # say nothing. Throws Error(not_found) if there is no such
/// file, Error(corruption) with the line for anything else in it, and Error(unsupported) for
/// another version.
LOOPTREE_EXPORT WordSequence read_words(const std::filesystem::path& path);

/// Writes what read_words() reads, numbers in full. Throws Error(io) if that fails.
LOOPTREE_EXPORT void write_words(const std::filesystem::path& path, const WordSequence& sequence);

/// ln(frames / frames with the word) for every word; ln(frames) where no frame has it.
LOOPTREE_EXPORT std::vector<float> inverse_document_frequency(const WordSequence& sequence);

/// The tf-idf histogram of every frame, L1-normalised; empty for an image without words. Throws
/// Error(invalid_argument) where weights or words do not fit the vocabulary.
LOOPTREE_EXPORT std::vector<Histogram> make_histograms(const WordSequence& sequence);

}  // namespace looptree

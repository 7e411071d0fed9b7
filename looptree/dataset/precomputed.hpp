// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/common/ids.hpp"
#include "looptree/common/progress.hpp"
#include "looptree/dataset/word_file.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// Features that retrieval datasets hand out beside, or instead of, their images.
///
/// All readers throw Error(not_found) if there is no such file and Error(corruption) if it is cut
/// short or contradicts itself.

/// ukbench's visual words: text, one image per line, a header up to the colon and then word
/// numbers. Lines follow the numbers of the images, so four in a row show one object: labels are
/// line / 4. The vocabulary is as large as its highest word asks for.
LOOPTREE_EXPORT WordSequence read_ukbench_words(const std::filesystem::path& path);

/// Holidays' descriptors of one image, .siftgeo: per keypoint 9 little-endian floats of geometry, a
/// 32-bit dimension, and as many bytes, which come back as floats.
LOOPTREE_EXPORT Descriptors read_siftgeo(const std::filesystem::path& path);

/// Vectors in INRIA's .fvecs: each a 32-bit dimension and as many little-endian floats. The words
/// of Holidays' vocabularies are such vectors.
LOOPTREE_EXPORT Descriptors read_fvecs(const std::filesystem::path& path);

/// The nearest centre of each descriptor, by Euclidean distance, ties to the lower one. Exact, by
/// comparing with every centre. Throws Error(invalid_argument) unless both are float and equally
/// wide.
LOOPTREE_EXPORT std::vector<WordId> nearest_words(const DescriptorView& descriptors,
                                                  const DescriptorView& centres);

/// Every .siftgeo file of a folder, in the order of their names, quantised with the centres of a
/// .fvecs file. Names are Holidays': NNNNNN.siftgeo, of which all but the last two digits name the
/// scene, which becomes the label. Throws Error(not_found) for a folder without any.
LOOPTREE_EXPORT WordSequence read_holidays_features(const std::filesystem::path& folder,
                                                    const std::filesystem::path& vocabulary,
                                                    const ProgressCallback& progress = nullptr);

}  // namespace looptree

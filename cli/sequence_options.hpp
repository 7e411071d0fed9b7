// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "looptree/dataset/open.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vocabulary/descriptor_file.hpp"

namespace looptree::cli {

/// Features, and whether the user named them; see fit_features().
struct ExtractorChoice : ExtractorOptions {
  bool is_given = false;
};

/// Which images to read, and what to extract from them: what every command on sequences shares.
struct SequenceOptions {
  std::string path;
  OpenOptions open;
  ExtractorChoice extractor;
};

/// Adds --dataset, --camera, --features, --network, --max-features and --fast-threshold.
void add_sequence_options(CLI::App& command, SequenceOptions& options);

/// Of these the last four, for commands on single images.
void add_extractor_options(CLI::App& command, ExtractorChoice& options);

/// Descriptors of a sequence, of at most `max_images` frames evenly drawn from it, to train on.
/// Images that cannot be read are left out.
ImageDescriptors extract_descriptors(Sequence& sequence, const FeatureExtractor& extractor,
                                     std::size_t max_images);

}  // namespace looptree::cli

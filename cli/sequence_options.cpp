// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/sequence_options.hpp"

#include <algorithm>
#include <map>

#include "looptree/dataset/feature_stream.hpp"

#include "cli/progress_bar.hpp"

namespace looptree::cli {

void add_sequence_options(CLI::App& command, SequenceOptions& options) {
  std::string formats;
  for (const std::string_view name : sequence_formats()) {
    formats += (formats.empty() ? "" : ", ") + std::string(name);
  }
  command.add_option("--dataset", options.open.format,
                     "The dataset's layout; without, found by looking. One of " + formats);
  command
      .add_option("--camera", options.open.camera,
                  "left (default), right, or both where interleaved")
      ->transform(CLI::CheckedTransformer(std::map<std::string, CameraSide>{
          {"left", CameraSide::left}, {"right", CameraSide::right}, {"both", CameraSide::both}}))
      ->option_text("SIDE");
  command.add_option("--topic", options.open.topic,
                     "The topic with the images, of a bag with several");
  add_extractor_options(command, options.extractor);
}

void add_extractor_options(CLI::App& command, ExtractorChoice& options) {
  command
      .add_option_function<std::string>(
          "--features",
          [&options](const std::string& name) {
            try {
              set_features(options, name);
              options.is_given = true;
            } catch (const Error& error) {
              throw CLI::ValidationError("--features", error.what());  // a mistake of usage
            }
          },
          "learned, orb, cv-orb, brief, akaze, sift, or a network of your own, MODEL.onnx. "
          "Default: those that the map's or the box's vocabulary is for, which are learned if "
          "there is none yet; orb with a vocabulary of your own")
      ->type_name("KIND");
  command
      .add_option("--network", options.network,
                  "Weights for learned features; without, those in the box")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command.add_option("--max-features", options.max_features, "Keypoints per image, at most")
      ->capture_default_str();
  command
      .add_option("--fast-threshold", options.fast_threshold,
                  "Contrast of a corner, in grey levels; orb and brief")
      ->capture_default_str();
}

ImageDescriptors extract_descriptors(Sequence& sequence, const FeatureExtractor& extractor,
                                     std::size_t max_images) {
  const std::size_t stride = (sequence.size() + max_images - 1) / max_images;
  FeatureStream stream(sequence, extractor, 0, stride);
  ProgressBar bar("extracting features");
  ImageDescriptors all;
  all.descriptors = {extractor.descriptor_type(), extractor.descriptor_width(), {}, {}};
  while (const auto frame = stream.next()) {
    if (!bar.update(frame->number, sequence.size())) {
      throw Error(ErrorKind::cancelled, "stopped on request");
    }
    if (frame->features.empty()) continue;
    const Descriptors& rows = frame->features.descriptors;
    Descriptors& to = all.descriptors;
    to.bytes.insert(to.bytes.end(), rows.bytes.begin(), rows.bytes.end());
    to.floats.insert(to.floats.end(), rows.floats.begin(), rows.floats.end());
    all.rows_per_image.push_back(frame->features.size());
  }
  return all;
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/vocabulary/vocab_files.hpp"

#include <filesystem>

#include <fmt/core.h>

#include "looptree/common/error.hpp"

#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritable =
    "looptree, orbslam-text, dbow2-yaml, dbow2-brief-yaml, dbow3-yaml, dbow3-binary, "
    "openvslam-binary";

VocabularyFormat format_by_name(const fs::path& path, DescriptorType type) {
  const std::string extension =
      (path.extension() == ".gz" ? path.stem() : path).extension().string();
  if (extension == ".looptree" || extension == ".voc") return VocabularyFormat::looptree;
  if (extension == ".txt") return VocabularyFormat::orbslam_text;
  if (extension == ".yml" || extension == ".yaml") {
    return type == DescriptorType::binary ? VocabularyFormat::dbow2_yaml
                                          : VocabularyFormat::dbow3_yaml;
  }
  if (extension == ".bin") return VocabularyFormat::dbow3_binary;
  if (extension == ".dbow2") return VocabularyFormat::openvslam_binary;
  throw CLI::ValidationError(
      path.string(),
      "expected a name that ends in .looptree, .voc, .txt, .yml, .bin or .dbow2, or "
      "--format with one of " +
          std::string(kWritable));
}

VocabularyFormat format_of(const VocabularyOutput& output, DescriptorType type) {
  if (output.format.empty()) return format_by_name(output.path, type);
  const auto format = vocabulary_format(output.format);
  if (!format || *format == VocabularyFormat::fbow || *format == VocabularyFormat::vins_binary) {
    throw CLI::ValidationError(
        "--format", "expected one of " + std::string(kWritable) + "; found " + output.format);
  }
  return *format;
}

}  // namespace

void check_output(const VocabularyOutput& output) {
  format_of(output, DescriptorType::binary);
  const fs::path folder = fs::absolute(output.path).parent_path();
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::not_found,
                "expected the folder " + folder.string() + " to exist; make it first");
  }
}

void add_format_option(CLI::App& command, VocabularyOutput& output) {
  command.add_option("--format", output.format,
                     std::string("What to write; without, the name decides. One of ") + kWritable);
}

void save_vocabulary(const Vocabulary& vocabulary, const VocabularyOutput& output) {
  const VocabularyFormat format = format_of(output, vocabulary.descriptor_type());
  ProgressBar bar("writing");
  vocabulary.save(output.path, format, bar.callback());
  fmt::print("wrote {}: {} words, {}, {}\n", output.path, vocabulary.size(), to_string(format),
             readable_size(fs::file_size(output.path)));
}

Vocabulary load_vocabulary(const std::string& path) {
  ProgressBar bar("reading");
  LoadOptions options;
  options.progress = bar.callback();
  return Vocabulary::load(path, options);
}

std::string readable_size(std::size_t bytes) {
  const double value = static_cast<double>(bytes);
  return bytes < 1000000 ? fmt::format("{:.1f} kB", value / 1e3)
                         : fmt::format("{:.1f} MB", value / 1e6);
}

}  // namespace looptree::cli

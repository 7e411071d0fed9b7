// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/view/view.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "looptree/common/write_error.hpp"

#include "cli/command.hpp"
#include "cli/page/bundled_page.hpp"
#include "cli/page/embed.hpp"
#include "cli/progress_bar.hpp"
#include "cli/view/page_pictures.hpp"
#include "cli/view/run_data.hpp"

namespace looptree::cli {
namespace {

/// The first image that can be read: its shape is that of all.
std::optional<Image> first_image(Sequence& sequence) {
  for (std::size_t i = 0; i < std::min<std::size_t>(sequence.size(), 10); ++i) {
    try {
      return sequence.image(i);
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

/// Which set of pictures a run's frames are in: runs of one sequence share them.
int picture_set(const std::vector<RunData>& runs, std::size_t run) {
  const auto sequence = [&](std::size_t i) { return runs[i].json["config"]["sequence"]; };
  for (std::size_t i = 0; i < run; ++i) {
    if (sequence(i) == sequence(run)) return static_cast<int>(i);
  }
  return static_cast<int>(run);
}

/// Decides how wide the pictures are, and tells the page of it.
std::vector<PictureWidths> plan_pictures(std::vector<RunData>& runs,
                                         const ViewArguments& arguments) {
  std::vector<PictureWidths> widths(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int set = picture_set(runs, i);
    runs[i].json["pictures"] = set;
    if (static_cast<std::size_t>(set) != i) {
      runs[static_cast<std::size_t>(set)].pair_frames.merge(runs[i].pair_frames);
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto set = runs[i].json["pictures"].get<std::size_t>();
    if (set == i && runs[i].sequence) {
      if (const auto image = first_image(*runs[i].sequence)) {
        widths[i] = picture_widths(*image, runs.size() * runs[i].sequence->size(),
                                   runs.size() * runs[i].pair_frames.size(), arguments.width,
                                   arguments.pair_width);
        runs[i].json["image"] = {image->width, image->height};
      }
    } else if (set != i) {
      runs[i].json["image"] = runs[set].json["image"];
    }
  }
  return widths;
}

void write_page(std::vector<RunData>& runs, const ViewArguments& arguments,
                const std::filesystem::path& output) {
  const std::vector<std::string> page = bundled_page("view");
  const std::vector<PictureWidths> widths = plan_pictures(runs, arguments);
  nlohmann::json data = {{"runs", nlohmann::json::array()}};
  for (RunData& run : runs) data["runs"].push_back(std::move(run.json));
  std::ofstream file(output, std::ios::binary);
  file << page[0] << embeddable(data) << page[1];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].sequence) continue;
    ProgressBar bar("pictures");
    const std::size_t unreadable = write_pictures(file, *runs[i].sequence, static_cast<int>(i),
                                                  widths[i], runs[i].pair_frames, bar.callback());
    if (unreadable > 0) fmt::print(stderr, "warning: {} images could not be read\n", unreadable);
  }
  file << page[2];
  file.close();
  if (!file) throw write_error(output);
}

}  // namespace

std::filesystem::path write_view(const ViewArguments& arguments) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  std::vector<RunData> runs;
  for (const std::string& folder : arguments.runs) {
    runs.push_back(read_run_data(folder));
    if (!runs.back().missing.empty()) {
      fmt::print(stderr, "warning: {} is shown without images and poses: {}\n", folder,
                 runs.back().missing);
    }
  }
  const std::filesystem::path output = arguments.output.empty()
                                           ? std::filesystem::path(arguments.runs[0]) / "view.html"
                                           : std::filesystem::path(arguments.output);
  write_page(runs, arguments, output);
  return output;
}

void add_view(CLI::App& app) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand(
      "view", "Show a run, or two side by side, as one web page that needs no network");
  command->add_option("RUN", arguments->runs, "One or two folders written by \"looptree detect\"")
      ->required()
      ->expected(1, 2);
  command->add_option("-o,--output", arguments->output,
                      "The page; default view.html in the first run");
  command
      ->add_option("--width", arguments->width,
                   "Pixels of every frame's picture; 0: none. Default 320, or less to keep a long\n"
                   "route's page below 60 MB")
      ->check(CLI::Range(0, 4096));
  command
      ->add_option("--pair-width", arguments->pair_width,
                   "The same for the frames of closures; default 640, or less")
      ->check(CLI::Range(0, 4096));
  command->footer(
      "The page holds everything, images included, and can be sent to somebody.\n\n"
      "Example: looptree detect demo --output run && looptree view run");
  command->callback([arguments] {
    const std::filesystem::path page = write_view(*arguments);
    fmt::print("{}, {:.1f} MB: open it in a browser\n", page.string(),
               static_cast<double>(std::filesystem::file_size(page)) / 1e6);
  });
}

}  // namespace looptree::cli

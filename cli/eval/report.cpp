// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "looptree/common/write_error.hpp"
#include "looptree/evaluate/run_folder.hpp"

#include "cli/command.hpp"
#include "cli/drawing/figures.hpp"
#include "cli/page/bundled_page.hpp"
#include "cli/page/embed.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace looptree::evaluate;  // NOLINT: shows its results

// More points than this no screen shows; the files keep them all.
constexpr std::size_t kCurvePoints = 400;
constexpr std::size_t kPictures = 60;

/// A curve as [recall, precision, threshold] rows.
Json curve_json(const Curve& curve) {
  Json rows = Json::array();
  const std::size_t step = curve.points.size() / kCurvePoints + 1;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (i % step != 0 && i + 1 != curve.points.size()) continue;
    const CurvePoint& point = curve.points[i];
    rows.push_back({point.recall, point.precision, point.threshold});
  }
  return rows;
}

Json closures_json(const std::vector<ScoredClosure>& closures) {
  Json rows = Json::array();
  for (const ScoredClosure& closure : closures) {
    rows.push_back({closure.query, closure.match, closure.score, closure.right ? 1 : 0});
  }
  return rows;
}

/// Times as [database size, median, lower, upper quartile] rows.
Json times_json(const std::vector<QueryTime>& times, std::uint32_t variant) {
  Json rows = Json::array();
  for (const TimeBin& bin : binned_times(times, variant)) {
    rows.push_back({bin.size, bin.median_ms, bin.low_ms, bin.high_ms});
  }
  return rows;
}

Json metrics_json(const std::vector<Metric>& metrics) {
  Json object = Json::object();
  for (const Metric& metric : metrics) object[metric.name] = metric.value;
  return object;
}

Json route_json(const fs::path& path) {
  Json rows = Json::array();
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    double frame = 0;
    double x = 0;
    double y = 0;
    double z = 0;
    if (fields >> frame >> x >> y >> z) rows.push_back({x, y, z});
  }
  return rows;
}

/// Pictures that lie in the run's folder, by name: pairs of images and the route, as `looptree
/// show` draws them.
Json pictures_json(const fs::path& folder) {
  std::vector<fs::path> pictures;
  std::error_code ignored;  // most runs have none
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".png" || extension == ".jpg") pictures.push_back(entry.path());
  }
  std::sort(pictures.begin(), pictures.end());
  pictures.resize(std::min(pictures.size(), kPictures));
  Json rows = Json::array();
  for (const fs::path& picture : pictures) {
    std::ifstream file(picture, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    const std::string type = picture.extension() == ".png" ? "png" : "jpeg";
    rows.push_back({{"name", picture.stem().string()},
                    {"image", "data:image/" + type + ";base64," + base64(bytes)}});
  }
  return rows;
}

std::string name_of(const fs::path& folder) {
  const fs::path name = fs::absolute(folder).lexically_normal();
  return (name.has_filename() ? name : name.parent_path()).filename().string();
}

/// A run of `looptree detect`: closures without truth, and the pictures drawn of them.
Json detect_json(const fs::path& folder) {
  const ClosureFile file = read_closures(folder / "closures.csv");
  const Json variant = {{"name", "detect"},
                        {"metrics", {{"closures", file.closures.size()}}},
                        {"curve", Json::array()},
                        {"closures", Json::array()},
                        {"times", Json::array()}};
  return {{"name", name_of(folder)},
          {"protocol", "detect"},
          {"dataset", name_of(folder)},
          {"machine", ""},
          {"commit", ""},
          {"command", "looptree detect"},
          {"facts", {{"closures", file.closures.size()}}},
          {"variants", Json::array({variant})},
          {"route", Json::array()},
          {"pictures", pictures_json(folder)}};
}

Json run_json(const fs::path& folder) {
  if (!fs::exists(folder / "metrics.json") && fs::exists(folder / "frames.csv")) {
    return detect_json(folder);
  }
  const Run run = read_run(folder);
  const std::vector<QueryTime> times = read_times(run);
  Json variants = Json::array();
  for (std::uint32_t v = 0; v < run.result.variants.size(); ++v) {
    const VariantResult& variant = run.result.variants[v];
    variants.push_back({{"name", variant.name},
                        {"metrics", metrics_json(variant.metrics)},
                        {"curve", curve_json(variant.curve)},
                        {"closures", closures_json(variant.closures)},
                        {"times", times_json(times, v)}});
  }
  return {{"name", name_of(folder)},
          {"protocol", run.result.protocol},
          {"dataset", run.dataset},
          {"machine", run.machine},
          {"commit", run.commit},
          {"command", run.command},
          {"facts", metrics_json(run.result.facts)},
          {"variants", variants},
          {"route", route_json(folder / "route.csv")},
          {"pictures", pictures_json(folder)}};
}

void write_report(const std::vector<std::string>& folders, const std::string& out) {
  const std::vector<std::string> page = bundled_page("report");
  Json runs = Json::array();
  for (const std::string& folder : folders) runs.push_back(run_json(folder));
  std::ofstream file(out, std::ios::binary);
  file << page[0] << embeddable({{"runs", runs}}) << page[1];
  file.close();
  if (!file) throw write_error(out);
  fmt::print("{}\n", out);
}

/// Detect runs have no figures; they are passed over.
void write_svgs(const std::vector<std::string>& folders, const std::string& out) {
  for (const std::string& folder : folders) {
    if (!fs::exists(fs::path(folder) / "metrics.json") &&
        fs::exists(fs::path(folder) / "frames.csv")) {
      continue;
    }
    for (const fs::path& figure : write_figures(read_run(folder), out)) {
      fmt::print("{}\n", figure.string());
    }
  }
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "Show runs as one web page that needs no network");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>("report.html");
  auto figures = std::make_shared<std::string>();
  command->add_option("runs", *folders, "Folders of results")->required();
  CLI::Option* page = command->add_option("-o,--output", *out, "The page")->capture_default_str();
  command->add_option(
      "--svg", *figures,
      "Write curves and times as SVG and PDF into this folder, for papers; the page "
      "too where --output is given");
  command->callback([folders, out, figures, page] {
    if (!figures->empty()) write_svgs(*folders, *figures);
    if (figures->empty() || page->count() > 0) write_report(*folders, *out);
  });
}

}  // namespace looptree::cli

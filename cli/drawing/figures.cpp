// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/figures.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "looptree/common/write_error.hpp"

#include "cli/drawing/svg_chart.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;
using evaluate::QueryTime;
using evaluate::Run;
using evaluate::VariantResult;

constexpr std::size_t kTimeBins = 60;  // more no screen shows; the files keep them all

Chart curves(const Run& run, const std::string& title) {
  Chart chart{title, "recall", "precision", {}, 1.0, 1.0};
  for (const VariantResult& variant : run.result.variants) {
    ChartLine line{variant.name, {}};
    for (const evaluate::CurvePoint& point : variant.curve.points) {
      line.points.emplace_back(point.recall, point.precision);
    }
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  return chart;
}

Chart times(const Run& run, const std::string& title) {
  Chart chart{title, "images in the database", "ms per query (median, quartiles)", {}};
  const std::vector<QueryTime> all = evaluate::read_times(run);
  for (std::uint32_t v = 0; v < run.result.variants.size(); ++v) {
    ChartLine line{run.result.variants[v].name, {}};
    for (const TimeBin& bin : binned_times(all, v)) {
      line.points.emplace_back(bin.size, bin.median_ms);
      line.low.push_back(bin.low_ms);
      line.high.push_back(bin.high_ms);
    }
    if (line.points.size() > 1) chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace

std::vector<TimeBin> binned_times(const std::vector<QueryTime>& times, std::uint32_t variant) {
  std::uint32_t largest = 0;
  for (const QueryTime& time : times) largest = std::max(largest, time.database_size);
  const double width = std::max(1.0, static_cast<double>(largest) / kTimeBins);
  std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> bins;
  for (const QueryTime& time : times) {
    if (time.variant != variant) continue;
    // The largest size belongs to the last bin, not to one of its own.
    const double place = std::min((time.database_size - 0.5) / width, kTimeBins - 0.5);
    auto& [sizes, ms] = bins[static_cast<std::uint32_t>(std::max(0.0, place))];
    sizes.push_back(time.database_size);
    ms.push_back(time.ms);
  }
  std::vector<TimeBin> result;
  for (auto& [number, members] : bins) {
    const evaluate::Summary summary = evaluate::summarize(std::move(members.second));
    result.push_back({evaluate::summarize(std::move(members.first)).mean, summary.median,
                      summary.p25, summary.p75});
  }
  return result;
}

std::vector<fs::path> write_figures(const Run& run, const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  const std::string name = run.folder.filename().string();
  const std::string title = run.result.protocol + " on " + run.dataset;
  const std::pair<const char*, Chart> charts[] = {{"-curves", curves(run, title)},
                                                  {"-times", times(run, title)}};
  std::vector<fs::path> written;
  for (const auto& [suffix, chart] : charts) {
    if (chart.lines.empty()) continue;
    const Drawing drawing = draw_chart(chart);
    for (const auto& [extension, text] :
         {std::pair{".svg", to_svg(drawing)}, {".pdf", to_pdf(drawing)}}) {
      const fs::path path = folder / (name + suffix + extension);
      std::ofstream file(path, std::ios::binary);
      file << text;
      file.close();
      if (!file) throw write_error(path);
      written.push_back(path);
    }
  }
  return written;
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/compare.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {
namespace {

using Row = std::vector<std::string>;

std::string digits(std::optional<double> value, const char* format) {
  if (!value) return "-";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), format, *value);
  return text.data();
}

struct Quality {
  std::string name;
  double value = 0;
};

/// What stands beside a time; whichever the protocol measures.
std::optional<Quality> quality(const VariantResult& variant) {
  for (const char* name : {"recall", "score", "map"}) {
    if (const auto value = variant.metric(name)) return Quality{name, *value};
  }
  return std::nullopt;
}

std::string time_with_spread(const VariantResult& variant) {
  const auto mean = variant.metric("mean_ms");
  if (!mean) return "-";
  return digits(mean, "%.4f") + " (" + digits(variant.metric("mean_ms_low"), "%.4f") + ".." +
         digits(variant.metric("mean_ms_high"), "%.4f") + ")";
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

Row row_of(const Run& run, const VariantResult& variant, const VariantResult& first) {
  const auto own = quality(variant);
  const auto baseline = quality(first);
  const bool same_measure = own && baseline && own->name == baseline->name;
  const auto hidden = [&](std::string text) { return own ? std::move(text) : std::string("-"); };
  return {run.folder.filename().string(),
          run.dataset,
          variant.name,
          own ? own->name + " " + digits(own->value, "%.4f") : "-",
          digits(same_measure ? ratio(own->value, baseline->value) : std::nullopt, "%.3f"),
          digits(variant.metric("precision"), "%.4f"),
          digits(variant.metric("average_precision"), "%.4f"),
          digits(variant.metric("recall_at_full_precision"), "%.4f"),
          hidden(time_with_spread(variant)),
          hidden(digits(variant.metric("rate_ms_per_1k"), "%.4f")),
          hidden(digits(variant.metric("speedup"), "%.2fx"))};
}

std::string print(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += "| " + rows[r][c] + std::string(widths[c] - rows[r][c].size() + 1, ' ');
    }
    text += "|\n";
    if (r > 0) continue;
    for (const std::size_t width : widths) text += "|" + std::string(width + 2, '-');
    text += "|\n";
  }
  return text;
}

}  // namespace

std::string compare(std::span<const Run> runs) {
  std::vector<Row> rows = {{"run", "dataset", "variant", "quality", "ratio", "precision", "AP",
                            "R@100%P", "mean ms (passes)", "ms/1k", "speed-up (ms/1k)"}};
  for (const Run& run : runs) {
    for (const VariantResult& variant : run.result.variants) {
      rows.push_back(row_of(run, variant, run.result.variants.front()));
    }
  }
  if (rows.size() == 1) {
    throw Error(ErrorKind::invalid_argument, "expected runs with results, found none");
  }
  return print(rows);
}

}  // namespace looptree::evaluate

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/keyframe_trace.hpp"

#include <cmath>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/gzip_lines.hpp"
#include "looptree/dataset/detail/trace_fields.hpp"
#include "looptree/dataset/detail/trace_records.hpp"

namespace looptree {

using detail::Fields;

struct KeyframeTraceReader::Impl {
  explicit Impl(const std::filesystem::path& given) : path(given), lines(given) {}

  std::filesystem::path path;
  detail::GzipLines lines;
  std::vector<double> idf;
  std::string settings;
};

KeyframeTraceReader::KeyframeTraceReader(const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(path)) {
  while (impl_->lines.next()) {
    const std::string_view text = impl_->lines.text();
    if (text.starts_with('#')) continue;
    if (text.starts_with("H ")) {
      impl_->settings = text.substr(2);
      continue;
    }
    Fields fields(text, *this);
    if (fields.next("the vocabulary's weights, V") != "V") {
      refuse("a keyframe trace, which begins with #, H and V records",
             '"' + std::string(text.substr(0, 20)) + '"');
    }
    const std::size_t words = fields.count("a number of words", detail::kMostWords);
    if (words == 0) refuse("a vocabulary of at least one word", "none");
    for (std::size_t i = 0; i < words; ++i) {
      const auto weight = fields.number<double>("a word's weight");
      if (!(weight >= 0) || !std::isfinite(weight)) {
        refuse("finite weights of at least 0", std::to_string(weight));
      }
      impl_->idf.push_back(weight);
    }
    fields.end();
    return;
  }
  throw Error(ErrorKind::corruption,
              "expected a keyframe trace, found no vocabulary weights (V) in " + path.string());
}

KeyframeTraceReader::~KeyframeTraceReader() = default;
KeyframeTraceReader::KeyframeTraceReader(KeyframeTraceReader&&) noexcept = default;
KeyframeTraceReader& KeyframeTraceReader::operator=(KeyframeTraceReader&&) noexcept = default;

std::span<const double> KeyframeTraceReader::word_weights() const {
  return impl_->idf;
}

const std::string& KeyframeTraceReader::settings() const {
  return impl_->settings;
}

std::size_t KeyframeTraceReader::line() const {
  return impl_->lines.number();
}

std::size_t KeyframeTraceReader::bytes_read() const {
  return impl_->lines.offset();
}

std::size_t KeyframeTraceReader::bytes_total() const {
  return std::filesystem::file_size(impl_->path);
}

void KeyframeTraceReader::refuse(const std::string& expected, const std::string& found) const {
  throw Error(ErrorKind::corruption, "expected " + expected + " in line " + std::to_string(line()) +
                                         " of " + impl_->path.string() + ", found " + found);
}

std::optional<TraceRecord> KeyframeTraceReader::next() {
  std::string_view text;
  do {
    if (!impl_->lines.next()) return std::nullopt;
    text = impl_->lines.text();
  } while (text.starts_with('#') || text.starts_with("H "));
  Fields fields(text, *this);
  const std::string_view kind = fields.next("a record");
  constexpr std::string_view kKinds = "KFAECNMGLR";
  if (kind.size() != 1 || kKinds.find(kind) == std::string_view::npos) {
    refuse("a record (K, A, E, C, N, G, L, F, M or R)",
           '"' + std::string(text.substr(0, 20)) + '"');
  }
  TraceRecord record = detail::read_record(kind[0], fields, impl_->idf);
  fields.end();
  return record;
}

}  // namespace looptree

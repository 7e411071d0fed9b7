// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/query_input.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw Error(ErrorKind::invalid_argument, "expected " + expected + ", found " + found);
}

std::uint32_t big_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[at + i];
  return value;
}

std::uint32_t little_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

bool begins(Bytes bytes, std::string_view magic, std::size_t at = 0) {
  return bytes.size() >= at + magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// The frame header of a JPEG lies behind segments, each with its length.
std::optional<ImageSize> jpeg_size(Bytes bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size()) {
    if (bytes[at] != 0xFF) return std::nullopt;
    const std::uint8_t kind = bytes[at + 1];
    if (kind == 0xFF) {  // filling
      ++at;
      continue;
    }
    const bool is_frame =
        kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
    if (is_frame) return ImageSize{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    const std::uint32_t length = big_endian(bytes, at + 2, 2);
    if (length < 2 || kind == 0xD9 || kind == 0xDA) return std::nullopt;
    at += 2 + length;
  }
  return std::nullopt;
}

std::optional<ImageSize> webp_size(Bytes bytes) {
  if (bytes.size() < 30) return std::nullopt;
  if (begins(bytes, "VP8X", 12)) {
    return ImageSize{little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
  }
  if (begins(bytes, "VP8L", 12)) {
    const std::uint32_t bits = little_endian(bytes, 21, 4);
    return ImageSize{(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  if (begins(bytes, "VP8 ", 12)) {
    return ImageSize{little_endian(bytes, 26, 2) & 0x3FFF, little_endian(bytes, 28, 2) & 0x3FFF};
  }
  return std::nullopt;
}

std::uint32_t whole(const Json& value, const char* what, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    refuse(std::string(what) + " as whole numbers up to " + std::to_string(most), "something else");
  }
  return value.get<std::uint32_t>();
}

std::vector<std::uint32_t> whole_numbers(const Json& values, const char* what, std::size_t most) {
  if (!values.is_array() || values.size() > most) {
    refuse(std::string(what) + " as a list of at most " + std::to_string(most), "something else");
  }
  std::vector<std::uint32_t> numbers;
  for (const Json& value : values) numbers.push_back(whole(value, what, 0xFFFFFFFE));
  return numbers;
}

void read_descriptors(const Json& json, JsonQuery& query) {
  const Json& text = json["descriptors"];
  if (!text.is_string()) refuse("descriptors as base64", "something else");
  if (!json.contains("width")) refuse("the width of a descriptor in bytes", "none");
  query.width = whole(json["width"], "the width", 4096);
  query.descriptors = parse_base64(text.get_ref<const std::string&>());
  if (query.width == 0 || query.descriptors.size() % query.width != 0 ||
      query.descriptors.size() / query.width > kMaxDescriptors) {
    refuse("at most 20000 whole descriptors of the width given",
           std::to_string(query.descriptors.size()) + " bytes");
  }
}

}  // namespace

ImageSize image_size(Bytes bytes) {
  std::optional<ImageSize> size;
  if (begins(bytes, "\x89PNG\r\n\x1a\n") && begins(bytes, "IHDR", 12) && bytes.size() >= 24) {
    size = {big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
  } else if (begins(bytes, "\xFF\xD8")) {
    size = jpeg_size(bytes);
  } else if (begins(bytes, "RIFF") && begins(bytes, "WEBP", 8)) {
    size = webp_size(bytes);
  }
  if (!size) refuse("a PNG, JPEG or WebP image", std::to_string(bytes.size()) + " other bytes");
  const std::uint64_t pixels = std::uint64_t{size->width} * size->height;
  if (pixels == 0 || pixels > kMaxImagePixels) {
    refuse("an image of 1 to 64,000,000 pixels",
           std::to_string(size->width) + " x " + std::to_string(size->height));
  }
  return *size;
}

JsonQuery parse_query(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception&) {
    refuse("JSON", "something else");
  }
  if (!json.is_object() || json.contains("words") == json.contains("descriptors")) {
    refuse("an object with either words or descriptors", "something else");
  }
  JsonQuery query;
  if (json.contains("words")) {
    query.words = whole_numbers(json["words"], "words", kMaxWords);
  } else {
    read_descriptors(json, query);
  }
  if (json.contains("top_k")) query.top_k = whole(json["top_k"], "top_k", kMaxTopK);
  if (query.top_k == 0) refuse("top_k of at least 1", "0");
  if (json.contains("threshold")) {
    const Json& threshold = json["threshold"];
    if (!threshold.is_number()) refuse("a threshold from 0 to 1", "something else");
    query.threshold = threshold.get<double>();
    if (!(query.threshold >= 0 && query.threshold <= 1)) {
      refuse("a threshold from 0 to 1", threshold.dump());
    }
  }
  if (json.contains("sessions")) query.sessions = whole_numbers(json["sessions"], "sessions", 1000);
  return query;
}

std::vector<std::uint8_t> parse_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto refuse_text = [] {
    throw Error(ErrorKind::corruption, "expected base64 with its padding, found something else");
  };
  if (text.size() % 4 != 0) refuse_text();
  std::size_t padding = 0;
  while (padding < 2 && text.size() > padding && text[text.size() - 1 - padding] == '=') ++padding;
  text.remove_suffix(padding);
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char letter : text) {
    const std::size_t digit = kDigits.find(letter);
    if (digit == std::string_view::npos) refuse_text();
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  return bytes;
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/mapped_file.hpp"
#include "looptree/vocabulary/detail/formats/formats.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {
namespace {

using detail::Reader;
using detail::VocabularyImage;

constexpr std::size_t kTarBlock = 512;

bool is_gzip(std::string_view start) {
  return start.starts_with("\x1f\x8b");
}

bool is_tar(std::string_view start) {
  return start.size() == kTarBlock && start.substr(257, 5) == "ustar";
}

bool is_looptree(std::string_view start) {
  return start.size() >= detail::kMagic.size() &&
         std::memcmp(start.data(), detail::kMagic.data(), detail::kMagic.size()) == 0;
}

bool has_magic(std::string_view start, std::uint64_t magic) {
  return start.size() >= sizeof(magic) && std::memcmp(start.data(), &magic, sizeof(magic)) == 0;
}

/// Four numbers alone on the first line.
bool is_orbslam_text(std::string_view start) {
  const std::string_view line = start.substr(0, std::min<std::size_t>(start.find('\n'), 80));
  if (line.find_first_not_of("0123456789 \t\r") != std::string_view::npos) return false;
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto digit = [&](std::size_t at) { return line[at] >= '0' && line[at] <= '9'; };
    if (digit(i) && (i == 0 || !digit(i - 1))) ++numbers;
  }
  return numbers == 4;
}

std::array<std::uint32_t, 6> six_integers(std::string_view start) {
  std::array<std::uint32_t, 6> values = {};
  if (start.size() >= sizeof(values)) std::memcpy(values.data(), start.data(), sizeof(values));
  return values;
}

bool are_parameters(std::uint32_t branching, std::uint32_t depth, std::uint32_t scoring,
                    std::uint32_t weighting) {
  return branching >= 1 && branching <= detail::kMaxBranching && depth >= 1 &&
         depth <= detail::kMaxDepth && scoring <= 5 && weighting <= 3;
}

detail::RawTree read_recognised(Reader& reader, std::string_view start) {
  if (has_magic(start, detail::kDbow3Magic)) return read_dbow3_binary(reader);
  if (has_magic(start, detail::kFbowMagic)) return read_fbow(reader);
  if (start.starts_with("%YAML") || start.starts_with("vocabulary:")) return read_yaml(reader);
  if (is_orbslam_text(start)) return read_orbslam_text(reader);
  const auto [a, b, c, d, e, f] = six_integers(start);
  if (are_parameters(c, d, e, f) && a >= 2) return read_openvslam_binary(reader);
  if (are_parameters(a, b, c, d) && e >= 1 && f >= 1) return read_vins_binary(reader);
  throw Error(ErrorKind::unsupported,
              "expected a vocabulary of looptree, ORB-SLAM (text), DBoW2, DBoW3, FBoW, OpenVSLAM "
              "or VINS, found a file that starts like none of them");
}

/// A stretch of another source.
class LimitedSource final : public detail::ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, std::uint64_t bytes)
      : source_(std::move(source)), left_(bytes) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
    const std::size_t got = source_->read(into.first(wanted));
    if (got < wanted) {
      throw Error(ErrorKind::corruption, "expected " + std::to_string(left_) +
                                             " more bytes in the tar archive, found " +
                                             std::to_string(got));
    }
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::uint64_t left_;
};

std::uint64_t tar_size(std::string_view header) {
  std::uint64_t size = 0;
  for (const char c : header.substr(124, 12)) {
    if (c >= '0' && c <= '7') size = size * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return size;
}

/// The first regular file of an archive.
Reader open_tar(Reader reader) {
  for (;;) {
    const std::string_view header = reader.peek(kTarBlock);
    if (!is_tar(header)) {
      throw Error(ErrorKind::corruption, "expected a file in the tar archive, found none");
    }
    const char kind = header[156];
    const std::uint64_t size = tar_size(header);
    reader.skip(kTarBlock);
    if (kind == '0' || kind == '\0') {
      return Reader(std::make_unique<LimitedSource>(reader.release(), size));
    }
    std::uint64_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    for (; padded > 0; padded -= kTarBlock) reader.take(kTarBlock);
  }
}

/// Our own format where it cannot be mapped: read as a whole.
std::shared_ptr<const VocabularyImage> read_image(Reader& reader, bool verify) {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  for (std::string_view piece = reader.peek(kPiece); !piece.empty(); piece = reader.peek(kPiece)) {
    const auto* data = reinterpret_cast<const std::byte*>(piece.data());
    bytes->insert(bytes->end(), data, data + piece.size());
    reader.skip(piece.size());
  }
  return std::make_shared<VocabularyImage>(detail::open_image(*bytes, bytes, verify));
}

std::shared_ptr<const VocabularyImage> read_any(Reader reader, const LoadOptions& options) {
  if (is_gzip(reader.peek(2))) reader = Reader(detail::gzip_source(reader.release()));
  if (is_tar(reader.peek(kTarBlock))) reader = open_tar(std::move(reader));
  const std::string start(reader.peek(128));
  if (is_looptree(start)) return read_image(reader, options.verify);
  return detail::assemble(read_recognised(reader, start));
}

}  // namespace

Vocabulary Vocabulary::load(const std::filesystem::path& path, const LoadOptions& options) {
  try {
    Reader reader(detail::file_source(path, options.progress));
    if (!is_looptree(reader.peek(8))) return Vocabulary(read_any(std::move(reader), options));
    const auto file = std::make_shared<MappedFile>(path);
    return Vocabulary(
        std::make_shared<VocabularyImage>(detail::open_image(file->bytes(), file, options.verify)));
  } catch (const Error& error) {
    const bool about_content =
        error.kind() == ErrorKind::corruption || error.kind() == ErrorKind::unsupported;
    if (!about_content) throw;
    throw Error(error.kind(), path.string() + ": " + error.what());
  }
}

Vocabulary Vocabulary::from_bytes(std::span<const std::byte> bytes, const LoadOptions& options) {
  return Vocabulary(read_any(Reader(detail::memory_source(bytes)), options));
}

}  // namespace looptree

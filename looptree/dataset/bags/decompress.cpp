// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/bags/detail/decompress.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <bzlib.h>
#include <lz4frame.h>
#include <zstd.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// A chunk of a bag is a megabyte or so. The output grows with what comes, so that a wrong length
/// in a file costs no memory.
constexpr std::size_t kLargest = std::size_t{1} << 30U;
constexpr std::size_t kPiece = std::size_t{1} << 18U;

[[noreturn]] void refuse(const std::string& kind, const std::string& name) {
  throw Error(ErrorKind::corruption, "expected whole " + kind + " data in " + name +
                                         ", found damaged data, or more than a gigabyte");
}

/// Makes room for another piece behind what is there.
std::uint8_t* grow(std::vector<std::uint8_t>& output, std::size_t used, const std::string& kind,
                   const std::string& name) {
  if (used > kLargest) refuse(kind, name);
  output.resize(used + kPiece);
  return output.data() + used;
}

std::vector<std::uint8_t> unpack_lz4(Bytes bytes, const std::string& name) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0)
    throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      raw, &LZ4F_freeDecompressionContext);
  std::vector<std::uint8_t> output;
  std::size_t used = 0;
  std::size_t left = 1;
  while (left != 0) {
    std::uint8_t* const to = grow(output, used, "lz4", name);
    std::size_t room = kPiece;
    std::size_t eaten = bytes.size();
    left = LZ4F_decompress(context.get(), to, &room, bytes.data(), &eaten, nullptr);
    if (LZ4F_isError(left) != 0 || (room == 0 && eaten == 0 && left != 0)) refuse("lz4", name);
    bytes = bytes.subspan(eaten);
    used += room;
  }
  output.resize(used);
  return output;
}

std::vector<std::uint8_t> unpack_zstd(Bytes bytes, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  std::vector<std::uint8_t> output;
  std::size_t used = 0;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer room{grow(output, used, "zstd", name), kPiece, 0};
    const std::size_t before = input.pos;
    left = ZSTD_decompressStream(stream.get(), &room, &input);
    if (ZSTD_isError(left) != 0) refuse("zstd", name);
    used += room.pos;
    if (left != 0 && room.pos == 0 && input.pos == before) refuse("zstd", name);
  }
  output.resize(used);
  return output;
}

std::vector<std::uint8_t> unpack_bz2(Bytes bytes, const std::string& name) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  const std::unique_ptr<bz_stream, decltype(&BZ2_bzDecompressEnd)> end(&stream,
                                                                       &BZ2_bzDecompressEnd);
  // The interface takes what it does not change as if it might.
  stream.next_in = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(std::min(bytes.size(), kLargest));
  std::vector<std::uint8_t> output;
  std::size_t used = 0;
  int state = BZ_OK;
  while (state != BZ_STREAM_END) {
    stream.next_out = reinterpret_cast<char*>(grow(output, used, "bz2", name));
    stream.avail_out = static_cast<unsigned>(kPiece);
    state = BZ2_bzDecompress(&stream);
    const std::size_t got = kPiece - stream.avail_out;
    if (state != BZ_OK && state != BZ_STREAM_END) refuse("bz2", name);
    if (state == BZ_OK && got == 0 && stream.avail_in == 0) refuse("bz2", name);
    used += got;
  }
  output.resize(used);
  return output;
}

}  // namespace

std::vector<std::uint8_t> decompress(const std::string& kind, Bytes bytes,
                                     const std::string& name) {
  if (kind.empty() || kind == "none") return {bytes.begin(), bytes.end()};
  if (kind == "lz4") return unpack_lz4(bytes, name);
  if (kind == "zstd") return unpack_zstd(bytes, name);
  if (kind == "bz2") return unpack_bz2(bytes, name);
  throw Error(ErrorKind::unsupported, "expected compression by lz4, zstd or bz2 in " + name +
                                          ", found '" + kind.substr(0, 40) + "'");
}

bool is_zstd(Bytes bytes) {
  constexpr std::array<std::uint8_t, 4> mark{0x28, 0xb5, 0x2f, 0xfd};
  return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
}

}  // namespace looptree::detail

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// Words of a frame: any bytes are refused with an Error, or are a histogram that survives being
// written again. A checksum would stop nearly every mutation at the door, so the input is what
// stands before it, and is sealed here.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/store/detail/bytes.hpp"
#include "looptree/store/word_blob.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace looptree;
  const FrameId frame{7};
  detail::ByteWriter writer;
  writer.raw({data, size});
  writer.seal(frame.value);
  const std::vector<std::uint8_t> blob = writer.take();
  try {
    const FixedHistogram histogram = decode_words(blob, frame);
    // Numbers may be written with needless zeros, so bytes need not come back, but words must.
    if (decode_words(encode_words(histogram, frame), frame) != histogram) std::abort();
  } catch (const Error&) {
  }
  try {
    decode_words({data, size}, frame);  // and as it is
  } catch (const Error&) {
  }
  return 0;
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// Words of a frame: any bytes are refused with an Error, or are a histogram that survives being
// written again. A checksum would stop nearly every mutation at the door, so the input is what
// stands before it, and is sealed here.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/store/detail/bytes.hpp"
#include "looptree/store/word_blob.hpp"

namespace {

using namespace looptree;

constexpr FrameId kFrame{7};

void decode_and_write_again(std::span<const std::uint8_t> blob, std::span<const double> weights) {
  try {
    const FixedHistogram histogram = decode_words(blob, kFrame, weights);
    // Numbers may be written with needless zeros, so bytes need not come back, but words must.
    const std::vector<std::uint8_t> again = encode_words(histogram, kFrame, weights);
    if (decode_words(again, kFrame, weights) != histogram) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<double> kWeights = [] {
    std::vector<double> weights;
    for (int word = 0; word < 300; ++word) weights.push_back(0.25 * (word % 23));
    return weights;
  }();
  detail::ByteWriter writer;
  writer.raw({data, size});
  writer.seal(kFrame.value);
  const std::vector<std::uint8_t> sealed = writer.take();
  for (const std::vector<double>& weights : {std::vector<double>(), kWeights}) {
    decode_and_write_again(sealed, weights);
    decode_and_write_again({data, size}, weights);  // and as it is
  }
  return 0;
}

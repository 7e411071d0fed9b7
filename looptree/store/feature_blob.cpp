// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/feature_blob.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "looptree/features/level_position.hpp"
#include "looptree/store/detail/bytes.hpp"
#include "looptree/store/detail/half.hpp"

namespace looptree {
namespace {

using detail::ByteReader;
using detail::ByteView;
using detail::ByteWriter;

enum Encoding : std::uint8_t {
  kWhole = 1,    ///< every number of a keypoint as it is in memory
  kCompact = 2,  ///< positions in 16 bits each, the rest by choice
  kLevels = 3,   ///< the same with positions on levels of ORB's pyramid, to the bit
};
enum Part : std::uint8_t { kDetails = 1, kInverseDepths = 2 };

constexpr std::size_t kWholeKeypointBytes = 24;
constexpr std::size_t kPositionBytes = 4;
constexpr std::size_t kDetailBytes = 16;
constexpr std::size_t kDepthBytes = 2;
constexpr int kMaxFraction = 8;

int to_int(std::uint32_t value) {
  return std::bit_cast<std::int32_t>(value);
}

std::uint32_t to_unsigned(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}

/// How many bits of 16 are left for fractions of a pixel; nothing if the image is too large for
/// any.
std::optional<int> fraction_bits(int width, int height) {
  const auto size = static_cast<std::int64_t>(std::max(width, height));
  for (int bits = kMaxFraction; bits >= 0; --bits) {
    if (size << bits <= std::numeric_limits<std::uint16_t>::max()) return bits;
  }
  return std::nullopt;
}

/// The outer edge of the first pixel lies at -0.5.
bool lies_within(const Keypoint& point, int width, int height) {
  return point.x >= -0.5F && point.y >= -0.5F && point.x <= static_cast<float>(width) - 0.5F &&
         point.y <= static_cast<float>(height) - 0.5F;
}

std::optional<int> compact_fraction(const Features& features) {
  for (const Keypoint& point : features.keypoints) {
    if (!lies_within(point, features.width, features.height)) return std::nullopt;
  }
  return fraction_bits(features.width, features.height);
}

std::uint16_t to_fixed(float coordinate, int bits) {
  return static_cast<std::uint16_t>(std::lround(std::ldexp(coordinate + 0.5, bits)));
}

float from_fixed(std::uint16_t value, int bits) {
  return static_cast<float>(std::ldexp(value, -bits) - 0.5);
}

void write_details(ByteWriter& writer, const Keypoint& point) {
  writer.f32(point.size);
  writer.f32(point.angle);
  writer.f32(point.response);
  writer.u32(to_unsigned(point.octave));
}

void read_details(ByteReader& reader, Keypoint& point) {
  point.size = reader.f32();
  point.angle = reader.f32();
  point.response = reader.f32();
  point.octave = to_int(reader.u32());
}

/// What stands before the keypoints in both encodings.
void write_head(ByteWriter& writer, const Features& features, Encoding encoding) {
  writer.byte(encoding);
  writer.byte(features.descriptors.type == DescriptorType::binary ? 0 : 1);
  writer.u32(to_unsigned(features.width));
  writer.u32(to_unsigned(features.height));
  writer.varint(features.descriptors.width);
}

/// The positions of keypoints in 4 bytes each.
struct ShortPositions {
  Encoding encoding = kCompact;
  int fraction = 0;
  std::vector<std::array<std::uint16_t, 2>> points;
};

/// Nothing where they do not fit.
std::optional<ShortPositions> short_positions(const Features& features) {
  ShortPositions positions;
  positions.points.reserve(features.size());
  if (const auto on_levels = level_positions(features.keypoints)) {
    positions.encoding = kLevels;
    for (const LevelPosition at : *on_levels) positions.points.push_back({at.x, at.y});
    return positions;
  }
  const std::optional<int> fraction = compact_fraction(features);
  if (!fraction) return std::nullopt;
  positions.fraction = *fraction;
  for (const Keypoint& point : features.keypoints) {
    positions.points.push_back({to_fixed(point.x, *fraction), to_fixed(point.y, *fraction)});
  }
  return positions;
}

void write_keypoints_short(ByteWriter& writer, const Features& features,
                           const ShortPositions& positions, bool with_details) {
  const bool with_depths = !features.inverse_depths.empty();
  if (positions.encoding == kCompact) writer.byte(static_cast<std::uint8_t>(positions.fraction));
  writer.byte(static_cast<std::uint8_t>((with_details ? kDetails : 0) |
                                        (with_depths ? kInverseDepths : 0)));
  writer.varint(features.size());
  for (const auto& [x, y] : positions.points) {
    writer.u16(x);
    writer.u16(y);
  }
  if (with_details) {
    for (const Keypoint& point : features.keypoints) write_details(writer, point);
  }
  for (const float depth : features.inverse_depths) writer.u16(detail::to_half(depth));
}

void write_keypoints_whole(ByteWriter& writer, const Features& features) {
  writer.varint(features.size());
  for (const Keypoint& point : features.keypoints) {
    writer.f32(point.x);
    writer.f32(point.y);
    write_details(writer, point);
  }
}

class FeatureReader {
 public:
  FeatureReader(ByteView blob, FrameId frame)
      : reader_(ByteReader::sealed(blob, frame.value,
                                   "features of frame " + std::to_string(frame.value))) {}

  Features read() {
    const int encoding = reader_.byte();
    if (encoding < kWhole || encoding > kLevels) {
      reader_.fail("encoding " + std::to_string(encoding));
    }
    read_head();
    if (encoding == kWhole) {
      read_keypoints_whole();
    } else {
      read_keypoints_short(encoding == kCompact);
    }
    read_descriptors();
    reader_.expect_end();
    return std::move(features_);
  }

 private:
  bool is_binary() const { return features_.descriptors.type == DescriptorType::binary; }
  std::size_t row_bytes() const {
    return features_.descriptors.width * (is_binary() ? 1 : sizeof(float));
  }

  void read_head() {
    const std::uint8_t type = reader_.byte();
    if (type > 1) reader_.fail("descriptor type " + std::to_string(type));
    features_.descriptors.type = type == 0 ? DescriptorType::binary : DescriptorType::real;
    features_.width = to_int(reader_.u32());
    features_.height = to_int(reader_.u32());
    const std::uint64_t width = reader_.varint();
    if (width == 0 || width > std::numeric_limits<std::uint32_t>::max()) {
      reader_.fail("descriptors " + std::to_string(width) + " wide");
    }
    features_.descriptors.width = static_cast<std::size_t>(width);
  }

  void read_keypoints_whole() {
    features_.keypoints.resize(reader_.count(kWholeKeypointBytes + row_bytes()));
    for (Keypoint& point : features_.keypoints) {
      point.x = reader_.f32();
      point.y = reader_.f32();
      read_details(reader_, point);
    }
  }

  void read_keypoints_short(bool with_fraction) {
    const int fraction = with_fraction ? reader_.byte() : 0;
    if (fraction > kMaxFraction) reader_.fail(std::to_string(fraction) + " bits of a fraction");
    const int parts = reader_.byte();
    if (parts > (kDetails | kInverseDepths)) reader_.fail("parts " + std::to_string(parts));
    const bool with_details = (parts & kDetails) != 0;
    const bool with_depths = (parts & kInverseDepths) != 0;
    const std::size_t bytes = kPositionBytes + (with_details ? kDetailBytes : 0) +
                              (with_depths ? kDepthBytes : 0) + row_bytes();
    features_.keypoints.resize(reader_.count(bytes));
    for (Keypoint& point : features_.keypoints) {
      if (with_fraction) {
        point.x = from_fixed(reader_.u16(), fraction);
        point.y = from_fixed(reader_.u16(), fraction);
      } else {
        read_level_position(point);
      }
    }
    if (with_details) {
      for (Keypoint& point : features_.keypoints) read_details(reader_, point);
    }
    if (with_depths) {
      features_.inverse_depths.resize(features_.size());
      for (float& depth : features_.inverse_depths) read_depth(depth);
    }
  }

  void read_level_position(Keypoint& point) {
    LevelPosition position;
    position.x = reader_.u16();
    position.y = reader_.u16();
    if (position.y >> LevelPosition::kPixelBits != 0) reader_.fail("a row past all levels");
    const auto [x, y] = image_position(position);
    point.x = x;
    point.y = y;
  }

  void read_depth(float& depth) {
    depth = detail::from_half(reader_.u16());
    if (!(depth >= 0 && std::isfinite(depth))) reader_.fail("an inverse depth that is none");
  }

  void read_descriptors() {
    Descriptors& descriptors = features_.descriptors;
    if (is_binary()) {
      const ByteView rows = reader_.raw(features_.size() * row_bytes());
      descriptors.bytes.assign(rows.begin(), rows.end());
      return;
    }
    descriptors.floats.resize(features_.size() * descriptors.width);
    for (float& value : descriptors.floats) value = reader_.f32();
  }

  ByteReader reader_;
  Features features_;
};

}  // namespace

std::vector<std::uint8_t> encode_features(const Features& features, FrameId frame,
                                          bool with_details) {
  check(features);
  ByteWriter writer;
  const std::optional<ShortPositions> positions = short_positions(features);
  write_head(writer, features, positions ? positions->encoding : kWhole);
  if (positions) {
    write_keypoints_short(writer, features, *positions, with_details);
  } else {
    write_keypoints_whole(writer, features);
  }
  writer.raw(features.descriptors.bytes);
  for (const float value : features.descriptors.floats) writer.f32(value);
  writer.seal(frame.value);
  return writer.take();
}

Features decode_features(std::span<const std::uint8_t> blob, FrameId frame) {
  return FeatureReader(blob, frame).read();
}

}  // namespace looptree

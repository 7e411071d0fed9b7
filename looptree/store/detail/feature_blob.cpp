// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/feature_blob.hpp"

#include <limits>
#include <string>

namespace looptree::detail {
namespace {

constexpr std::uint8_t kPlainRows = 1;
constexpr std::size_t kKeypointBytes = 24;

int to_int(std::uint32_t value) {
  return std::bit_cast<std::int32_t>(value);
}

std::uint32_t to_unsigned(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}

}  // namespace

Bytes encode_features(const Features& features, FrameId frame) {
  ByteWriter writer;
  writer.byte(kPlainRows);
  writer.byte(features.descriptors.type == DescriptorType::binary ? 0 : 1);
  writer.u32(to_unsigned(features.width));
  writer.u32(to_unsigned(features.height));
  writer.varint(features.descriptors.width);
  writer.varint(features.size());
  for (const Keypoint& point : features.keypoints) {
    writer.f32(point.x);
    writer.f32(point.y);
    writer.f32(point.size);
    writer.f32(point.angle);
    writer.f32(point.response);
    writer.u32(to_unsigned(point.octave));
  }
  writer.raw(features.descriptors.bytes);
  for (const float value : features.descriptors.floats) writer.f32(value);
  writer.seal(frame.value);
  return writer.take();
}

Features decode_features(ByteView blob, FrameId frame) {
  ByteReader reader =
      ByteReader::sealed(blob, frame.value, "features of frame " + std::to_string(frame.value));
  if (const int encoding = reader.byte(); encoding != kPlainRows) {
    reader.fail("encoding " + std::to_string(encoding));
  }
  Features features;
  const std::uint8_t type = reader.byte();
  if (type > 1) reader.fail("descriptor type " + std::to_string(type));
  const bool binary = type == 0;
  features.descriptors.type = binary ? DescriptorType::binary : DescriptorType::real;
  features.width = to_int(reader.u32());
  features.height = to_int(reader.u32());
  const std::uint64_t width = reader.varint();
  if (width == 0 || width > std::numeric_limits<std::uint32_t>::max()) {
    reader.fail("descriptors " + std::to_string(width) + " wide");
  }
  features.descriptors.width = static_cast<std::size_t>(width);
  const std::size_t row_bytes = features.descriptors.width * (binary ? 1 : sizeof(float));
  features.keypoints.resize(reader.count(kKeypointBytes + row_bytes));
  for (Keypoint& point : features.keypoints) {
    point.x = reader.f32();
    point.y = reader.f32();
    point.size = reader.f32();
    point.angle = reader.f32();
    point.response = reader.f32();
    point.octave = to_int(reader.u32());
  }
  if (binary) {
    const ByteView rows = reader.raw(features.size() * row_bytes);
    features.descriptors.bytes.assign(rows.begin(), rows.end());
  } else {
    features.descriptors.floats.resize(features.size() * features.descriptors.width);
    for (float& value : features.descriptors.floats) value = reader.f32();
  }
  reader.expect_end();
  return features;
}

}  // namespace looptree::detail

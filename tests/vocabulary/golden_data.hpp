// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "looptree/common/descriptors.hpp"

#include "tests/support.hpp"

namespace looptree::test {

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Descriptors of several images, the same number in each.
struct Images {
  Descriptors descriptors;
  std::size_t per_image = 60;

  std::size_t count() const { return descriptors.size() / per_image; }
  DescriptorView view(std::size_t image) const {
    return descriptors.view().rows(image * per_image, per_image);
  }
  void scale(float factor) {
    for (float& value : descriptors.floats) value *= factor;
  }
  std::vector<std::size_t> rows_per_image() const { return std::vector(count(), per_image); }
};

inline Images read_images(DescriptorType type, const std::string& stem) {
  Images images;
  images.descriptors.type = type;
  if (type == DescriptorType::binary) {
    const std::string bytes = read_text(golden("desc/" + stem + "_bin.u8"));
    images.descriptors.bytes.assign(bytes.begin(), bytes.end());
  } else {
    const std::string bytes = read_text(golden("desc/" + stem + "_float.f32"));
    images.descriptors.width = 128;
    images.descriptors.floats.resize(bytes.size() / sizeof(float));
    std::memcpy(images.descriptors.floats.data(), bytes.data(), bytes.size());
  }
  return images;
}

inline Images golden_images(DescriptorType type) {
  return read_images(type, "images");
}
inline Images golden_training(DescriptorType type) {
  return read_images(type, "train");
}

}  // namespace looptree::test

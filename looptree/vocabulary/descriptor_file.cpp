// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/descriptor_file.hpp"

#include <cstring>
#include <fstream>
#include <numeric>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/common/mapped_file.hpp"
#include "looptree/vocabulary/detail/formats/writer.hpp"
#include "looptree/vocabulary/detail/image.hpp"

namespace looptree {
namespace {

std::filesystem::path description_of(std::filesystem::path path) {
  return path.replace_extension(".txt");
}

[[noreturn]] void corrupt(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorKind::corruption, path.string() + ": " + message);
}

struct Description {
  DescriptorType type = DescriptorType::binary;
  std::size_t width = 0;
  std::size_t images = 0;
  std::size_t per_image = 0;
  std::vector<std::size_t> rows;
};

Description read_description(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorKind::not_found, "expected " + path.string() +
                                          ", which says what the descriptors are; found no such "
                                          "file");
  }
  Description description;
  for (std::string key; file >> key;) {
    std::string type;
    if (key == "type") {
      file >> type;
      if (type != "u8" && type != "f32") corrupt(path, "expected type u8 or f32, found " + type);
      description.type = type == "u8" ? DescriptorType::binary : DescriptorType::real;
    } else if (key == "bytes" || key == "dim") {
      file >> description.width;
    } else if (key == "images") {
      file >> description.images;
    } else if (key == "per_image") {
      file >> description.per_image;
    } else if (key == "rows") {
      for (std::size_t rows = 0; file >> rows;) description.rows.push_back(rows);
      if (file.eof()) break;
      file.clear();
    } else {
      std::getline(file, type);
    }
    if (!file) corrupt(path, "expected a number >= 0 behind " + key);
  }
  return description;
}

}  // namespace

ImageDescriptors read_descriptor_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::filesystem::path text = description_of(path);
  Description description = read_description(text);
  if (description.width < 1 || description.width > detail::kMaxWidth) {
    corrupt(text, "expected the size of a row, bytes or dim, from 1 to " +
                      std::to_string(detail::kMaxWidth) + "; found " +
                      std::to_string(description.width));
  }
  const std::size_t row_bytes =
      description.width * (description.type == DescriptorType::binary ? 1 : sizeof(float));
  const std::span<const std::byte> bytes = file.bytes();
  if (description.rows.empty()) {
    if (description.images > bytes.size()) {
      corrupt(text, "expected at most one image per byte of " + path.filename().string() +
                        ", found " + std::to_string(description.images) + " images");
    }
    description.rows.assign(description.images, description.per_image);
  }
  const std::size_t rows =
      std::accumulate(description.rows.begin(), description.rows.end(), std::size_t{0});
  if (rows != bytes.size() / row_bytes || bytes.size() % row_bytes != 0) {
    corrupt(path, "expected " + std::to_string(rows) + " rows of " + std::to_string(row_bytes) +
                      " bytes, as " + text.filename().string() + " says; found " +
                      std::to_string(bytes.size()) + " bytes");
  }
  ImageDescriptors result;
  result.rows_per_image = std::move(description.rows);
  result.descriptors.type = description.type;
  result.descriptors.width = description.width;
  if (bytes.empty()) return result;
  if (description.type == DescriptorType::binary) {
    result.descriptors.bytes.resize(bytes.size());
    std::memcpy(result.descriptors.bytes.data(), bytes.data(), bytes.size());
  } else {
    result.descriptors.floats.resize(bytes.size() / sizeof(float));
    std::memcpy(result.descriptors.floats.data(), bytes.data(), bytes.size());
  }
  return result;
}

void write_descriptor_file(const std::filesystem::path& path, DescriptorView descriptors,
                           std::span<const std::size_t> rows_per_image) {
  const std::size_t rows =
      std::accumulate(rows_per_image.begin(), rows_per_image.end(), std::size_t{0});
  if (rows != descriptors.size()) {
    throw Error(ErrorKind::invalid_argument, "expected the rows of the images to add up to " +
                                                 std::to_string(descriptors.size()) + ", found " +
                                                 std::to_string(rows));
  }
  const bool binary = descriptors.type() == DescriptorType::binary;
  detail::Writer values(path, false, {}, 0);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    values.bytes(binary ? std::as_bytes(descriptors.bytes(i))
                        : std::as_bytes(descriptors.floats(i)));
  }
  detail::Writer text(description_of(path), false, {}, 0);
  text.text(binary ? "type u8\nbytes " : "type f32\ndim ");
  text.number(descriptors.width());
  text.text("\nimages ");
  text.number(rows_per_image.size());
  text.text("\nrows");
  for (const std::size_t count : rows_per_image) {
    text.text("\n");
    text.number(count);
  }
  text.text("\n");
  values.commit();
  text.commit();
}

}  // namespace looptree

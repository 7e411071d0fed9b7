// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/detail/onnx_input.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

// Numbers of the fields that are read, from onnx.proto.
constexpr std::uint64_t kModelGraph = 7;
constexpr std::uint64_t kGraphInitializer = 5;
constexpr std::uint64_t kGraphInput = 11;
constexpr std::uint64_t kTensorName = 8;
constexpr std::uint64_t kValueName = 1;
constexpr std::uint64_t kValueType = 2;
constexpr std::uint64_t kTypeTensor = 1;
constexpr std::uint64_t kTensorElement = 1;
constexpr std::uint64_t kTensorShape = 2;
constexpr std::uint64_t kShapeDimension = 1;
constexpr std::uint64_t kDimensionValue = 1;
constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kLargestSide = 8192;

[[noreturn]] void no_model() {
  throw Error(ErrorKind::corruption, "expected an ONNX model, found other bytes");
}

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;             ///< of a number
  std::span<const std::byte> bytes{};  ///< of anything that has a length
};

/// The fields of a protocol buffer's message, one after the other.
class Message {
 public:
  explicit Message(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool next(Field& field) {
    if (bytes_.empty()) return false;
    const std::uint64_t key = varint();
    field = {key >> 3U, 0, {}};
    switch (key & 7U) {
      case 0:
        field.value = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        no_model();
    }
    return true;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(take(1).front());
      value |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    no_model();
  }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size()) no_model();
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::byte> bytes_;
};

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of the last field of that number; none if there is none.
std::span<const std::byte> part(std::span<const std::byte> message, std::uint64_t number) {
  std::span<const std::byte> found;
  Field field;
  for (Message fields(message); fields.next(field);) {
    if (field.number == number) found = field.bytes;
  }
  return found;
}

/// The dimensions of a value; 0 where one has no number.
std::vector<std::uint64_t> shape_of(std::span<const std::byte> tensor) {
  std::vector<std::uint64_t> shape;
  Field field;
  for (Message fields(part(tensor, kTensorShape)); fields.next(field);) {
    if (field.number != kShapeDimension) continue;
    std::uint64_t size = 0;
    Field inner;
    for (Message dimension(field.bytes); dimension.next(inner);) {
      if (inner.number == kDimensionValue) size = inner.value;
    }
    shape.push_back(size);
  }
  return shape;
}

std::uint64_t element_of(std::span<const std::byte> tensor) {
  std::uint64_t element = 0;
  Field field;
  for (Message fields(tensor); fields.next(field);) {
    if (field.number == kTensorElement) element = field.value;
  }
  return element;
}

OnnxInput image_of(std::span<const std::byte> value) {
  const auto tensor = part(part(value, kValueType), kTypeTensor);
  const std::vector<std::uint64_t> shape = shape_of(tensor);
  OnnxInput input;
  input.name = text(part(value, kValueName));
  const bool is_image = element_of(tensor) == kFloat && shape.size() == 4 && shape[0] <= 1 &&
                        (shape[1] == 1 || shape[1] == 3) && shape[2] <= kLargestSide &&
                        shape[3] <= kLargestSide;
  if (!is_image) {
    std::string sizes;
    for (const std::uint64_t size : shape) {
      sizes += (sizes.empty() ? "" : " x ") + (size == 0 ? "any" : std::to_string(size));
    }
    throw Error(
        ErrorKind::unsupported,
        "expected a model that takes an image of floats, 1 x 1 or 3 x height x width, found "
        "input '" +
            input.name + "' of " + (sizes.empty() ? "no shape" : sizes));
  }
  input.channels = static_cast<int>(shape[1]);
  input.height = static_cast<int>(shape[2]);
  input.width = static_cast<int>(shape[3]);
  return input;
}

}  // namespace

OnnxInput onnx_input(std::span<const std::byte> file) {
  const auto graph = part(file, kModelGraph);
  if (graph.empty()) no_model();
  std::set<std::string> weights;  // old models name them among the inputs
  std::vector<std::span<const std::byte>> inputs;
  Field field;
  for (Message fields(graph); fields.next(field);) {
    if (field.number == kGraphInitializer) weights.insert(text(part(field.bytes, kTensorName)));
    if (field.number == kGraphInput) inputs.push_back(field.bytes);
  }
  std::erase_if(inputs, [&](std::span<const std::byte> input) {
    return weights.contains(text(part(input, kValueName)));
  });
  if (inputs.size() != 1) {
    throw Error(ErrorKind::unsupported, "expected a model with one input, an image, found " +
                                            std::to_string(inputs.size()));
  }
  return image_of(inputs.front());
}

}  // namespace looptree::detail

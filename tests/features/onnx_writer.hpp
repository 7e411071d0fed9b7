// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace looptree::test {

/// Writes small ONNX models, field by field of onnx.proto.
class OnnxWriter {
 public:
  using Shape = std::vector<std::int64_t>;

  /// An image of floats; a size of 0 is left open.
  void input(const std::string& name, const Shape& shape) { put(graph_, 11, value(name, shape)); }
  void output(const std::string& name) { put(graph_, 12, value(name, {})); }
  void floats(const std::string& name, const Shape& shape, const std::vector<float>& data) {
    tensor(name, shape, 1, {reinterpret_cast<const char*>(data.data()), data.size() * 4});
  }
  void numbers(const std::string& name, const Shape& data) {
    tensor(name, {static_cast<std::int64_t>(data.size())}, 7,
           {reinterpret_cast<const char*>(data.data()), data.size() * 8});
  }
  /// Every 8 x 8 pixels become as many channels as `bias` has; weights [out][pixel].
  void cells(const std::string& from, const std::string& to, const std::vector<float>& weights,
             const std::vector<float>& bias) {
    const auto out = static_cast<std::int64_t>(bias.size());
    floats(to + "_weights", {out, 1, 8, 8}, weights);
    floats(to + "_bias", {out}, bias);
    node("Conv", {from, to + "_weights", to + "_bias"}, to,
         {{"kernel_shape", {8, 8}}, {"strides", {8, 8}}});
  }
  void reshape(const std::string& from, const std::string& to, const Shape& shape) {
    numbers(to + "_shape", shape);
    node("Reshape", {from, to + "_shape"}, to, {});
  }
  void node(const std::string& kind, const std::vector<std::string>& from, const std::string& to,
            const std::vector<std::pair<std::string, Shape>>& attributes) {
    std::string text;
    for (const std::string& name : from) put(text, 1, name);
    put(text, 2, to);
    put(text, 3, to);
    put(text, 4, kind);
    for (const auto& [name, values] : attributes) {
      std::string attribute;
      put(attribute, 1, name);
      for (const std::int64_t number : values) put(attribute, 8, number);
      put(attribute, 20, std::int64_t{7});
      put(text, 5, attribute);
    }
    put(graph_, 1, text);
  }

  std::string file() const {
    std::string opset;
    put(opset, 2, std::int64_t{11});
    std::string model;
    put(model, 1, std::int64_t{6});
    put(model, 7, graph_);
    put(model, 8, opset);
    return model;
  }

 private:
  static void varint(std::string& to, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) to += static_cast<char>(0x80U | (number & 0x7FU));
    to += static_cast<char>(number);
  }
  static void put(std::string& to, unsigned field, std::int64_t number) {
    varint(to, field << 3U);
    varint(to, static_cast<std::uint64_t>(number));
  }
  static void put(std::string& to, unsigned field, const std::string& text) {
    varint(to, field << 3U | 2U);
    varint(to, text.size());
    to += text;
  }
  void tensor(const std::string& name, const Shape& shape, std::int64_t type,
              const std::string& data) {
    std::string text;
    for (const std::int64_t size : shape) put(text, 1, size);
    put(text, 2, type);
    put(text, 8, name);
    put(text, 9, data);
    put(graph_, 5, text);
  }
  static std::string value(const std::string& name, const Shape& shape) {
    std::string dimensions;
    for (const std::int64_t size : shape) {
      std::string dimension;
      if (size == 0) {
        put(dimension, 2, std::string("any"));
      } else {
        put(dimension, 1, size);
      }
      put(dimensions, 1, dimension);
    }
    std::string tensor;
    put(tensor, 1, std::int64_t{1});
    put(tensor, 2, dimensions);
    std::string type;
    put(type, 1, tensor);
    std::string text;
    put(text, 1, name);
    put(text, 2, type);
    return text;
  }

  std::string graph_;
};

}  // namespace looptree::test

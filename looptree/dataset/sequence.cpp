// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/sequence.hpp"

#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {

Sequence::Sequence(SequenceInfo info, std::unique_ptr<ImageSource> source)
    : info_(std::move(info)), source_(std::move(source)) {}

std::optional<Frame> Sequence::next() {
  if (position_ == size()) return std::nullopt;
  const std::size_t number = position_++;
  Frame frame{number, info_.frames[number], source_->load(number)};
  if (width_ == 0) {
    width_ = frame.image.width;
    height_ = frame.image.height;
  }
  if (info_.is_route) check_size(frame.image, width_, height_, frame.info.name);
  return frame;
}

Image Sequence::image(std::size_t frame) {
  if (frame >= size()) {
    throw Error(ErrorKind::invalid_argument, "expected a frame below " + std::to_string(size()) +
                                                 ", found " + std::to_string(frame));
  }
  return source_->load(frame);
}

void check_size(const Image& image, int width, int height, const std::string& name) {
  if (image.width == width && image.height == height) return;
  throw Error(ErrorKind::corruption,
              "expected " + name + " to be " + std::to_string(width) + "x" +
                  std::to_string(height) + " like the images before it, found " +
                  std::to_string(image.width) + "x" + std::to_string(image.height));
}

}  // namespace looptree

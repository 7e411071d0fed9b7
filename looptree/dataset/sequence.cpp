// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/sequence.hpp"

#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {

Sequence::Sequence(SequenceInfo info, std::unique_ptr<ImageSource> source, DepthSources beside)
    : info_(std::move(info)), source_(std::move(source)), beside_(std::move(beside)) {}

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

void Sequence::check_number(std::size_t frame) const {
  if (frame < size()) return;
  throw Error(ErrorKind::invalid_argument, "expected a frame below " + std::to_string(size()) +
                                               ", found " + std::to_string(frame));
}

Image Sequence::image(std::size_t frame) {
  check_number(frame);
  return source_->load(frame);
}

bool Sequence::is_random_access() const {
  return source_->is_random_access() &&
         (beside_.right == nullptr || beside_.right->is_random_access());
}

Image Sequence::right_image(std::size_t frame, const Image& like) {
  check_number(frame);
  if (beside_.right == nullptr) return {};
  Image image = beside_.right->load(frame);
  check_size(image, like.width, like.height, "the second camera's " + info_.frames[frame].name);
  return image;
}

DepthImage Sequence::depth_image(std::size_t frame, const Image& like) {
  check_number(frame);
  if (beside_.depth == nullptr) return {};
  DepthImage depth = beside_.depth->load(frame);
  if (depth.empty() || (depth.width == like.width && depth.height == like.height)) return depth;
  throw Error(ErrorKind::corruption, "expected the depth image of " + info_.frames[frame].name +
                                         " to be " + std::to_string(like.width) + "x" +
                                         std::to_string(like.height) + " like the image, found " +
                                         std::to_string(depth.width) + "x" +
                                         std::to_string(depth.height));
}

void check_size(const Image& image, int width, int height, const std::string& name) {
  if (image.width == width && image.height == height) return;
  throw Error(ErrorKind::corruption,
              "expected " + name + " to be " + std::to_string(width) + "x" +
                  std::to_string(height) + " like the images before it, found " +
                  std::to_string(image.width) + "x" + std::to_string(image.height));
}

}  // namespace looptree

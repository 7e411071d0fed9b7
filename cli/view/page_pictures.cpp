// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/view/page_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>
#include <fmt/ostream.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"

#include "cli/page/embed.hpp"

namespace looptree::cli {
namespace {

constexpr int kFrameWidth = 320;
constexpr int kPairWidth = 640;
constexpr int kQuality = 60;
/// Of the bytes of all pictures, and what a pixel takes in a page: measured on streets at kQuality.
constexpr double kBudget = 45e6;
constexpr double kBytesPerPixel = 0.19;
/// Pictures in one script element: what is looked through to find one of them.
constexpr std::size_t kBatch = 64;

struct Pictures {
  std::string frame;
  std::string pair;
  bool unreadable = false;
};

void write_element(std::ostream& page, int set, const char* kind, std::size_t first,
                   const std::vector<Pictures>& batch, std::string Pictures::*which) {
  const bool any = std::any_of(batch.begin(), batch.end(), [&](const Pictures& pictures) {
    return !(pictures.*which).empty();
  });
  if (!any) return;
  fmt::print(page,
             "<script type=\"text/plain\" data-set=\"{}\" data-kind=\"{}\" data-first=\"{}\">", set,
             kind, first);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!(batch[i].*which).empty()) fmt::print(page, "\n{} {}", first + i, batch[i].*which);
  }
  page << "\n</script>\n";
}

}  // namespace

PictureWidths picture_widths(const Image& image, std::size_t frames, std::size_t pair_frames,
                             std::optional<int> frame, std::optional<int> pair) {
  const double height_of_width = static_cast<double>(image.height) / std::max(1, image.width);
  const auto within = [&](std::size_t count, int most) {
    const double pixels =
        kBudget / 2 / kBytesPerPixel / static_cast<double>(std::max<std::size_t>(1, count));
    return std::min(most, static_cast<int>(std::sqrt(pixels / height_of_width)) / 8 * 8);
  };
  return {frame.value_or(within(frames, kFrameWidth)),
          pair.value_or(within(pair_frames, kPairWidth))};
}

std::vector<std::uint8_t> encode_picture(const Image& image, int width) {
  const cv::Mat whole(image.height, image.width, CV_8U,
                      const_cast<std::uint8_t*>(image.pixels.data()));
  cv::Mat small = whole;
  if (width < image.width) {
    const int height = std::max(
        1, static_cast<int>(std::lround(static_cast<double>(image.height) * width / image.width)));
    cv::resize(whole, small, {width, height}, 0, 0, cv::INTER_AREA);
  }
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".webp", small, bytes, {cv::IMWRITE_WEBP_QUALITY, kQuality})) {
    throw Error(ErrorKind::unsupported, "expected an OpenCV that writes WebP, found one without");
  }
  return bytes;
}

std::size_t write_pictures(std::ostream& page, Sequence& sequence, int set,
                           const PictureWidths& widths, const std::set<std::size_t>& pair_frames,
                           const ProgressCallback& progress) {
  std::size_t unreadable = 0;
  if (widths.frame <= 0 && widths.pair <= 0) return 0;
  std::vector<Image> images(kBatch);
  for (std::size_t first = 0; first < sequence.size(); first += kBatch) {
    std::vector<Pictures> batch(std::min(kBatch, sequence.size() - first));
    const auto read = [&](std::size_t i) {
      try {
        images[i] = sequence.image(first + i);
      } catch (const Error&) {
        batch[i].unreadable = true;
      }
    };
    if (!sequence.is_random_access()) {
      for (std::size_t i = 0; i < batch.size(); ++i) read(i);
    }
    parallel_for(batch.size(), 0, [&](std::size_t i) {
      if (sequence.is_random_access()) read(i);
      if (batch[i].unreadable) return;
      if (widths.frame > 0) batch[i].frame = base64(encode_picture(images[i], widths.frame));
      if (widths.pair > 0 && pair_frames.contains(first + i)) {
        batch[i].pair = base64(encode_picture(images[i], widths.pair));
      }
    });
    for (const Pictures& pictures : batch) unreadable += pictures.unreadable ? 1 : 0;
    write_element(page, set, "frame", first, batch, &Pictures::frame);
    write_element(page, set, "pair", first, batch, &Pictures::pair);
    report(progress, first + batch.size(), sequence.size());
  }
  return unreadable;
}

}  // namespace looptree::cli

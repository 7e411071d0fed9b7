// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/open.hpp"

#include <algorithm>
#include <array>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"

namespace looptree {
namespace {

struct Reader {
  std::string_view name;
  bool (*looks_like)(const detail::Path&);
  detail::SequencePtr (*open)(const detail::Path&, const OpenOptions&);
};

constexpr std::array kReaders{
    Reader{"demo", detail::looks_like_demo, detail::open_demo},
    Reader{"bag", detail::looks_like_bag, detail::open_bag},
    Reader{"tum", detail::looks_like_tum, detail::open_tum},
    Reader{"kitti", detail::looks_like_kitti, detail::open_kitti},
    Reader{"oxford", detail::looks_like_oxford, detail::open_oxford},
    Reader{"ukbench", detail::looks_like_ukbench, detail::open_ukbench},
    Reader{"holidays", detail::looks_like_holidays, detail::open_holidays},
    Reader{"video", detail::looks_like_video, detail::open_video},
    Reader{"list", detail::looks_like_list, detail::open_list},
    Reader{"glob", detail::looks_like_glob, detail::open_glob},
    Reader{"images", detail::looks_like_images, detail::open_images},
};

constexpr auto kFormats = [] {
  std::array<std::string_view, kReaders.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kReaders[i].name;
  return names;
}();

const Reader& reader_named(const std::string& name) {
  const auto found = std::find_if(kReaders.begin(), kReaders.end(),
                                  [&](const Reader& reader) { return reader.name == name; });
  if (found != kReaders.end()) return *found;
  std::string known;
  for (const std::string_view format : kFormats) known += " " + std::string(format);
  throw Error(ErrorKind::invalid_argument,
              "expected a format of:" + known + "; found '" + name + "'");
}

const Reader& reader_for(const detail::Path& path) {
  for (const Reader& reader : kReaders) {
    if (reader.looks_like(path)) return reader;
  }
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::not_found,
                "expected a sequence at " + path.string() + ", found nothing there");
  }
  throw Error(ErrorKind::not_found, "expected images, a video or a dataset's folder at " +
                                        path.string() + ", found nothing that a reader knows");
}

}  // namespace

std::span<const std::string_view> sequence_formats() {
  return kFormats;
}

std::unique_ptr<Sequence> open_sequence(const std::filesystem::path& path,
                                        const OpenOptions& options) {
  const Reader& reader = options.format.empty() ? reader_for(path) : reader_named(options.format);
  require(options.camera != CameraSide::both || reader.name == "oxford",
          ErrorKind::invalid_argument,
          "expected the left or the right camera: only Oxford's sequences interleave both");
  auto sequence = reader.open(path, options);
  if (sequence->size() == 0) {
    throw Error(ErrorKind::not_found, "expected images at " + path.string() + ", found none");
  }
  return sequence;
}

}  // namespace looptree

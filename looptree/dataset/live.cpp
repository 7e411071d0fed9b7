// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Pipes and growing folders; cameras and streams are in live_camera.cpp.
#include "looptree/dataset/live.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "looptree/common/require_number.hpp"
#include "looptree/dataset/detail/image_splitter.hpp"
#include "looptree/dataset/detail/live_camera.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Waits in slices, so that the caller is asked and the end of patience is seen.
class Patience {
 public:
  Patience(const LiveSource::KeepWaiting& keep_waiting, double idle_s)
      : keep_waiting_(keep_waiting), idle_s_(idle_s), start_(Clock::now()) {}
  bool is_over() const {
    if (keep_waiting_ && !keep_waiting_()) return true;
    return idle_s_ > 0 && std::chrono::duration<double>(Clock::now() - start_).count() > idle_s_;
  }

 private:
  const LiveSource::KeepWaiting& keep_waiting_;
  double idle_s_;
  Clock::time_point start_;
};

constexpr int kSlice_ms = 100;

/// Standard input.
class PipeSource final : public LiveSource {
 public:
  explicit PipeSource(const LiveOptions& options) : options_(options) {}

  std::optional<LiveFrame> next(const KeepWaiting& keep_waiting) override {
    const Patience patience(keep_waiting, options_.idle_s);
    for (;;) {
      if (auto frame = options_.raw_width > 0 ? next_raw() : next_encoded()) return frame;
      if (at_end_) return leftover();
      if (!read_more() && patience.is_over()) return std::nullopt;
    }
  }

 private:
  std::optional<LiveFrame> next_raw() {
    const std::size_t size = static_cast<std::size_t>(options_.raw_width) *
                             static_cast<std::size_t>(options_.raw_height);
    if (raw_.size() < size) return std::nullopt;
    LiveFrame frame = begin_frame();
    frame.image = Image(options_.raw_width, options_.raw_height);
    std::copy_n(raw_.begin(), size, frame.image.pixels.begin());
    raw_.erase(raw_.begin(), raw_.begin() + static_cast<std::ptrdiff_t>(size));
    return frame;
  }

  std::optional<LiveFrame> next_encoded() {
    const auto bytes = splitter_.next();
    if (!bytes) return std::nullopt;
    LiveFrame frame = begin_frame();
    try {
      frame.image = decode_image(*bytes, frame.info.name + " of standard input");
    } catch (const Error& error) {
      frame.error = error;
    }
    return frame;
  }

  /// A last image that was cut off is a frame that cannot be read, once.
  std::optional<LiveFrame> leftover() {
    const std::size_t bytes = options_.raw_width > 0 ? raw_.size() : splitter_.waiting();
    if (bytes == 0 || told_of_leftover_) return std::nullopt;
    told_of_leftover_ = true;
    LiveFrame frame = begin_frame();
    frame.error = Error(ErrorKind::corruption,
                        "expected whole images on standard input, found that it ends after " +
                            std::to_string(bytes) + " bytes of one");
    return frame;
  }

  LiveFrame begin_frame() {
    LiveFrame frame{.number = count_++};
    frame.info.name = "frame " + std::to_string(frame.number);
    frame.info.time_s = detail::wall_clock_s();
    return frame;
  }

  /// False if nothing came in a slice of time.
  bool read_more() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kSlice_ms) <= 0) return false;
    const ssize_t got = read(STDIN_FILENO, piece_.data(), piece_.size());
    if (got < 0) return false;
    if (got == 0) at_end_ = true;
    const std::span<const std::uint8_t> bytes(piece_.data(), static_cast<std::size_t>(got));
    if (options_.raw_width > 0) {
      raw_.insert(raw_.end(), bytes.begin(), bytes.end());
    } else {
      splitter_.push(bytes);
    }
    return true;
  }

  LiveOptions options_;
  detail::ImageSplitter splitter_;
  std::vector<std::uint8_t> raw_;
  std::vector<std::uint8_t> piece_ = std::vector<std::uint8_t>(1U << 18U);
  std::uint64_t count_ = 0;
  bool at_end_ = false;
  bool told_of_leftover_ = false;
};

/// A folder that others write into. A file is taken when its size has stayed the same for a look,
/// and one that still cannot be decoded gets some more looks: it may be on its way.
class FolderSource final : public LiveSource {
 public:
  FolderSource(fs::path folder, const LiveOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  std::optional<LiveFrame> next(const KeepWaiting& keep_waiting) override {
    const Patience patience(keep_waiting, options_.idle_s);
    for (;;) {
      while (!ready_.empty()) {
        if (auto frame = take()) return frame;
      }
      look();
      if (!ready_.empty()) continue;
      if (patience.is_over()) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(kSlice_ms));
    }
  }

 private:
  struct Candidate {
    std::uintmax_t bytes = 0;
    int looks = 0;  ///< at a whole file that could not be decoded
  };

  void look() {
    if (!fs::is_directory(folder_)) {
      throw Error(ErrorKind::io, "expected the folder " + folder_.string() + ", found it gone");
    }
    for (const fs::path& file : detail::image_files(folder_)) {
      const std::string name = file.filename().string();
      if (done_.contains(name)) continue;
      std::error_code none;
      const std::uintmax_t bytes = fs::file_size(file, none);
      if (none || bytes == 0) continue;
      const auto [known, is_new] = growing_.try_emplace(name);
      if (!is_new && known->second.bytes == bytes) ready_.push_back(file);
      known->second.bytes = bytes;
    }
  }

  std::optional<LiveFrame> take() {
    constexpr int kMostLooks = 20;
    const fs::path file = ready_.front();
    ready_.pop_front();
    const std::string name = file.filename().string();
    LiveFrame frame{.info = {.name = name, .time_s = detail::wall_clock_s()}};
    try {
      frame.image = read_image(file.string());
    } catch (const Error& error) {
      Candidate& candidate = growing_[name];
      candidate.bytes = 0;  // waits for two more looks that agree
      if (++candidate.looks < kMostLooks) return std::nullopt;
      frame.error = error;
    }
    frame.number = count_++;
    growing_.erase(name);
    done_.insert(name);
    return frame;
  }

  fs::path folder_;
  LiveOptions options_;
  std::deque<fs::path> ready_;
  std::map<std::string, Candidate> growing_;
  std::set<std::string> done_;
  std::uint64_t count_ = 0;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

bool is_live(const std::string& what) {
  return what == "-" || what.find("://") != std::string::npos || what.starts_with("/dev/video") ||
         (is_number(what) && !fs::exists(what));
}

std::unique_ptr<LiveSource> open_live(const std::string& what, const LiveOptions& options) {
  require_number(options.idle_s >= 0, "idle_s of 0 or more", options.idle_s);
  require((options.raw_width > 0) == (options.raw_height > 0) && options.raw_width >= 0 &&
              options.raw_width <= 65536 && options.raw_height <= 65536,
          ErrorKind::invalid_argument,
          "expected a raw size up to 65536x65536, found " + std::to_string(options.raw_width) +
              "x" + std::to_string(options.raw_height));
  if (what == "-") return std::make_unique<PipeSource>(options);
  if (is_live(what)) return detail::open_camera(what, options);
  if (fs::is_directory(what)) return std::make_unique<FolderSource>(what, options);
  throw Error(ErrorKind::not_found,
              "expected a camera (/dev/video0, 0), an address with ://, - or a folder, found '" +
                  what + "'");
}

}  // namespace looptree

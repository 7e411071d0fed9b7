// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <fstream>
#include <iomanip>
#include <mutex>
#include <string>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/common/write_error.hpp"
#include "looptree/dataset/demo_world.hpp"
#include "looptree/graph/trajectory.hpp"

namespace looptree {
namespace {

namespace fs = std::filesystem;

std::string image_name(std::size_t frame) {
  std::string digits = std::to_string(frame);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return digits + ".png";
}

/// A text file; `write` fills it.
template <typename Write>
void write_text(const fs::path& path, Write write) {
  std::ofstream file(path);
  file << std::scientific << std::setprecision(9);
  write(file);
  file.flush();
  if (!file) throw write_error(path);
}

void make_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (!problem) return;
  throw Error(ErrorKind::io,
              "expected to make the folder " + folder.string() + ", found: " + problem.message());
}

/// A row of calib.txt; `right_m`: metres of the camera to the right of the first.
void write_camera(std::ostream& out, const char* name, const Calibration& c, double right_m) {
  out << name << ": " << c.fx << " 0 " << c.cx << ' ' << (right_m > 0 ? -c.fx * right_m : 0)
      << " 0 " << c.fy << ' ' << c.cy << " 0 0 0 1 0\n";
}

void write_images(Sequence& sequence, const fs::path& folder, const ProgressCallback& progress) {
  std::mutex mutex;
  std::size_t done = 0;
  const std::size_t threads = sequence.is_random_access() ? 0 : 1;
  parallel_for(sequence.size(), threads, [&](std::size_t i) {
    const Image image = sequence.image(i);
    write_image((folder / "image_0" / image_name(i)).string(), image);
    if (sequence.has_right()) {
      write_image((folder / "image_1" / image_name(i)).string(), sequence.right_image(i, image));
    }
    const std::lock_guard lock(mutex);
    report(progress, ++done, sequence.size());
  });
}

/// Whether every frame has what `member` points at.
template <typename Member>
bool all_have(const SequenceInfo& info, Member member) {
  for (const SequenceFrame& frame : info.frames) {
    if (!(frame.*member)) return false;
  }
  return true;
}

}  // namespace

void export_kitti(Sequence& sequence, const fs::path& folder, const ProgressCallback& progress) {
  const SequenceInfo& info = sequence.info();
  make_folder(folder / "image_0");
  if (sequence.has_right()) make_folder(folder / "image_1");
  write_images(sequence, folder, progress);
  if (all_have(info, &SequenceFrame::time_s)) {
    write_text(folder / "times.txt", [&](std::ostream& out) {
      for (const SequenceFrame& frame : info.frames) out << *frame.time_s << '\n';
    });
  }
  if (all_have(info, &SequenceFrame::pose)) {
    std::vector<Pose> poses;
    for (const SequenceFrame& frame : info.frames) poses.push_back(*frame.pose);
    write_kitti(folder / "poses.txt", poses);
  }
  if (info.calibration) {
    write_text(folder / "calib.txt", [&](std::ostream& out) {
      write_camera(out, "P0", *info.calibration, 0);
      if (sequence.has_right()) write_camera(out, "P1", *info.calibration, *info.baseline_m);
    });
  }
}

}  // namespace looptree

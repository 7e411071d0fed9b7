// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/relocalize.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "cli/camera_options.hpp"
#include "cli/command.hpp"
#include "cli/fit_features.hpp"
#include "cli/progress_bar.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {
namespace {

struct QueryJob {
  std::string map;
  std::vector<std::string> images;
  ExtractorChoice extractor;
  std::optional<std::size_t> min_inliers{};
  RelocalizeOptions options;
  std::vector<std::uint32_t> sessions;
  CameraOptions camera;
  bool csv = false;
  bool pose = false;
};

Map open(const std::string& path) {
  ProgressBar bar("opening " + path);
  MapOpenOptions options;
  options.access = MapAccess::read;
  options.progress = bar.callback();
  return Map::open(path, options);
}

const char* verdict(const Relocation& found) {
  if (!found.has_features) return "unchecked";
  return found.verified ? "yes" : "no";
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// Standard deviations in all: metres, degrees.
std::array<double, 2> sigmas_of(const MeasuredPose& pose) {
  const MetricPose metric{.match_from_query = pose};
  return {metric.sigma_m(), metric.sigma_deg()};
}

/// The upper triangle, row by row, with blanks between.
std::string triangle(const Information& information) {
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i; j < 6; ++j) {
      fmt::format_to(std::back_inserter(text), "{}{:.9g}", text.empty() ? "" : " ",
                     information(i, j));
    }
  }
  return text;
}

constexpr const char* kPoseColumns = ",tx,ty,tz,qx,qy,qz,qw,sigma_m,sigma_deg,information";

/// tx,ty,tz,qx,qy,qz,qw; empty fields where it is not known.
std::string fields(const std::optional<Pose>& pose) {
  if (!pose) return ",,,,,,";
  const auto& t = pose->translation;
  const auto q = quaternion(pose->rotation);
  return fmt::format("{:.6f},{:.6f},{:.6f},{:.9f},{:.9f},{:.9f},{:.9f}", t[0], t[1], t[2], q[0],
                     q[1], q[2], q[3]);
}

/// Where the frame was taken, by the map, and what kept a frame from being the place.
std::string place_lines(const Relocation& found, const FrameInfo& info) {
  if (!found.refusal.empty()) return "     refused: " + found.refusal + "\n";
  if (!found.verified || !info.pose) return "";
  const auto& t = info.pose->translation;
  const auto q = quaternion(info.pose->rotation);
  return fmt::format(
      "     taken at {:.3f} {:.3f} {:.3f}, turned {:.5f} {:.5f} {:.5f} {:.5f} (x y z w)\n", t[0],
      t[1], t[2], q[0], q[1], q[2], q[3]);
}

/// kPoseColumns; empty where the pose is not known.
std::string pose_fields(const Relocation& found) {
  if (!found.pose) return "," + fields({}) + ",,,";
  const auto [metres, degrees] = sigmas_of(*found.pose);
  return fmt::format(",{},{:.6f},{:.6f},{}", fields(found.pose->pose), metres, degrees,
                     triangle(found.pose->information));
}

/// Where the camera is, or why nobody can say.
std::string pose_lines(const Relocation& found) {
  if (!found.pose) {
    return found.verification.metric
               ? "     no pose: the map does not know where this frame was taken\n"
               : "     no pose: it takes --calibration and depth of the map's frames, or "
                 "odometry\n";
  }
  const auto& t = found.pose->pose.translation;
  const auto q = quaternion(found.pose->pose.rotation);
  const auto [metres, degrees] = sigmas_of(*found.pose);
  return fmt::format(
      "     at {:.3f} {:.3f} {:.3f} m, turned {:.5f} {:.5f} {:.5f} {:.5f} (x y z w); one sigma: "
      "{:.3f} m, {:.2f} degrees\n",
      t[0], t[1], t[2], q[0], q[1], q[2], q[3], metres, degrees);
}

void print(const QueryJob& job, const Map& map, const std::string& image,
           const std::vector<Relocation>& found) {
  if (found.empty() && !job.csv)
    fmt::print("{}: no frame of the map shares a word with it\n", image);
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    const Relocation& one = found[rank];
    const FrameInfo info = map.info(one.frame).value_or(FrameInfo{});
    if (job.csv) {
      fmt::print("{},{},{},{},{},{:.6f},{},{},{:.3f},{}{},{},{}\n", quoted(image), rank + 1,
                 one.frame.value, info.session.value, quoted(info.name), one.score,
                 one.verification.correspondences, one.verification.inliers.size(),
                 one.verification.coverage, verdict(one), job.pose ? pose_fields(one) : "",
                 quoted(one.refusal), fields(info.pose));
    } else {
      fmt::print("{:24} {:4} {:8} {:7}  {:20} {:7.4f} {:7}  {}\n", rank == 0 ? image : "", rank + 1,
                 one.frame.value, info.session.value, info.name, one.score,
                 one.verification.inliers.size(), verdict(one));
      fmt::print("{}", place_lines(one, info));
      if (job.pose && one.verified) fmt::print("{}", pose_lines(one));
    }
  }
}

void run(QueryJob job) {
  if (const auto camera = camera_of(job.camera)) job.options.calibration = camera->calibration;
  const Map map = open(job.map);
  const Vocabulary vocabulary = load_vocabulary(map);
  fit_features(job.extractor, map.vocabulary().hash);
  ask_for_evidence(job.options, job.extractor.kind, job.min_inliers);
  const auto extractor = make_extractor(job.extractor);
  if (!job.sessions.empty()) {
    job.options.filter.sessions.emplace();
    for (const std::uint32_t id : job.sessions) job.options.filter.sessions->emplace_back(id);
  }
  if (job.csv) {
    fmt::print(
        "image,rank,frame,session,name,score,correspondences,inliers,coverage,verified{},refusal,"
        "frame_tx,frame_ty,frame_tz,frame_qx,frame_qy,frame_qz,frame_qw\n",
        job.pose ? kPoseColumns : "");
  } else {
    fmt::print("{:24} {:4} {:>8} {:7}  {:20} {:>7} {:7}  verified\n", "image", "rank", "frame",
               "session", "name", "score", "inliers");
  }
  // Where no frame has depths, poses of neighbours are right against each other, whoever made them.
  job.options.pose.enabled = job.pose;
  job.options.pose.from_odometry = job.pose;
  std::size_t unreadable = 0;
  for (const std::string& path : job.images) {
    try {
      const Features features = extractor->extract(read_image(path));
      print(job, map, path, relocalize(map, vocabulary, features, job.options));
    } catch (const Error& error) {
      // One bad image does not keep the others from their answer.
      if (error.kind() != ErrorKind::not_found && error.kind() != ErrorKind::corruption) throw;
      fmt::print(stderr, "error: {}\n", error.what());
      ++unreadable;
    }
  }
  if (unreadable > 0) {
    throw Error(ErrorKind::not_found,
                fmt::format("expected {} images, found {} that could not be read",
                            job.images.size(), unreadable));
  }
}

}  // namespace

void add_query(CLI::App& app) {
  const auto job = std::make_shared<QueryJob>();
  CLI::App* command = app.add_subcommand("query", "Say where in a map images were taken");
  command->add_option("MAP", job->map, "A map, as \"looptree detect --map\" makes them")
      ->required();
  command->add_option("IMAGE", job->images, "Image files")->required();
  command->add_option("--top-k", job->options.top_k, "Frames looked at, and printed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--threshold", job->options.threshold, "Least score, from 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--session", job->sessions, "Search these sessions only");
  command->add_option("--min-inliers", job->min_inliers,
                      "Inliers that verify a match; default: as many as make a closure at first "
                      "sight, by features: 60 learned, 35 orb");
  add_camera_options(*command, job->camera);
  command->add_flag(
      "--pose", job->pose,
      "Also print where the camera is in the map's frame, and how sure that is. Takes\n"
      "--calibration, poses of the map's frames, and their depth (a run of a stereo\n"
      "or depth camera, or with --odometry)");
  command->add_flag("--csv", job->csv, "Print comma-separated values");
  add_extractor_options(*command, job->extractor);
  command->footer(
      "Prints the frames that look most like each image. Where the map keeps features, geometry\n"
      "says whether it is the same place: \"yes\" comes first, with where that frame was taken if\n"
      "the map has poses; \"no\" is only similar, and the line below says by which number;\n"
      "\"unchecked\" came without features. Use the features the map was made with. Exit code 1\n"
      "if an image or the map cannot be read.\n\n"
      "Example: looptree detect drive1 --map city.map && looptree query city.map lost.png");
  command->callback([job] { run(*job); });
}

}  // namespace looptree::cli

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/calibration_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/settings_text.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree {
namespace {

using detail::Settings;

/// A calibration is a page of text. What is larger is something else.
constexpr std::size_t kLargest = std::size_t{1} << 20U;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::not_found,
                "expected a calibration file at " + path.string() + ", found none");
  }
  std::string text;
  text.resize(kLargest + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() <= kLargest) return text;
  throw Error(ErrorKind::corruption,
              "expected a calibration file, found more than a megabyte in " + path.string());
}

class FileReader {
 public:
  FileReader(std::string path, const Settings& settings)
      : path_(std::move(path)), settings_(settings) {}

  /// The words of the first of these settings that there is; null without any.
  const std::vector<std::string>* words(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto found = settings_.find(std::string(name));
      if (found != settings_.end()) return &found->second;
    }
    return nullptr;
  }

  std::string word(std::initializer_list<std::string_view> names) const {
    const auto* found = words(names);
    return found != nullptr ? found->front() : std::string();
  }

  std::optional<std::vector<double>> numbers(std::initializer_list<std::string_view> names) const {
    const auto* found = words(names);
    if (found == nullptr) return std::nullopt;
    std::vector<double> values;
    for (const std::string& text : *found) values.push_back(number(text));
    return values;
  }

  double single(const std::string& name, double otherwise) const {
    const auto* found = words({name});
    return found != nullptr ? number(found->front()) : otherwise;
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw Error(ErrorKind::corruption,
                "expected " + expected + " in " + path_ + ", found " + found);
  }

  const std::string& path() const { return path_; }

 private:
  double number(const std::string& text) const {
    double value = 0;
    const char* const end = text.data() + text.size();
    const char* const start = text.data() + (text.starts_with("+") ? 1 : 0);
    const auto [rest, problem] = std::from_chars(start, end, value);
    if (problem != std::errc() || rest != end) refuse("numbers", "'" + text.substr(0, 40) + "'");
    return value;
  }

  std::string path_;
  const Settings& settings_;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// A side of an image; 0, which is not to say it, for what is none.
int pixels(double side) {
  return side >= 1 && side <= 1e6 ? static_cast<int>(side) : 0;
}

/// The lens that a file names; empty names are OpenCV's ordinary lens.
LensModel lens_named(const FileReader& file, const std::string& name) {
  const std::string known = lower(name);
  if (known.empty() || known == "plumb_bob" || known == "rational_polynomial" ||
      known == "radtan" || known == "radial-tangential") {
    return LensModel::brown_conrady;
  }
  if (known == "equidistant" || known == "fisheye" || known == "kannalabrandt8") {
    return LensModel::fisheye;
  }
  if (known == "none") return LensModel::pinhole;
  throw Error(ErrorKind::unsupported,
              "expected a lens of plumb_bob, rational_polynomial, radtan, equidistant, fisheye or "
              "none in " +
                  file.path() + ", found " + name);
}

/// Takes the coefficients of that lens. All zeros are no distortion.
void set_lens(const FileReader& file, Calibration& camera, LensModel lens,
              const std::vector<double>& values) {
  const bool bends =
      std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
  if (lens == LensModel::pinhole || (!bends && lens == LensModel::brown_conrady)) return;
  const std::size_t most = lens == LensModel::fisheye ? 4 : 8;
  const std::size_t fewest = lens == LensModel::fisheye ? 4 : 2;
  const bool has_rest =
      std::any_of(values.begin() + static_cast<std::ptrdiff_t>(std::min(most, values.size())),
                  values.end(), [](double value) { return value != 0; });
  if (values.size() < fewest || has_rest) {
    throw Error(ErrorKind::unsupported,
                "expected " + std::to_string(fewest) + " to " + std::to_string(most) +
                    " coefficients of a " + std::string(to_string(lens)) + " lens in " +
                    file.path() + ", found " + std::to_string(values.size()));
  }
  camera.lens = lens;
  std::copy_n(values.begin(), std::min(most, values.size()), camera.distortion.begin());
}

/// A 3x3 matrix, row by row.
void set_matrix(const FileReader& file, Calibration& camera, const std::vector<double>& k) {
  if (k.size() != 9) file.refuse("a camera matrix of 9 numbers", std::to_string(k.size()));
  camera.fx = k[0];
  camera.fy = k[4];
  camera.cx = k[2];
  camera.cy = k[5];
}

/// OpenCV's storage and ROS's camera_info: a matrix, and coefficients beside it.
std::optional<CameraFile> read_matrix_form(const FileReader& file) {
  const auto k = file.numbers({"camera_matrix.data", "Camera_Matrix.data", "cameraMatrix.data",
                               "CameraMatrix.data", "K.data", "M1.data", "K", "k"});
  if (!k) return std::nullopt;
  CameraFile camera;
  set_matrix(file, camera.calibration, *k);
  const std::string fisheye = file.word({"fisheye_model"});
  const std::string lens = fisheye.empty() || fisheye == "0"
                               ? file.word({"distortion_model", "camera_model"})
                               : std::string("fisheye");
  const auto d = file.numbers({"distortion_coefficients.data", "Distortion_Coefficients.data",
                               "distCoeffs.data", "dist_coeffs.data", "distortion.data", "D.data",
                               "D1.data", "D", "d"});
  if (d) set_lens(file, camera.calibration, lens_named(file, lens == "pinhole" ? "" : lens), *d);
  camera.width = pixels(file.single("image_width", file.single("width", 0)));
  camera.height = pixels(file.single("image_height", file.single("height", 0)));
  return camera;
}

/// Kalibr's camchain, of which `camera` is a part; EuRoC's sensor.yaml is one without a name.
std::optional<CameraFile> read_kalibr(const FileReader& file, const std::string& camera_name) {
  const bool is_chain = file.words({"intrinsics"}) == nullptr;
  const std::string name = camera_name.empty() ? "cam0" : camera_name;
  const std::string prefix = is_chain ? name + "." : "";
  const auto f = file.numbers({prefix + "intrinsics"});
  if (!f) {
    if (file.words({"cam0.intrinsics"}) == nullptr) return std::nullopt;
    throw Error(ErrorKind::not_found,
                "expected a camera " + name + " in " + file.path() + ", found others");
  }
  const std::string model = lower(file.word({prefix + "camera_model"}));
  if (!model.empty() && model != "pinhole") {
    throw Error(ErrorKind::unsupported,
                "expected camera_model pinhole in " + file.path() + ", found " + model);
  }
  if (f->size() != 4) file.refuse("intrinsics fx fy cx cy", std::to_string(f->size()));
  CameraFile camera{.calibration = {(*f)[0], (*f)[1], (*f)[2], (*f)[3]}};
  const auto d = file.numbers({prefix + "distortion_coeffs", prefix + "distortion_coefficients"});
  if (d) {
    set_lens(file, camera.calibration, lens_named(file, file.word({prefix + "distortion_model"})),
             *d);
  }
  if (const auto size = file.numbers({prefix + "resolution"}); size && size->size() == 2) {
    camera.width = pixels((*size)[0]);
    camera.height = pixels((*size)[1]);
  }
  return camera;
}

/// Settings of ORB-SLAM2 and ORB-SLAM3.
std::optional<CameraFile> read_orb_slam(const FileReader& file) {
  for (const std::string prefix : {"Camera.", "Camera1."}) {
    if (file.words({prefix + "fx"}) == nullptr) continue;
    const auto get = [&](const char* name) { return file.single(prefix + name, 0); };
    CameraFile camera{.calibration = {get("fx"), get("fy"), get("cx"), get("cy")}};
    const std::string type = lower(file.word({"Camera.type"}));
    if (type == "kannalabrandt8") {
      set_lens(file, camera.calibration, LensModel::fisheye,
               {get("k1"), get("k2"), get("k3"), get("k4")});
    } else if (type != "rectified") {
      set_lens(file, camera.calibration, LensModel::brown_conrady,
               {get("k1"), get("k2"), get("p1"), get("p2"), get("k3")});
    }
    camera.width = pixels(file.single("Camera.width", 0));
    camera.height = pixels(file.single("Camera.height", 0));
    return camera;
  }
  return std::nullopt;
}

CameraFile read_any(const FileReader& file, const std::filesystem::path& path,
                    const std::string& camera) {
  if (auto found = read_kalibr(file, camera)) return *found;
  if (auto found = read_matrix_form(file)) return *found;
  if (auto found = read_orb_slam(file)) return *found;
  try {
    return {.calibration = detail::read_calibration(path, camera.empty() ? "P0" : camera)};
  } catch (const Error&) {
    throw Error(ErrorKind::corruption,
                "expected a calibration of OpenCV, ROS (camera_info), Kalibr, ORB-SLAM or KITTI, "
                "or a line fx fy cx cy, in " +
                    path.string() + ", found none of these");
  }
}

}  // namespace

CameraFile read_calibration_file(const std::filesystem::path& path, const std::string& camera) {
  const std::string text = read_text(path);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_xml = start != std::string::npos && text[start] == '<';
  const Settings settings = is_xml ? detail::parse_xml(text) : detail::parse_yaml(text);
  CameraFile found = read_any({path.string(), settings}, path, camera);
  try {
    check(found.calibration);
  } catch (const Error& error) {
    throw Error(ErrorKind::corruption, path.string() + ": " + error.what());
  }
  return found;
}

}  // namespace looptree

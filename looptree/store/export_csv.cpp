// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/export_csv.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

constexpr const char* kPoseHeader = "x,y,z,r00,r01,r02,r10,r11,r12,r20,r21,r22";

/// A file of lines of fields.
class CsvFile {
 public:
  CsvFile(const std::filesystem::path& path, std::string_view header)
      : path_(path.string()), file_(path, std::ios::binary) {
    line_ = header;
    end_line();
  }

  template <typename Number>
  CsvFile& number(Number value) {
    std::array<char, 40> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }

  CsvFile& text(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return raw(text);
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return raw(quoted + '"');
  }

  CsvFile& none() { return raw(""); }

  void end_line() {
    line_ += '\n';
    file_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
    first_ = true;
  }

  void close() {
    file_.close();
    if (!file_) {
      throw Error(ErrorKind::io, path_ +
                                     ": expected to write the file, found that the system "
                                     "refuses; check the folder and the space on the disk");
    }
  }

 private:
  CsvFile& raw(std::string_view field) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += field;
    return *this;
  }

  std::string path_;
  std::ofstream file_;
  std::string line_;
  bool first_ = true;
};

/// The columns of kPoseHeader.
void write_pose(CsvFile& file, const std::optional<Pose>& known) {
  const Pose pose = known.value_or(Pose());
  for (const double value : pose.translation) known ? file.number(value) : file.none();
  for (const double value : pose.rotation) known ? file.number(value) : file.none();
}

void write_frame(CsvFile& file, FrameId id, const FrameInfo& info) {
  file.number(id.value).number(info.session.value);
  if (info.time_s) {
    file.number(*info.time_s);
  } else {
    file.none();
  }
  file.text(info.name);
  write_pose(file, info.pose);
  if (info.number) {
    file.number(*info.number);
  } else {
    file.none();
  }
  file.end_line();
}

void write_closure(CsvFile& file, const MapClosure& closure) {
  file.number(closure.query.value).number(closure.match.value).number(closure.score);
  file.number(closure.inliers);
  if (closure.pose) {
    write_pose(file, closure.pose->match_from_query);
    file.number(closure.pose->metric ? 1 : 0);
  } else {
    write_pose(file, std::nullopt);
    file.none();
  }
  file.end_line();
}

void write_words(CsvFile& file, FrameId id, const Histogram& histogram) {
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    file.number(id.value).number(histogram.words()[i].value).number(histogram.weights()[i]);
    file.end_line();
  }
}

}  // namespace

void export_csv(const Map& map, const std::filesystem::path& folder,
                const ProgressCallback& progress) {
  std::error_code refused;
  std::filesystem::create_directories(folder, refused);
  if (refused) {
    throw Error(ErrorKind::io,
                folder.string() + ": expected to make the folder, found: " + refused.message());
  }
  CsvFile sessions(folder / "sessions.csv", "session,name");
  for (const MapSession& session : map.sessions()) {
    sessions.number(session.id.value).text(session.name).end_line();
  }
  sessions.close();
  CsvFile frames(folder / "frames.csv",
                 "frame,session,time_s,name," + std::string(kPoseHeader) + ",number");
  CsvFile words(folder / "words.csv", "frame,word,weight");
  const std::shared_ptr<const PooledIndex> index = map.index();
  const std::uint32_t end = index->next_id().value;
  for (std::uint32_t id = 0; id < end; ++id) {
    const std::optional<Histogram> histogram = index->histogram(FrameId{id});
    const std::optional<FrameInfo> info =
        histogram ? map.info(FrameId{id}) : std::optional<FrameInfo>();
    if (info) {
      write_frame(frames, FrameId{id}, *info);
      write_words(words, FrameId{id}, *histogram);
    }
    if (id % 256 == 0) report(progress, id, end);
  }
  frames.close();
  words.close();
  CsvFile closures(folder / "closures.csv",
                   "query,match,score,inliers," + std::string(kPoseHeader) + ",metric");
  for (const MapClosure& closure : map.closures()) write_closure(closures, closure);
  closures.close();
}

}  // namespace looptree

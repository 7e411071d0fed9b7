// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// left_over_scores TRACE POSES METRES: asks the ORB-SLAM3 drop-in the recorded questions twice,
// once adding the scores that earlier queries left in keyframes, as ORB-SLAM does, once without,
// and says how often the answers differ and which of them name places where the camera has been.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

#include "looptree/common/error.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/dataset/keyframe_trace.hpp"

#include "KeyFrameDatabase.h"

namespace {

using looptree::KeyframeNumber;
using ORB_SLAM3::Frame;
using ORB_SLAM3::KeyFrame;
using ORB_SLAM3::KeyFrameDatabase;
using Candidates = std::vector<KeyFrame*>;

/// A line of twelve numbers per image, as KITTI writes poses.
std::vector<looptree::Pose> read_poses(const std::string& path) {
  std::ifstream file(path);
  std::vector<looptree::Pose> poses;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    looptree::Pose pose;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) numbers >> pose.rotation[row * 3 + column];
      numbers >> pose.translation[row];
    }
    looptree::require(!numbers.fail(), looptree::ErrorKind::corruption,
                      "expected twelve numbers in every line of the poses");
    poses.push_back(pose);
  }
  looptree::require(!poses.empty(), looptree::ErrorKind::not_found, "expected a file of poses");
  return poses;
}

/// How the answers of one of the two come out.
struct Tally {
  std::size_t answered = 0;         // queries with a candidate
  std::size_t found = 0;            // queries with a true place among the candidates
  std::size_t found_first = 0;      // queries whose first candidate is one
  std::size_t candidates = 0;       // in all
  std::size_t true_candidates = 0;  // of these
  double seconds = 0;
};

struct Comparison {
  std::size_t queries = 0;
  std::size_t differ = 0;
  std::size_t places = 0;  // queries for which a true place is in the database
  Tally faithful;
  Tally sound;
};

/// One keyframe in two databases: they keep scores in it, so each has its own copy.
class Side {
 public:
  Side(const ORB_SLAM3::ORBVocabulary& vocabulary, KeyFrameDatabase::Scores scores)
      : database(vocabulary) {
    database.SetScores(scores);
  }

  KeyFrame& keyframe(KeyframeNumber number) {
    auto& one = keyframes[number];
    if (!one) {
      one = std::make_unique<KeyFrame>();
      one->mnId = number;
      one->map = &map;
    }
    return *one;
  }
  Candidates all(const std::vector<KeyframeNumber>& numbers) {
    Candidates result;
    for (const KeyframeNumber number : numbers) result.push_back(&keyframe(number));
    return result;
  }

  KeyFrameDatabase database;
  ORB_SLAM3::Map map;
  std::unordered_map<KeyframeNumber, std::unique_ptr<KeyFrame>> keyframes;
};

class Replay {
 public:
  Replay(const std::string& trace, const std::string& poses, double metres)
      : poses_(read_poses(poses)),
        metres_(metres),
        reader_(trace),
        vocabulary_({reader_.word_weights().begin(), reader_.word_weights().end()}),
        faithful_(vocabulary_, KeyFrameDatabase::faithful),
        sound_(vocabulary_, KeyFrameDatabase::sound) {}

  void run() {
    while (auto record = reader_.next()) std::visit([this](auto& one) { play(one); }, *record);
  }

  Comparison places;
  Comparison relocalizations;

 private:
  static DBoW2::BowVector to_map(const looptree::Histogram& histogram) {
    DBoW2::BowVector result;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      result[histogram.words()[i].value] = histogram.weights()[i];
    }
    return result;
  }

  template <typename Do>
  void both(Do work) {
    work(faithful_);
    work(sound_);
  }

  void play(const looptree::TraceKeyframe& record) {
    images_[record.keyframe] = record.image;
    const DBoW2::BowVector words = to_map(record.histogram);
    both([&](Side& side) { side.keyframe(record.keyframe).mBowVec = words; });
  }
  void play(const looptree::TraceAdd& record) {
    in_.insert(record.keyframe);
    both([&](Side& side) { side.database.add(&side.keyframe(record.keyframe)); });
  }
  void play(const looptree::TraceErase& record) {
    in_.erase(record.keyframe);
    both([&](Side& side) { side.database.erase(&side.keyframe(record.keyframe)); });
  }
  void play(const looptree::TraceClear&) {
    in_.clear();
    both([&](Side& side) {
      side.database.clear();
      side.keyframes.clear();
    });
  }
  void play(const looptree::TraceNeighbours& record) {
    both([&](Side& side) {
      side.keyframe(record.keyframe).neighbours = side.all(record.neighbours);
    });
  }
  void play(const looptree::TraceConnected&) {}
  void play(const looptree::TraceFrame& record) {
    frame_.mnId = record.frame;
    frame_.mBowVec = to_map(record.histogram);
    frame_image_ = record.image;
  }

  void play(const looptree::TraceLoopQuery& record) {
    const std::set<KeyframeNumber> connected(record.excluded.begin(), record.excluded.end());
    const auto truth = true_places(images_.at(record.keyframe), connected, 100);
    compare(places, truth, [&](Side& side) {
      KeyFrame& query = side.keyframe(record.keyframe);
      const Candidates excluded = side.all(record.excluded);
      query.connected = {excluded.begin(), excluded.end()};
      Candidates loops;
      Candidates merges;
      side.database.DetectNBestCandidates(&query, loops, merges, 3);
      return loops;
    });
  }

  void play(const looptree::TraceRelocalization& record) {
    for (const looptree::TraceScore& left : record.left_over) {
      faithful_.keyframe(left.keyframe).mRelocScore = left.score;  // the first was never set
    }
    compare(relocalizations, true_places(frame_image_, {}, 0), [&](Side& side) {
      return side.database.DetectRelocalizationCandidates(&frame_, &side.map);
    });
  }

  /// Keyframes in the database within the given metres and 45 degrees of an image, far in time.
  std::set<KeyframeNumber> true_places(std::uint64_t image,
                                       const std::set<KeyframeNumber>& connected,
                                       std::uint64_t gap) const {
    std::set<KeyframeNumber> result;
    for (const KeyframeNumber number : in_) {
      const std::uint64_t other = images_.at(number);
      const std::uint64_t apart = other > image ? other - image : image - other;
      if (connected.contains(number) || apart < gap) continue;
      const looptree::Pose& a = poses_.at(image);
      const looptree::Pose& b = poses_.at(other);
      if (distance(a, b) <= metres_ && angle_deg(a, b) <= 45) result.insert(number);
    }
    return result;
  }

  template <typename Ask>
  void compare(Comparison& comparison, const std::set<KeyframeNumber>& truth, Ask ask) {
    const auto numbers = [&](Side& side, Tally& tally) {
      const auto start = std::chrono::steady_clock::now();
      const Candidates found = ask(side);
      tally.seconds +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::vector<KeyframeNumber> result;
      for (const KeyFrame* one : found) result.push_back(one->mnId);
      count(result, truth, tally);
      return result;
    };
    ++comparison.queries;
    if (!truth.empty()) ++comparison.places;
    if (numbers(faithful_, comparison.faithful) != numbers(sound_, comparison.sound)) {
      ++comparison.differ;
    }
  }

  static void count(const std::vector<KeyframeNumber>& found, const std::set<KeyframeNumber>& truth,
                    Tally& tally) {
    std::size_t right = 0;
    for (const KeyframeNumber number : found) right += truth.contains(number) ? 1 : 0;
    tally.answered += found.empty() ? 0 : 1;
    tally.found += right > 0 ? 1 : 0;
    tally.found_first += !found.empty() && truth.contains(found.front()) ? 1 : 0;
    tally.candidates += found.size();
    tally.true_candidates += right;
  }

  std::vector<looptree::Pose> poses_;
  double metres_;
  looptree::KeyframeTraceReader reader_;
  ORB_SLAM3::ORBVocabulary vocabulary_;
  Side faithful_;
  Side sound_;
  std::unordered_map<KeyframeNumber, std::uint64_t> images_;
  std::set<KeyframeNumber> in_;
  Frame frame_;
  std::uint64_t frame_image_ = 0;
};

void print(const char* name, const Comparison& comparison) {
  if (comparison.queries == 0) return;
  std::printf("%s: %zu queries, %zu answered differently, %zu with a true place in the database\n",
              name, comparison.queries, comparison.differ, comparison.places);
  std::printf("%-10s %9s %12s %14s %11s %16s %9s\n", "", "answered", "place found", "as the first",
              "candidates", "true candidates", "us/query");
  const auto line = [&](const char* which, const Tally& tally) {
    std::printf("%-10s %9zu %12zu %14zu %11zu %16zu %9.0f\n", which, tally.answered, tally.found,
                tally.found_first, tally.candidates, tally.true_candidates,
                1e6 * tally.seconds / static_cast<double>(comparison.queries));
  };
  line("faithful", comparison.faithful);
  line("sound", comparison.sound);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: left_over_scores TRACE POSES METRES\n");
    return 2;
  }
  try {
    Replay replay(argv[1], argv[2], std::atof(argv[3]));
    replay.run();
    print("DetectNBestCandidates(3)", replay.places);
    print("DetectRelocalizationCandidates", replay.relocalizations);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "looptree/common/random.hpp"
#include "looptree/histogram/scores.hpp"

namespace looptree::test {

/// Makes up a session of a SLAM system, answers it by the letter of ORB-SLAM's rules, the slow
/// way, and writes it down as a trace. Keyframes are added twice, erased though absent, and
/// forgotten altogether now and then.
class MadeTrace {
 public:
  explicit MadeTrace(std::uint64_t seed, std::uint32_t words = 60, bool second_adds = true)
      : random_(seed), words_(words), second_adds_(second_adds) {
    text_ = "# made up\nH mode made\nV " + std::to_string(words);
    for (std::uint32_t word = 0; word < words; ++word) {
      idf_.push_back(0.25 * static_cast<double>(1 + random_.below(20)));
      text_ += " " + decimal(idf_.back());
    }
    text_ += "\n";
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
  }

  const std::string& text() const { return text_; }
  std::size_t loops() const { return loops_; }
  std::size_t relocalizations() const { return relocalizations_; }

  static void write_gzip(const std::filesystem::path& path, const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    gzclose(file);
  }

 private:
  using Number = std::uint64_t;
  struct Counted {
    Number keyframe;
    int common = 0;
    float score = 0;
    bool scored = false;
  };

  void step() {
    const std::uint64_t dice = random_.below(40);
    if (dice == 0 && !entries_.empty()) {
      const Number gone = entries_[random_.below(entries_.size())];
      erase(gone);
    } else if (dice == 1) {
      line("E " + std::to_string(next_ + 1000) + " 1.5 2.25 0");  // never seen
    } else if (dice == 2 && !entries_.empty() && second_adds_) {
      add(entries_[random_.below(entries_.size())]);  // a second time
    } else if (dice == 3 && next_ > 60) {
      line("C 9.5");
      keyframes_.clear();
      entries_.clear();
      neighbours_.clear();
      next_ = 0;
    } else if (dice < 8) {
      relocalize();
    } else {
      const Number keyframe = describe();
      query(keyframe);
      add(keyframe);
    }
  }

  Number describe() {
    const Number keyframe = next_ += 1 + random_.below(3);
    text_ += "K " + std::to_string(keyframe) + " 7 " + std::to_string(keyframe * 2) + " 0.125";
    keyframes_[keyframe] = make_words();
    return keyframe;
  }

  /// Appends a record's words and returns their histogram; now and then there are none.
  Histogram make_words() {
    std::vector<WordId> seen;
    if (random_.below(30) != 0) {
      for (std::uint64_t n = 2 + random_.below(25); n > 0; --n) {
        seen.emplace_back(static_cast<std::uint32_t>(random_.below(words_)));
      }
    }
    std::sort(seen.begin(), seen.end());
    Histogram histogram = make_histogram(seen, std::span<const double>(idf_));
    text_ += " " + std::to_string(histogram.size()) + " " + hash(histogram);
    std::int64_t last = -1;
    for (const WordId word : histogram.words()) {
      const auto times = std::count(seen.begin(), seen.end(), word);
      text_ += " " + std::to_string(word.value - last);
      if (times > 1) text_ += "x" + std::to_string(times);
      last = word.value;
    }
    text_ += "\n";
    return histogram;
  }

  void add(Number keyframe) {
    entries_.push_back(keyframe);
    line("A " + std::to_string(keyframe) + " 0.5 12.25");
  }

  void erase(Number keyframe) {
    entries_.erase(std::find(entries_.begin(), entries_.end(), keyframe));
    line("E " + std::to_string(keyframe) + " 0.5 12.25 1");
  }

  void query(Number keyframe) {
    std::vector<Number> excluded;
    for (const auto& [other, histogram] : keyframes_) {
      if (other != keyframe && random_.below(8) == 0) excluded.push_back(other);
    }
    excluded.push_back(next_ + 5000);  // one that the database never saw
    const float least = 0.02f * static_cast<float>(random_.below(12));
    int most = 0;
    const std::vector<Counted> met = walk(keyframes_[keyframe], excluded, most);
    for (const Counted& one : met) {
      if (neighbours_.contains(one.keyframe) && random_.below(3) != 0) continue;
      neighbours_[one.keyframe] = some_keyframes();
      text_ += "N " + std::to_string(one.keyframe) + list(neighbours_[one.keyframe]) + "\n";
    }
    std::string record = "L " + std::to_string(keyframe) + " 0.5 40.25 39.5 " +
                         std::to_string(in_database()) + " " + decimal(least);
    record += " " + std::to_string(met.size()) + " " + std::to_string(most) + list(excluded);
    record += scores(met) + list(group(met, least, neighbours_, {}));
    line(record);
    ++loops_;
  }

  void relocalize() {
    const Number frame = 10'000 + next_;
    text_ += "F " + std::to_string(frame) + " 3 0.25";
    const Histogram histogram = make_words();
    int most = 0;
    const std::vector<Counted> met = walk(histogram, {}, most);
    std::map<Number, std::vector<Number>> neighbours;
    std::map<Number, float> stale;
    for (const Counted& one : met) {
      if (!one.scored) {
        const float left[] = {0.0f, -1.0f, 0.5f, 3.07585013e-41f, 293.8f};
        stale[one.keyframe] = left[random_.below(5)];
        continue;
      }
      neighbours[one.keyframe] = some_keyframes();
      text_ += "M " + std::to_string(one.keyframe) + list(neighbours[one.keyframe]) + "\n";
    }
    std::string record = "R " + std::to_string(frame) + " 0.5 40.25 39.5 " +
                         std::to_string(in_database()) + " " + std::to_string(met.size()) + " " +
                         std::to_string(most) + scores(met) + " " + std::to_string(stale.size());
    for (const auto& [keyframe, score] : stale) {
      record += " " + std::to_string(keyframe) + " " + decimal(score);
    }
    line(record + list(group(met, 0, neighbours, stale)));
    ++relocalizations_;
  }

  /// Word by word through the entries, oldest first.
  std::vector<Counted> walk(const Histogram& query, const std::vector<Number>& excluded,
                            int& most) const {
    std::vector<Counted> met;
    for (const WordId word : query.words()) {
      for (const Number entry : entries_) {
        const auto words = keyframes_.at(entry).words();
        if (!std::binary_search(words.begin(), words.end(), word)) continue;
        if (std::find(excluded.begin(), excluded.end(), entry) != excluded.end()) continue;
        const auto same = [entry](const Counted& one) { return one.keyframe == entry; };
        auto at = std::find_if(met.begin(), met.end(), same);
        if (at == met.end()) at = met.insert(at, Counted{entry});
        most = std::max(most, ++at->common);
      }
    }
    for (Counted& one : met) {
      one.scored = one.common > static_cast<int>(0.8f * static_cast<float>(most));
      if (one.scored) {
        one.score = static_cast<float>(score(Score::l1, query, keyframes_.at(one.keyframe)));
      }
    }
    return met;
  }

  static std::vector<Number> group(const std::vector<Counted>& met, float least,
                                   const std::map<Number, std::vector<Number>>& neighbours,
                                   const std::map<Number, float>& stale) {
    std::vector<std::pair<float, Number>> groups;
    float heaviest = least;
    for (const Counted& one : met) {
      if (!one.scored || one.score < least) continue;
      float sum = one.score;
      float best = one.score;
      Number representative = one.keyframe;
      const auto named = neighbours.find(one.keyframe);
      if (named == neighbours.end()) continue;
      for (const Number neighbour : named->second) {
        for (const Counted& other : met) {
          if (other.keyframe != neighbour) continue;
          if (!other.scored && !stale.contains(neighbour)) continue;
          const float its = other.scored ? other.score : stale.at(neighbour);
          sum += its;
          if (its > best) representative = neighbour;
          best = std::max(best, its);
        }
      }
      groups.emplace_back(sum, representative);
      heaviest = std::max(heaviest, sum);
    }
    std::vector<Number> returned;
    for (const auto& [sum, keyframe] : groups) {
      const bool known = std::find(returned.begin(), returned.end(), keyframe) != returned.end();
      if (sum > 0.75f * heaviest && !known) returned.push_back(keyframe);
    }
    return returned;
  }

  std::vector<Number> some_keyframes() {
    std::vector<Number> some;
    for (const auto& [keyframe, histogram] : keyframes_) {
      if (some.size() < 10 && random_.below(4) == 0) some.push_back(keyframe);
    }
    if (random_.below(4) == 0) some.push_back(next_ + 7000);
    return some;
  }

  std::size_t in_database() const {
    return std::set<Number>(entries_.begin(), entries_.end()).size();
  }

  static std::string list(const std::vector<Number>& items) {
    std::string text = " " + std::to_string(items.size());
    for (const Number item : items) text += " " + std::to_string(item);
    return text;
  }

  static std::string scores(const std::vector<Counted>& met) {
    std::size_t count = 0;
    std::string text;
    for (const Counted& one : met) {
      if (!one.scored) continue;
      ++count;
      text += " " + std::to_string(one.keyframe) + " " + std::to_string(one.common) + " " +
              decimal(one.score);
    }
    return " " + std::to_string(count) + text;
  }

  static std::string decimal(double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return digits;
  }

  static std::string hash(const Histogram& histogram) {
    std::uint64_t hash = 1469598103934665603u;
    const auto mix = [&hash](const void* data, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i) {
        hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
      }
    };
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      mix(&histogram.words()[i].value, 4);
      mix(&histogram.weights()[i], 8);
    }
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
  }

  void line(const std::string& record) { text_ += record + "\n"; }

  Random random_;
  std::uint32_t words_;
  bool second_adds_;
  std::vector<double> idf_;
  std::string text_;
  Number next_ = 0;
  std::map<Number, Histogram> keyframes_;
  std::vector<Number> entries_;  // of the database, oldest first
  std::map<Number, std::vector<Number>> neighbours_;
  std::size_t loops_ = 0;
  std::size_t relocalizations_ = 0;
};

}  // namespace looptree::test

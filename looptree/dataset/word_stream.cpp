// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/word_stream.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"

namespace looptree {
namespace {

constexpr std::size_t kQuantileSteps = 4096;
constexpr double kFamiliar = 0.4;       // of the law of words, what the word weights know
constexpr double kTextureBurst = 0.75;  // chance that the word of a texture shows again
constexpr double kSceneFrames = 60;     // that a scene lasts
constexpr double kRevisitFrames = 40;   // over which a revisit turns from good to bad

/// A random number that depends on nothing but its arguments.
std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return Random(seed ^ (a * 0xD1342543DE82EF95u) ^ (b * 0xAF251AF3B0F025B5u)).next();
}

double unit(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1.0p-53;
}

/// A smooth curve through random heights in [-1, 1], one for every `step` of the argument.
double wave(std::uint64_t seed, double x, double step) {
  const double at = std::floor(x / step);
  const double along = x / step - at;
  const auto left = static_cast<std::uint64_t>(static_cast<std::int64_t>(at));
  const double a = 2 * unit(mix(seed, left, 77)) - 1;
  const double b = 2 * unit(mix(seed, left + 1, 77)) - 1;
  return a + (b - a) * along;
}

void check(const WordStreamOptions& options) {
  const auto need = [](bool holds, const char* what) {
    require(holds, ErrorKind::invalid_argument, std::string("expected a word stream with ") + what);
  };
  need(options.vocabulary_size >= 2, "at least two words");
  need(options.landmarks >= 1 && options.landmarks <= 1e6, "1 to 1,000,000 landmarks");
  need(options.persistence >= 1, "a persistence of at least one frame");
  need(options.zipf >= 0 && options.zipf < 1, "a Zipf exponent in [0, 1)");
  need(options.burst >= 0 && options.burst < 1, "a chance of bursts in [0, 1)");
  need(options.stability >= 0 && options.stability <= 1, "a stability in [0, 1]");
  need(options.recognition >= 0 && options.recognition <= 1, "a recognition in [0, 1]");
  need(options.scenery >= 0 && options.scenery <= 1, "a share of scenery in [0, 1]");
  need(options.scene_kinds >= 1, "at least one kind of scene");
  need(options.variation >= 0 && options.variation < 1, "a variation in [0, 1)");
  need(options.new_frames >= 1, "at least one new frame per lap");
  need(options.revisit_frames <= options.new_frames, "no more revisits than new frames per lap");
}

}  // namespace

WordStreamOptions WordStreamOptions::million() {
  WordStreamOptions options;
  options.vocabulary_size = 884'885;
  options.landmarks = 1336;
  options.burst = 0.035;
  options.zipf = 0.5;
  options.stability = 0.35;
  options.recognition = 0.4;
  options.scenery = 0.22;
  return options;
}

WordStream::WordStream(WordStreamOptions options) : options_(options) {
  check(options_);
  const double words = options_.vocabulary_size;
  const double power = 1 / (1 - options_.zipf);  // the quantile function of a Zipf law is a power
  for (std::size_t i = 0; i <= kQuantileSteps; ++i) {
    const double u = static_cast<double>(i) / kQuantileSteps;
    quantiles_.push_back(static_cast<float>(words * std::pow(u, power)));
  }
  word_weights_.reserve(options_.vocabulary_size);
  double below = 0;
  for (std::uint32_t word = 0; word < options_.vocabulary_size; ++word) {
    const double up_to = std::pow((word + 1) / words, 1 - options_.zipf);
    // Over all kinds of scenes, what they have of their own spreads evenly; and weights come from
    // images of other roads, which know only part of what is common on this one.
    const double known = (1 - options_.scenery) * kFamiliar;
    const double chance = known * (up_to - below) + (1 - known) / words;
    const double present = 1 - std::exp(-options_.landmarks * chance);
    word_weights_.push_back(static_cast<float>(-std::log(present)));
    below = up_to;
  }
}

std::uint32_t WordStream::draw(std::uint64_t random, std::uint64_t scene) const {
  const double u = unit(random);
  const std::uint32_t words = options_.vocabulary_size;
  // Whether a word is the scene's comes from the bits that unit() does not take.
  if (static_cast<double>(random & 2047) < options_.scenery * 2048) {
    // Common words of a scene follow a steeper law, from a place of its own in the vocabulary.
    const auto rank = static_cast<std::uint64_t>(u * u * u * words);
    return static_cast<std::uint32_t>((scene * words / options_.scene_kinds + rank) % words);
  }
  const double at = u * kQuantileSteps;
  const auto step = static_cast<std::size_t>(at);
  const double low = quantiles_[step];
  const double rank = low + (quantiles_[step + 1] - low) * (at - static_cast<double>(step));
  return std::min(static_cast<std::uint32_t>(rank), words - 1);
}

double WordStream::burst_of(std::uint32_t word) const {
  const bool is_texture = unit(mix(options_.seed, word, 31)) < options_.burst;
  return is_texture ? kTextureBurst : (1 - kTextureBurst) * options_.burst / (1 - options_.burst);
}

std::uint64_t WordStream::scene_at(double position) const {
  const auto stretch = static_cast<std::uint64_t>(position / kSceneFrames);
  return mix(options_.seed, stretch, 19) % options_.scene_kinds;
}

std::optional<std::uint64_t> WordStream::revisits(std::uint64_t index) const {
  const std::uint64_t lap_frames = options_.new_frames + options_.revisit_frames;
  const std::uint64_t lap = index / lap_frames;
  const std::uint64_t within = index % lap_frames;
  if (within < options_.new_frames) return std::nullopt;
  // Some stretch of the new road of this lap or of an earlier one.
  Random random(mix(options_.seed, lap, 11));
  const std::uint64_t from_lap = random.below(lap + 1);
  const std::uint64_t spare = options_.new_frames - options_.revisit_frames;
  const std::uint64_t start =
      spare == 0 ? 0 : random.below(from_lap == lap ? spare / 2 + 1 : spare);
  return from_lap * lap_frames + start + (within - options_.new_frames);
}

double WordStream::position(std::uint64_t index) const {
  const std::uint64_t lap_frames = options_.new_frames + options_.revisit_frames;
  const std::optional<std::uint64_t> first = revisits(index);
  const std::uint64_t seen = first.value_or(index);
  const std::uint64_t new_road = seen / lap_frames * options_.new_frames + seen % lap_frames;
  const auto along = static_cast<double>(new_road);
  return first ? along + 0.5 : along;  // never from quite the same spot
}

std::vector<WordId> WordStream::frame(std::uint64_t index) const {
  const double x = position(index);
  const double here = 1 + options_.variation * wave(options_.seed, x, 40);
  const auto in_view = static_cast<std::uint64_t>(options_.landmarks * here);
  const bool is_revisit = revisits(index).has_value();
  const std::uint64_t lap = index / (options_.new_frames + options_.revisit_frames);
  const double recognised =
      is_revisit
          ? options_.recognition * (1 + wave(mix(options_.seed, lap, 29), x, kRevisitFrames)) / 2
          : 1;
  const std::uint64_t scene = scene_at(x);
  std::vector<WordId> words;
  words.reserve(in_view + in_view / 4);
  for (std::uint64_t slot = 0; slot < in_view; ++slot) {
    // Each slot hands over to a new landmark every `persistence` frames, at its own moment.
    const std::uint64_t phase = mix(options_.seed, slot, 3);
    const auto generation = static_cast<std::uint64_t>(x / options_.persistence + unit(phase) + 1);
    std::uint64_t landmark = mix(phase, generation, 5);
    if (is_revisit && unit(mix(landmark, lap, 13)) >= recognised) landmark = mix(landmark, lap, 17);
    Random chance(mix(options_.seed + 1, index, slot));
    const bool own_word = chance.uniform() < options_.stability;
    const std::uint32_t word = draw(own_word ? landmark : chance.next(), scene);
    words.emplace_back(word);
    // A handful of repetitions at most, each less likely than the one before.
    const double again = burst_of(word);
    for (int more = 0; more < 8 && chance.uniform() < (more == 0 ? again : 0.4); ++more) {
      words.emplace_back(word);
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace looptree

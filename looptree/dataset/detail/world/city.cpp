// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/world/city.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace looptree::detail {
namespace {

constexpr float kStreet = 12;
constexpr std::array<float, 2> kStreetsX{0, 50};
constexpr std::array<float, 3> kStreetsZ{0, 44, 88};

/// sin of a part of a full turn, to about 1e-7. Our own polynomial: the one of the C library may
/// differ in the last bit from machine to machine, and with it the pixels.
double sine(double turns) {
  turns -= std::floor(turns + 0.5);       // [-0.5, 0.5)
  if (turns > 0.25) turns = 0.5 - turns;  // [-0.25, 0.25]
  if (turns < -0.25) turns = -0.5 - turns;
  const double x = turns * 6.283185307179586;
  const double s = x * x;
  return x * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110)))));
}

double cosine(double turns) {
  return sine(turns + 0.25);
}

/// Puts houses and street furniture into a city.
class Builder {
 public:
  Builder(std::uint32_t seed, DemoWeather weather) : seed_(seed) { city_.weather = weather; }

  /// Houses in a row from (x0, z0) to (x1, z1), one end of a block to the other; their fronts look
  /// towards (nx, nz).
  void row_of_houses(float x0, float z0, float x1, float z1, float nx, float nz) {
    const float length = std::abs(x1 - x0) + std::abs(z1 - z0);
    const float ux = (x1 - x0) / length;
    const float uz = (z1 - z0) / length;
    float at = 0;
    while (at < length) {
      const std::uint32_t house = ++houses_;
      float width = 5.5F + 5 * chance(seed_, 1, house);
      if (length - at - width < 4) width = length - at;
      const float back = 1.3F * chance(seed_, 2, house);  // from the building line
      const float height = 6.5F + 6 * chance(seed_, 3, house);
      const std::size_t texture = facade(house, width, height);
      const float left_x = x0 + ux * at - nx * back;
      const float left_z = z0 + uz * at - nz * back;
      const float right_x = left_x + ux * width;
      const float right_z = left_z + uz * width;
      city_.walls.push_back({left_x, left_z, right_x, right_z, height, texture});
      const std::size_t side = side_of(house, height);
      constexpr float depth = 5;
      city_.walls.push_back(
          {left_x, left_z, left_x - nx * depth, left_z - nz * depth, height, side});
      city_.walls.push_back(
          {right_x, right_z, right_x - nx * depth, right_z - nz * depth, height, side});
      if (width > 5 && chance(seed_, 4, house) < 0.6F) {
        const float along = at + width * chance(seed_, 5, house);
        box(x0 + ux * along + nx * 1.2F, z0 + uz * along + nz * 1.2F, house);
      }
      at += width;
    }
  }

  City finish() {
    city_.plan = {.origin_x = -8,
                  .origin_z = -8,
                  .size_x = kStreetsX.back() + 16,
                  .size_z = kStreetsZ.back() + 16,
                  .street_width = kStreet,
                  .streets_x = {kStreetsX.begin(), kStreetsX.end()},
                  .streets_z = {kStreetsZ.begin(), kStreetsZ.end()}};
    city_.ground = make_ground(city_.plan, hash(seed_, 99));
    return std::move(city_);
  }

 private:
  bool is_dusk() const { return city_.weather == DemoWeather::dusk; }

  std::size_t add(Texture texture) {
    city_.textures.push_back(std::move(texture));
    return city_.textures.size() - 1;
  }

  /// Every fourth house repeats the style of an earlier one; every other of those is its exact
  /// copy.
  std::size_t facade(std::uint32_t house, float width, float height) {
    std::uint32_t style = hash(seed_, 6, house);
    std::uint32_t detail = hash(seed_, 7, house);
    if (house > 12 && house % 4 == 0) {
      const std::uint32_t other = house - 12 + hash(seed_, 8, house) % 3;
      style = hash(seed_, 6, other);
      if (house % 8 == 0) detail = hash(seed_, 7, other);
    }
    return add(make_facade({width, height, style, detail, is_dusk()}));
  }

  std::size_t side_of(std::uint32_t house, float height) {
    return add(make_box_side(5, height, hash(seed_, 9, house), is_dusk()));
  }

  /// A van, kiosk or pillar; higher than the eye, so that its top is never seen.
  void box(float x, float z, std::uint32_t number) {
    const float half = 0.35F + 0.7F * chance(seed_, 10, number);
    const float height = 2 + 1.2F * chance(seed_, 11, number);
    const std::size_t texture =
        add(make_box_side(2 * half, height, hash(seed_, 12, number), is_dusk()));
    city_.walls.push_back({x - half, z - half, x + half, z - half, height, texture});
    city_.walls.push_back({x + half, z - half, x + half, z + half, height, texture});
    city_.walls.push_back({x + half, z + half, x - half, z + half, height, texture});
    city_.walls.push_back({x - half, z + half, x - half, z - half, height, texture});
  }

  std::uint32_t seed_;
  std::uint32_t houses_ = 0;
  City city_;
};

/// The centre line of the route: straight stretches, and quarter circles at the corners.
class Path {
 public:
  struct Point {
    double x, z, turns;  ///< heading in full turns, 0 to the north, growing to the east
  };

  void straight(double x0, double z0, double x1, double z1) {
    const double length = std::abs(x1 - x0) + std::abs(z1 - z0);
    const double turns = x1 > x0 ? 0.25 : x1 < x0 ? 0.75 : z1 > z0 ? 0.0 : 0.5;
    pieces_.push_back({x0, z0, turns, length, 0});
    length_ += length;
  }

  /// A quarter circle from where the last stretch ended; `side` is 1 to the right, -1 to the left.
  void corner(double side) {
    const Point start = at(length_);
    const double arc = kCornerRadius * 1.5707963267948966;
    pieces_.push_back({start.x, start.z, start.turns, arc, side});
    length_ += arc;
  }

  double length() const { return length_; }

  Point at(double s) const {
    std::size_t i = 0;
    while (i + 1 < pieces_.size() && s > pieces_[i].length) s -= pieces_[i++].length;
    const Piece& p = pieces_[i];
    const double ahead_x = sine(p.turns);
    const double ahead_z = cosine(p.turns);
    if (p.side == 0) return {p.x + s * ahead_x, p.z + s * ahead_z, p.turns};
    const double swept = s / p.length * 0.25;
    const double forward = kCornerRadius * sine(swept);
    const double sideways = kCornerRadius * (1 - cosine(swept)) * p.side;
    return {p.x + forward * ahead_x + sideways * ahead_z,
            p.z + forward * ahead_z - sideways * ahead_x, p.turns + swept * p.side};
  }

  static constexpr double kCornerRadius = 4;

 private:
  struct Piece {
    double x, z, turns, length, side;
  };
  std::vector<Piece> pieces_;
  double length_ = 0;
};

/// A stretch of the route and what is particular about it.
struct Leg {
  int to_x;  ///< street crossing, as indices into the street lists
  int to_z;
  double offset;  ///< metres to the right of the centre line
  bool evening;
};

constexpr std::array kLegs{
    Leg{1, 0, 0, false},   Leg{1, 1, 0, false},    Leg{0, 1, 0, false},
    Leg{0, 0, 0, false},                                                   // around
    Leg{1, 0, 1.2, false}, Leg{1, 1, 0.2, true},   Leg{0, 1, -0.8, true},  // again
    Leg{0, 2, 0, true},    Leg{1, 2, 0, false},    Leg{1, 1, 0, false},    // new ones
    Leg{1, 0, 0.3, false}, Leg{0, 0, -0.3, false},                         // opposite
};

/// Home: through the new streets once more, and back into the block it began with.
constexpr std::array kHome{
    Leg{0, 1, 0.3, false},  Leg{0, 2, 0.2, false}, Leg{1, 2, 0.4, false},
    Leg{1, 1, -0.4, false}, Leg{0, 1, 0.3, false},
};

constexpr Light kNoon{1, 1, 0.12F, -0.06F};
constexpr Light kEvening{0.74F, 0.85F, -0.1F, 0.14F};

float blend(float a, float b, float t) {
  return a + (b - a) * t;
}

struct LegSpan {
  double start;  ///< where along the path the leg begins
  Leg leg;
};

/// The path, and which leg is under way where.
struct PlannedPath {
  Path path;
  std::vector<LegSpan> spans;
};

/// Which way the route turns behind leg `i`: 1 right, -1 left, 0 straight on or the end.
int turn_after(const std::vector<Leg>& legs, std::size_t i) {
  if (i + 1 >= legs.size()) return 0;
  const int from_x = i == 0 ? 0 : legs[i - 1].to_x;
  const int from_z = i == 0 ? 0 : legs[i - 1].to_z;
  return (legs[i].to_z - from_z) * (legs[i + 1].to_x - legs[i].to_x) -
         (legs[i].to_x - from_x) * (legs[i + 1].to_z - legs[i].to_z);
}

PlannedPath lay_path(bool home) {
  std::vector<Leg> legs(kLegs.begin(), kLegs.end());
  if (home) legs.insert(legs.end(), kHome.begin(), kHome.end());
  PlannedPath planned;
  int x = 0;
  int z = 0;
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const Leg& leg = legs[i];
    // Corners take a radius off the stretches on both sides. The first begins as behind a corner,
    // which is how the route comes back to it.
    const double begin = i == 0 || turn_after(legs, i - 1) != 0 ? Path::kCornerRadius : 0;
    const double end = turn_after(legs, i) != 0 ? Path::kCornerRadius : 0;
    const int dx = leg.to_x - x;
    const int dz = leg.to_z - z;
    planned.spans.push_back({planned.path.length(), leg});
    planned.path.straight(kStreetsX[x] + dx * begin, kStreetsZ[z] + dz * begin,
                          kStreetsX[leg.to_x] - dx * end, kStreetsZ[leg.to_z] - dz * end);
    if (turn_after(legs, i) != 0) planned.path.corner(turn_after(legs, i));
    x = leg.to_x;
    z = leg.to_z;
  }
  return planned;
}

}  // namespace

City build_city(std::uint32_t seed, DemoWeather weather) {
  Builder builder(seed, weather);
  constexpr float edge = kStreet / 2;
  // The two blocks between the streets, all four sides.
  for (std::size_t i = 0; i + 1 < kStreetsZ.size(); ++i) {
    const float west = kStreetsX[0] + edge;
    const float east = kStreetsX[1] - edge;
    const float south = kStreetsZ[i] + edge;
    const float north = kStreetsZ[i + 1] - edge;
    builder.row_of_houses(west, south, east, south, 0, -1);
    builder.row_of_houses(east, south, east, north, 1, 0);
    builder.row_of_houses(east, north, west, north, 0, 1);
    builder.row_of_houses(west, north, west, south, -1, 0);
  }
  // What closes the world, looking inwards; rows reach past the corners, so that no gap is left.
  constexpr float past = 2;
  const float west = kStreetsX[0] - edge;
  const float east = kStreetsX[1] + edge;
  const float south = kStreetsZ[0] - edge;
  const float north = kStreetsZ[2] + edge;
  builder.row_of_houses(east + past, south, west - past, south, 0, 1);
  builder.row_of_houses(west, south - past, west, north + past, 1, 0);
  builder.row_of_houses(west - past, north, east + past, north, 0, -1);
  builder.row_of_houses(east, north + past, east, south - past, -1, 0);
  return builder.finish();
}

std::vector<Station> plan_route(std::size_t frames, bool home) {
  const PlannedPath planned = lay_path(home);
  std::vector<Station> route;
  double offset = 0;
  float evening = 0;
  std::size_t leg = 0;
  const double step = planned.path.length() / static_cast<double>(frames);
  for (std::size_t i = 0; i < frames; ++i) {
    const double s = step * static_cast<double>(i);
    while (leg + 1 < planned.spans.size() && s >= planned.spans[leg + 1].start) ++leg;
    // The driver changes lanes, and the light changes, over some ten metres.
    offset += (planned.spans[leg].leg.offset - offset) * 0.12;
    evening = blend(evening, planned.spans[leg].leg.evening ? 1.0F : 0.0F, 0.1F);
    const Path::Point p = planned.path.at(s);
    const double aside = offset + 0.12 * sine(s / 17.3);
    const double turns = p.turns + 0.006 * sine(s / 23.7 + 0.2);
    Station station;
    station.x = static_cast<float>(p.x + aside * cosine(p.turns));
    station.z = static_cast<float>(p.z - aside * sine(p.turns));
    station.heading_x = static_cast<float>(sine(turns));
    station.heading_z = static_cast<float>(cosine(turns));
    station.light = {blend(kNoon.gain, kEvening.gain, evening),
                     blend(kNoon.contrast, kEvening.contrast, evening),
                     blend(kNoon.sun_x, kEvening.sun_x, evening),
                     blend(kNoon.sun_z, kEvening.sun_z, evening)};
    route.push_back(station);
  }
  return route;
}

Pose pose_of(const Station& s) {
  // Columns: right, down, ahead; the world's y points down, as in KITTI.
  return {{s.heading_z, 0, s.heading_x, 0, 1, 0, -s.heading_x, 0, s.heading_z},
          {s.x, -kEyeHeight, s.z}};
}

}  // namespace looptree::detail

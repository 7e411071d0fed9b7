// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/box.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {
namespace detail {

// Made of the files in vocabulary/box/ by looptree_embed().
std::span<const std::byte> box_learned();
std::span<const std::byte> box_orb();

}  // namespace detail

namespace {

constexpr std::array<std::string_view, 2> kKinds = {"orb", "learned"};

}  // namespace

std::span<const std::string_view> box_vocabularies() noexcept {
  return kKinds;
}

Vocabulary box_vocabulary(std::string_view features) {
  if (features == "orb") {
    static const Vocabulary orb = Vocabulary::from_bytes(detail::box_orb());
    return orb;
  }
  if (features == "learned") {
    static const Vocabulary learned = Vocabulary::from_bytes(detail::box_learned());
    return learned;
  }
  std::string kinds;
  for (const std::string_view kind : kKinds) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
  }
  throw Error(ErrorKind::not_found, "expected features that a vocabulary comes with (" + kinds +
                                        "), found " + std::string(features) +
                                        "; train one, or load one");
}

std::optional<std::string_view> box_features(std::uint64_t content_hash) {
  for (const std::string_view kind : kKinds) {
    if (box_vocabulary(kind).content_hash() == content_hash) return kind;
  }
  return std::nullopt;
}

}  // namespace looptree

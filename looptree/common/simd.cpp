// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/simd.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include <hwy/targets.h>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

std::mutex mutex;
std::atomic<bool> applied = false;

struct Level {
  std::string name;
  std::int64_t target;
};

std::string name_of(std::int64_t target) {
  std::string name = hwy::TargetName(target);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// What the processor supports and this build contains, best first. Highway gives better targets
/// lower bits. The list is made before any level is forced, since forcing hides the others.
const std::vector<Level>& levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> result;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      result.push_back({name_of(target), target});
    }
    return result;
  }();
  return all;
}

void choose(std::string_view name, const std::string& source) {
  const std::vector<Level>& all = levels();
  const auto level =
      name.empty() ? all.begin() : std::find_if(all.begin(), all.end(), [&](const Level& each) {
        return each.name == name;
      });
  if (level == all.end()) {
    std::string known;
    for (const Level& each : all) known += (known.empty() ? "" : ", ") + each.name;
    throw Error(ErrorKind::invalid_argument, "expected " + source + " to be one of " + known +
                                                 "; found \"" + std::string(name) + "\"");
  }
  hwy::SetSupportedTargetsForTest(level->target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::string> simd_levels() {
  std::vector<std::string> names;
  for (const Level& level : levels()) names.push_back(level.name);
  return names;
}

std::string simd_level() {
  prepare_simd();
  const std::lock_guard lock(mutex);
  return name_of(hwy::SupportedAndGeneratedTargets().front());
}

void force_simd_level(std::string_view name) {
  const std::lock_guard lock(mutex);
  choose(name, "the SIMD level");
  applied.store(true, std::memory_order_release);
}

void prepare_simd() {
  if (applied.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex);
  if (applied.load(std::memory_order_relaxed)) return;
  const char* wanted = std::getenv("LOOPTREE_SIMD");  // NOLINT(concurrency-mt-unsafe): read once
  if (wanted != nullptr && *wanted != '\0') choose(wanted, "LOOPTREE_SIMD");
  applied.store(true, std::memory_order_release);
}

}  // namespace looptree

// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "looptree/vocabulary/vocabulary.hpp"

#include "tests/fuzz/vocabulary_target.hpp"
#include "tests/support.hpp"
#include "tests/vocabulary/golden_data.hpp"

// Every file, cut off at every byte and with every byte changed: an error or a vocabulary that
// works, never a crash, a hang or a giant allocation.
namespace looptree {
namespace {

using test::exercise_vocabulary;
using test::read_text;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOPTREE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOOPTREE_SANITIZED
#endif
#endif
#ifdef LOOPTREE_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// Makes an allocation of more than a gigabyte fail for as long as it lives, so that it is noticed.
class AllocationLimit {
 public:
  AllocationLimit() {
    getrlimit(RLIMIT_AS, &before_);
    if (kSanitized) return;  // sanitizers reserve terabytes
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(rlim_t{1} << 30U, before_.rlim_max);
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AllocationLimit() { setrlimit(RLIMIT_AS, &before_); }
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

 private:
  rlimit before_ = {};
};

struct Damaged {
  std::filesystem::path path;
  std::size_t stride;  ///< every so many bytes
};

void PrintTo(const Damaged& damaged, std::ostream* out) {
  *out << damaged.path.filename() << " every " << damaged.stride << " bytes";
}

class Damage : public testing::TestWithParam<Damaged> {
 protected:
  std::string whole = read_text(GetParam().path);
  AllocationLimit limit;
};

TEST_P(Damage, Truncation) {
  EXPECT_TRUE(exercise_vocabulary(test::as_bytes(whole)));
  for (std::size_t size = 0; size < whole.size(); size += GetParam().stride) {
    exercise_vocabulary(test::as_bytes(whole).first(size));
  }
}

TEST_P(Damage, Flips) {
  for (std::size_t at = 0; at < whole.size(); at += GetParam().stride) {
    const char original = whole[at];
    // One bit, all bits, and for text the digits and signs that change a meaning.
    for (const char changed : {static_cast<char>(original ^ (1 << (at % 8))),
                               static_cast<char>(~original), static_cast<char>('0' + at % 10)}) {
      whole[at] = changed;
      exercise_vocabulary(test::as_bytes(whole));
    }
    whole[at] = original;
  }
}

/// Larger files take strides, primes so that all columns of a line come up, to stay within seconds;
/// the seeds below cover every byte of every format, and so does `./dev fuzz`.
std::vector<Damaged> goldens() {
  std::vector<Damaged> files;
  const auto add = [&](const std::string& name, std::size_t stride) {
    files.push_back({test::golden("voc/" + name), stride});
  };
  add("openvslam_irregular.dbow2", 1);
  add("openvslam_orb.dbow2", 1);
  add("fbow_irregular.fbow", 1);
  add("fbow_orb.fbow", 1);
  add("dbow3_orb.bin", 1);
  add("orbslam2_irregular.txt", 1);
  add("orbslam2_orb.txt", 7);
  add("dbow2_irregular.yml", 7);
  add("dbow2_orb.yml", 31);
  add("dbow3_orb.yml", 31);
  add("dbow2_orb.yml.gz", 7);
  add("dbow2_db_di1.yml.gz", 61);
  add("dbow3_float.bin", 61);
  add("fbow_float.fbow", 61);
  add("dbow3_float.yml", 997);
  return files;
}

INSTANTIATE_TEST_SUITE_P(Goldens, Damage, testing::ValuesIn(goldens()));

std::vector<Damaged> seeds() {
  std::vector<Damaged> files;
  for (const auto& entry : std::filesystem::directory_iterator(LOOPTREE_CORPUS_DIR "/vocabulary")) {
    files.push_back({entry.path(), 1});
  }
  std::sort(files.begin(), files.end(),
            [](const Damaged& a, const Damaged& b) { return a.path < b.path; });
  return files;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Damage, testing::ValuesIn(seeds()));

TEST(OwnFormat, ChecksumsFindEveryChangedByteThatMatters) {
  const test::TemporaryFolder folder;
  Vocabulary::load(test::golden("voc/openvslam_irregular.dbow2")).save(folder / "file");
  std::string whole = read_text(folder / "file");
  const std::uint64_t hash = Vocabulary::load(folder / "file").content_hash();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    whole[at] = static_cast<char>(whole[at] ^ 0x10);
    try {
      // Between sections lie a few unused bytes.
      EXPECT_EQ(Vocabulary::from_bytes(test::as_bytes(whole)).content_hash(), hash) << at;
    } catch (const Error&) {
      ++refused;
    }
    whole[at] = static_cast<char>(whole[at] ^ 0x10);
  }
  EXPECT_GE(refused, whole.size() - std::size_t{3} * 64);
}

/// Headers that promise billions of nodes, with nothing behind them.
TEST(GiantSizes, AreCheckedAgainstTheFileFirst) {
  const AllocationLimit limit;
  const auto refused = [](std::vector<std::uint32_t> header) {
    const std::string text(reinterpret_cast<const char*>(header.data()), header.size() * 4);
    EXPECT_FALSE(exercise_vocabulary(test::as_bytes(text)));
    EXPECT_FALSE(exercise_vocabulary(test::as_bytes(text + std::string(500, '\1'))));
  };
  refused({0xffffffff, 41, 10, 6, 0, 0});
  refused({0x7fffffff, 60000, 10, 6, 0, 0});
  refused({10, 6, 0, 0, 0x7fffffff, 0x7fffffff});
  refused({0xb1863f81, 0x14, 0xffffff00, 0x00000aff, 0x600, 0, 0});  // DBoW3
}

}  // namespace
}  // namespace looptree

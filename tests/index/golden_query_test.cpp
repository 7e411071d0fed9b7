// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/index/pooled_index.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

using nlohmann::json;

/// What DBoW2's own database answered, put to every exact topology of ours.
class GoldenQuery : public testing::TestWithParam<std::string> {
 protected:
  static Histogram histogram(const json& golden, std::size_t image) {
    std::vector<WordId> seen;
    std::vector<double> weights;
    for (const json& entry : golden["bow"][image]) {
      seen.emplace_back(entry[0].get<std::uint32_t>());
      weights.push_back(entry[1]);
    }
    return {std::move(seen), std::move(weights)};
  }

  static QueryOptions options(const std::string& name) {
    QueryOptions result;
    result.top_k = name.starts_with("max_results_5") ? 5 : QueryOptions::kUnlimited;
    if (name.ends_with("max_id_4")) result.filter.last = FrameId{4};
    return result;
  }

  static void expect_answer(const json& expected, const std::vector<Match>& found) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, expected[i][1].get<double>(), 1e-6);
      const std::uint32_t id = expected[i][0];
      if (found[i].frame.value == id) continue;
      // One unit in DBoW2's last place may order near ties otherwise: then the ids swap places.
      const auto same = [&](const json& other) {
        return other[0] == found[i].frame.value &&
               std::abs(other[1].get<double>() - expected[i][1].get<double>()) < 1e-12;
      };
      EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), same)) << "place " << i;
    }
  }
};

TEST_P(GoldenQuery, AnswersAreDbow2s) {
  const json golden = test::golden_json(GetParam());
  for (const char* topology : {"d1", "d2b2-max", "d3b2-sum"}) {
    PooledIndex index({golden["words"].get<std::uint32_t>(), Topology::parse(topology)});
    for (std::size_t image = 0; image < 8; ++image) index.insert(histogram(golden, image));
    for (const auto& [name, queries] : golden["database_images_0_7_query"].items()) {
      for (const auto& [query, expected] : queries.items()) {
        SCOPED_TRACE(std::string(topology) + " " + name + " query " + query);
        expect_answer(expected,
                      index.query(histogram(golden, std::stoul(query)), options(name)).matches);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dbow2, GoldenQuery,
                         testing::Values("dbow2_orb.json", "dbow2_orb_TF.json",
                                         "dbow2_orb_IDF.json", "dbow2_orb_BINARY.json",
                                         "dbow2_orb_stopped.json", "dbow2_irregular.json"));

}  // namespace
}  // namespace looptree

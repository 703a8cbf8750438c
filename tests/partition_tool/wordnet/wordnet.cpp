// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/wordnet_files.hpp"

#include "partition/wordnet/hashed_words.hpp"
#include "partition/wordnet/wordnet.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_partition;
using namespace glt_test;

TEST_CASE("a small database becomes a data set") {
  scratch_folder const scratch;
  write_wordnet(scratch.path());
  auto const data = read_wordnet(scratch.path());
  CHECK(data.name == "wordnet");
  REQUIRE(data.nodes.size() == 1);
  REQUIRE(data.edges.size() == 1);
  auto const& nodes = data.nodes[0];
  CHECK(nodes.num_nodes == 6);
  // The pointer from dog to itself goes.
  CHECK(data.edges[0].sources == std::vector<global_id>{0, 1, 1, 2, 3, 4, 4, 5});
  CHECK(data.edges[0].destinations == std::vector<global_id>{1, 0, 2, 1, 4, 3, 5, 4});
  CHECK(std::ranges::equal(nodes.labels.values<std::int64_t>(), std::vector<std::int64_t>{3, 5, 38, 0, 0, 2}));

  REQUIRE(nodes.features.size() == 1);
  CHECK(nodes.features[0].values.shape() == std::vector<std::int64_t>{6, 256});
  std::vector<float> row(256);
  hash_words("doggy like a dog", row);
  CHECK(std::ranges::equal(nodes.features[0].values.matrix<float>().row(3), row));

  CHECK(nodes.train.size() == 3);
  CHECK(nodes.valid.size() == 1);
  auto all = nodes.train;
  all.insert(all.end(), nodes.valid.begin(), nodes.valid.end());
  all.insert(all.end(), nodes.test.begin(), nodes.test.end());
  std::ranges::sort(all);
  CHECK(all == std::vector<global_id>{0, 1, 2, 3, 4, 5});
  CHECK(std::ranges::is_sorted(nodes.train));
}

TEST_CASE("the width of the features and the split are options") {
  scratch_folder const scratch;
  write_wordnet(scratch.path());
  auto const database = read_wordnet_database(scratch.path());
  CHECK(make_data_set(database, {.columns = 7}).nodes[0].features[0].values.columns() == 7);
  auto const splits = [&](std::uint64_t seed) { return make_data_set(database, {.split_seed = seed}).nodes[0].train; };
  CHECK(splits(1) == splits(1));
  bool other = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed) {
    other = other || splits(seed) != splits(1);
  }
  CHECK(other);
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(make_data_set(database, {.columns = 0})); }),
              "0 columns", "1 or more"));
}

TEST_CASE("a database of nothing becomes a data set of nothing") {
  auto const data = make_data_set({});
  CHECK(data.nodes[0].num_nodes == 0);
  CHECK(data.nodes[0].train.empty());
  CHECK(data.edges[0].sources.empty());
}

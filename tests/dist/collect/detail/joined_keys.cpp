// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_collector.hpp>

#include <glt/dist/collect/detail/row_lists.hpp>

#include <glt/memory/buffer.hpp>

#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

using ids = std::vector<glt::local_id>;

// Keys that were joined, and the places of those that were kept, in memory of the host.
template <class Policy, class Keys>
std::pair<ids, std::vector<std::int64_t>> known(Policy const& policy, Keys const& keys,
                                                glt::detail::joined_keys<Policy> const& joined) {
  return {glt::to_vector(policy, keys.vertices), glt::to_vector(policy, joined.kept())};
}

} // namespace

TEST_CASE("seeds of all lists come before the other keys, and every row finds the place in its list") {
  std::vector<glt::local_id> const first{4, 0, 5, 1};
  std::vector<glt::local_id> const second{3, 3, 2};
  using list = glt::detail::bulk_list<cpu, glt::local_id, int>;
  std::vector<list> const lists{{.vertices = first, .num_seeds = 1}, {}, {.vertices = second, .num_seeds = 2}};
  glt::detail::row_sources<cpu> sources(glt::partition_book({0, 3, 6}), 0, false, cpu{});
  glt::detail::joined_keys<cpu> joined(cpu{}, cpu{});
  std::vector<std::byte> memory(3);
  std::vector<glt::detail::row_target> targets;
  for (auto& byte : memory) {
    targets.push_back({glt::element_type::int8, &byte});
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto const keys = joined.join(std::span(lists), sources);
    CHECK(std::vector<glt::local_id>(keys.vertices.begin(), keys.vertices.end()) ==
          std::vector<glt::local_id>{4, 3, 0, 5, 1, 2}); // 3 belongs to the other rank, and is kept once
    CHECK(joined.num_seeds() == 2);
    CHECK(joined.num_repeated() == 1);
    sources.sort(keys, joined.num_seeds(), 0, joined.kept());
    joined.find(sources);
    std::vector<std::int64_t> found;
    for (int const source : {1, 0}) {
      auto const rows = sources.list(source);
      for (auto const& part : {rows.part(0, 1), rows.part(1, rows.size)}) { // a round after the other
        joined.targets(targets).of(source).for_each_run(part, [&](glt::detail::row_run const& run) {
          for (std::int64_t i = 0; i < run.rows.size; ++i) {
            auto const of_list = run.targets[0].data - memory.data();
            auto const& list_keys = of_list == 0 ? first : second;
            auto const key = list_keys[static_cast<std::size_t>(run.places()(i))];
            CHECK(key == glt::detail::unflagged(run.rows.rows[i]) + 3 * source);
            CHECK((i < run.rows.num_flagged) == (run.places()(i) < lists[static_cast<std::size_t>(of_list)].num_seeds));
            found.push_back(10 * of_list + run.places()(i));
          }
        });
      }
    }
    CHECK(found == std::vector<std::int64_t>{0, 20, 2, 1, 3, 22});
  }
  auto const one = joined.join(std::span(lists).last(1), sources);
  CHECK(one.vertices.data() == second.data());
  CHECK(joined.num_seeds() == 2);
}

TEST_CASE_TEMPLATE("rows of remote keys that come again are copied from the first; other tensors only for seeds",
                   Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const first = glt::make_buffer<Policy>(ids{5, 0}, policy);
  auto const second = glt::make_buffer<Policy>(ids{4, 5, 0, 4}, policy);
  using list = glt::detail::bulk_list<Policy, glt::local_id, int>;
  std::vector<list> const lists{
      {.vertices = first.view(), .num_seeds = 1}, {}, {.vertices = second.view(), .num_seeds = 2}};
  glt::detail::row_sources<Policy> const sources(glt::partition_book({0, 3, 6}), 0, false, policy);
  glt::detail::joined_keys<Policy> joined(policy, sources.index());
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto const keys = joined.join(std::span(lists), sources);
    CHECK(known(policy, keys, joined) == // rows of this rank may come again
          std::pair(ids{5, 4, 0, 0}, std::vector<std::int64_t>{0, 1, 3, 4}));
    CHECK(joined.num_seeds() == 2);
    CHECK(joined.num_repeated() == 2);
    using rows = std::vector<std::int16_t>;
    std::vector<glt::buffer<Policy, std::int16_t>> tensors; // x has two columns, y has rows of seeds
    for (auto const& each :
         {rows{50, 51, 0, 1}, rows{5}, rows{}, rows{}, rows{40, 41, -1, -1, 0, 1, -1, -1}, rows{4, -1}}) {
      tensors.push_back(glt::make_buffer<Policy>(each, policy));
    }
    std::vector<glt::detail::row_target> targets;
    for (auto& each : tensors) {
      targets.push_back({glt::element_type::int16, reinterpret_cast<std::byte*>(each.data())});
    }
    auto const planned = [](std::int64_t columns, bool seeds_only) {
      return glt::detail::planned_tensor<Policy::space>{
          .name = {}, .local = {.num_columns = columns}, .result = glt::element_type::int16, .seeds_only = seeds_only};
    };
    joined.copy_repeated(targets, {planned(2, false), planned(1, true)});
    auto const found = [&](std::size_t i) { return glt::to_vector(policy, tensors[i].cview()); };
    CHECK(found(0) == rows{50, 51, 0, 1});
    CHECK(found(1) == rows{5});
    CHECK(found(4) == rows{40, 41, 50, 51, 0, 1, 40, 41});
    CHECK(found(5) == rows{4, 5});
  }
}

TEST_CASE_TEMPLATE("edges are the keys of their rows, and ids that no row has are not taken for others", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  std::int64_t const large = std::int64_t{5} << 40;
  using edges = std::vector<glt::edge_id>;
  auto const ends = glt::make_buffer<Policy>(ids{5, 4, 0, 3}, policy); // of edges of both lists
  auto const first = glt::make_buffer<Policy>(edges{7, large, 2, -3}, policy);
  auto const second = glt::make_buffer<Policy>(edges{large, 7, 2, -3}, policy);
  using list = glt::detail::bulk_list<Policy, glt::local_id, int>;
  std::vector<list> const lists{{.vertices = ends.view(), .edges = first.view()},
                                {.vertices = ends.view(), .edges = second.view()}};
  glt::detail::row_sources<Policy> const sources(glt::partition_book({0, 3, 6}), 0, true, policy);
  glt::detail::joined_keys<Policy> joined(policy, sources.index());
  auto const keys = joined.join(std::span(lists), sources);
  CHECK(known(policy, keys, joined) == std::pair(ids{5, 4, 0, 3, 0, 3}, std::vector<std::int64_t>{0, 1, 2, 3, 6, 7}));
  CHECK(glt::to_vector(policy, keys.edges) == edges{7, large, 2, -3, 2, -3});
  CHECK(joined.num_seeds() == 0);
  CHECK(joined.num_repeated() == 2);
}

TEST_CASE("no lists have no keys") {
  glt::detail::row_sources<cpu> sources(glt::partition_book({0, 3, 6}), 0, false, cpu{});
  glt::detail::joined_keys<cpu> joined(cpu{}, cpu{});
  auto const keys = joined.join(std::span<glt::detail::bulk_list<cpu, glt::local_id, int> const>(), sources);
  CHECK(keys.vertices.empty());
  sources.sort(keys, 0, 0);
  joined.find(sources);
  joined.targets({}).of(1).for_each_run(sources.list(1), [](auto const&) { CHECK(false); });
}

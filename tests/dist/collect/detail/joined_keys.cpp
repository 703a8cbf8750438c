// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_collector.hpp>

#include <glt/dist/collect/detail/row_lists.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using glt::device::cpu;

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

TEST_CASE("rows of remote keys that come again are copied from the first; other tensors only for seeds") {
  std::vector<glt::local_id> const first{5, 0};
  std::vector<glt::local_id> const second{4, 5, 0, 4};
  using list = glt::detail::bulk_list<cpu, glt::local_id, int>;
  std::vector<list> const lists{{.vertices = first, .num_seeds = 1}, {.vertices = second, .num_seeds = 1}};
  glt::detail::row_sources<cpu> const sources(glt::partition_book({0, 3, 6}), 0, false, cpu{});
  glt::detail::joined_keys<cpu> joined(cpu{}, cpu{});
  auto const keys = joined.join(std::span(lists), sources);
  CHECK(std::vector<glt::local_id>(keys.vertices.begin(), keys.vertices.end()) ==
        std::vector<glt::local_id>{5, 4, 0, 0}); // rows of this rank may come again
  CHECK(joined.num_repeated() == 2);
  std::vector<std::int16_t> x1{50, 51, 0, 1}; // two columns
  std::vector<std::int16_t> x2{40, 41, -1, -1, 0, 1, -1, -1};
  std::vector<std::int16_t> y1{5};
  std::vector<std::int16_t> y2{4};
  auto const target = [](std::vector<std::int16_t>& rows) {
    return glt::detail::row_target{glt::element_type::int16, reinterpret_cast<std::byte*>(rows.data())};
  };
  std::vector<glt::detail::row_target> const targets{target(x1), target(y1), target(x2), target(y2)};
  auto const planned = [](std::int64_t columns, bool seeds_only) {
    return glt::detail::planned_tensor<glt::memory_space::host>{
        .name = {}, .local = {.num_columns = columns}, .result = glt::element_type::int16, .seeds_only = seeds_only};
  };
  joined.copy_repeated(targets, {planned(2, false), planned(1, true)});
  CHECK(x1 == std::vector<std::int16_t>{50, 51, 0, 1});
  CHECK(x2 == std::vector<std::int16_t>{40, 41, 50, 51, 0, 1, 40, 41});
  CHECK(y2 == std::vector<std::int16_t>{4});
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

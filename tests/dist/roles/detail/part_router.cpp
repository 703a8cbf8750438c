// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/part_router.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

using glt::detail::make_part_router;
using glt::detail::part_router;
using glt_test::names;
using glt_test::on_ranks;
using glt_test::thrown;

namespace {

std::vector<int> list_of(std::span<int const> ranks) {
  return {ranks.begin(), ranks.end()};
}

std::vector<int> picks(part_router& router, int part, int number) {
  std::vector<int> picked;
  for (int i = 0; i < number; ++i) {
    picked.push_back(router.pick(part));
  }
  return picked;
}

} // namespace

TEST_CASE("the holders of a part are picked in rounds, each part's by itself") {
  part_router router(3, {{0, 1}, {1}, {2, 1}});
  CHECK(router.num_parts() == 3);
  CHECK(list_of(router.ranks_of(0)) == std::vector{0});
  CHECK(list_of(router.ranks_of(1)) == std::vector{0, 1, 2});
  CHECK(picks(router, 1, 4) == std::vector{0, 1, 2, 0});
  CHECK(picks(router, 0, 2) == std::vector{0, 0});
  CHECK(picks(router, 1, 2) == std::vector{1, 2});
  CHECK(picks(router, 2, 2) == std::vector{2, 2});
  part_router from_second(3, {{0, 1}, {1}, {2, 1}}, 4);
  CHECK(picks(from_second, 1, 3) == std::vector{1, 2, 0});
}

TEST_CASE("a router refuses parts that no rank holds, and other parts than it knows") {
  auto const refusal = [](int parts, std::vector<std::vector<int>> const& held) {
    return thrown<glt::precondition_error>([&] { part_router(parts, held); });
  };
  CHECK(names(refusal(3, {{0}, {2}}), "no rank that holds part 1"));
  CHECK(names(refusal(2, {{0}, {1, 2}}), "rank 1 holds part 2"));
  part_router router(1, {{0}});
  CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(router.pick(1)); }), "no part 1", "0 to 0"));
  CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(router.ranks_of(-1)); }), "no part -1"));
}

TEST_CASE("ranks tell each other which parts they hold") {
  on_ranks([](auto comm) {
    // Every rank but the last one holds its part and part 0; the last one, where there are more, holds nothing.
    int const parts = std::max(1, comm.size() - 1);
    bool const holds = comm.rank() < parts;
    auto const held = !holds ? std::vector<int>() : comm.rank() == 0 ? std::vector{0} : std::vector{comm.rank(), 0};
    auto router = make_part_router(comm, holds ? parts : 0, held);
    CHECK(router.num_parts() == parts);
    std::vector<int> holders(static_cast<std::size_t>(parts));
    std::iota(holders.begin(), holders.end(), 0);
    CHECK(list_of(router.ranks_of(0)) == holders);
    for (int part = 1; part < parts; ++part) {
      CHECK(list_of(router.ranks_of(part)) == std::vector{part});
    }
    CHECK(router.pick(0) == comm.rank() % parts);
  });
}

TEST_CASE("a part that no rank holds, or one rank's other number of parts, is the same error on all ranks") {
  on_ranks([](auto comm) {
    auto const refusal = [&](int parts, std::vector<int> const& held) {
      return thrown<glt::collective_error>([&] { static_cast<void>(make_part_router(comm, parts, held)); });
    };
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    bool const is_last = comm.rank() == last;
    CHECK(names(refusal(comm.size() + 1, {comm.rank()}), "holds part " + std::to_string(comm.size())));
    CHECK(names(refusal(1, {is_last ? 1 : 0}), name, "holds part 1"));
    CHECK(names(refusal(0, {}), "0 parts"));
    if (last > 0) {
      CHECK(names(refusal(is_last ? 7 : 1, {0}), name, "has 7 parts", "has 1"));
    }
  });
}

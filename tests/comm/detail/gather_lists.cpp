// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/exchange.hpp>

#include <glt/comm/counting.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using glt_test::on_ranks;

namespace {

// None on rank 1, many on rank 2.
std::vector<std::int64_t> numbers_of(int rank) {
  std::vector<std::int64_t> numbers(rank == 1 ? 0 : rank == 2 ? 3000 : 1);
  std::iota(numbers.begin(), numbers.end(), 10 * rank);
  return numbers;
}

std::string text_of(int rank) {
  return rank == 1 ? "" : "of rank " + std::to_string(rank) + '\0' + "end";
}

} // namespace

TEST_CASE("lists of different lengths reach all ranks, or those that receive") {
  on_ranks([](auto comm) {
    auto const numbers = glt::detail::gather_lists(comm, {}, {}, numbers_of(comm.rank()));
    auto const texts = glt::detail::gather_lists(comm, {}, {}, text_of(comm.rank()));
    auto const receives = [&](int rank) { return rank == comm.size() - 1; };
    auto const some = glt::detail::gather_lists(comm, {}, {}, numbers_of(comm.rank()), receives);
    REQUIRE(static_cast<int>(numbers.size()) == comm.size());
    REQUIRE(static_cast<int>(some.size()) == comm.size());
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const i = static_cast<std::size_t>(rank);
      CHECK(numbers[i] == numbers_of(rank));
      CHECK(texts[i] == text_of(rank));
      bool const there = receives(comm.rank()) || rank == comm.rank();
      CHECK(some[i] == (there ? numbers_of(rank) : std::vector<std::int64_t>()));
    }
  });
}

TEST_CASE("a list goes once to each other rank, after one header exchange") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    auto const lists = glt::detail::gather_lists(comm, {}, {}, std::vector<std::int64_t>(5, comm.rank()));
    CHECK(static_cast<int>(lists.size()) == comm.size());
    CHECK(comm.counts().total().collectives == (comm.size() == 1 ? 0 : 2));
    CHECK(comm.counts().payload.bytes == 40 * (comm.size() - 1));
  });
}

TEST_CASE("a failure of a rank is thrown on all") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const failure = comm.rank() == last ? "its disk fails" : "";
    auto const gather = [&] { return glt::detail::gather_lists(comm, {}, failure, text_of(comm.rank())); };
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { static_cast<void>(gather()); }),
                          "rank " + std::to_string(last), "its disk fails"));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/slices.hpp>

#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace io = glt::io;

namespace {

// Some number that no other place and rank has.
std::int64_t number_of(std::int64_t place, int rank) {
  return place * 10 + rank;
}

std::vector<std::int64_t> numbers_of(std::int64_t count, int rank) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(number_of(i, rank));
  }
  return numbers;
}

template <class Body>
void on_slices(Body body) {
  glt_test::on_ranks([&](auto comm) {
    for (std::int64_t const rows : {0, 1, 2, 7, 64}) {
      for (std::int64_t const columns : {1, 3}) {
        for (std::int64_t const rows_a_round : {1, 5, 1000}) {
          io::detail::row_slices<decltype(comm), std::int64_t> slices(comm, rows, 3, rows_a_round);
          auto const [first, last] = io::detail::slice_of(rows, comm.size(), comm.rank());
          CHECK(slices.own().first == first);
          CHECK(slices.own().last == last);
          for (int twice = 0; twice < 2; ++twice) {
            body(comm, slices, rows, columns);
          }
        }
      }
    }
  });
}

} // namespace

TEST_CASE("every rank adds up its own slice and leaves the others alone") {
  on_slices([](auto& comm, auto& slices, std::int64_t rows, std::int64_t columns) {
    auto values = numbers_of(rows * columns, comm.rank());
    slices.add_up(glt::host_view<std::int64_t>(values), columns,
                  [](std::int64_t& sum, std::int64_t other) { sum += other; });
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      auto const row = i / columns;
      std::int64_t sum = 0;
      for (int rank = 0; rank < comm.size(); ++rank) {
        sum += number_of(i, rank);
      }
      bool const own = row >= slices.own().first && row < slices.own().last;
      expected.push_back(own ? sum : number_of(i, comm.rank()));
    }
    CHECK(values == expected);
  });
}

TEST_CASE("every rank gets the slices of all others") {
  on_slices([](auto& comm, auto& slices, std::int64_t rows, std::int64_t columns) {
    auto values = numbers_of(rows * columns, comm.rank());
    slices.hand_round(glt::host_view<std::int64_t>(values), columns);
    std::vector<std::int64_t> expected;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const [first, last] = io::detail::slice_of(rows, comm.size(), rank);
      for (auto i = first * columns; i < last * columns; ++i) {
        expected.push_back(number_of(i, rank));
      }
    }
    CHECK(values == expected);
  });
}

TEST_CASE("a rank collects the slices of all, and the others nothing") {
  on_slices([](auto& comm, auto& slices, std::int64_t rows, std::int64_t) {
    auto const all = numbers_of(rows, 0);
    auto const [begin, end] = slices.own();
    for (int root = 0; root < comm.size(); ++root) {
      std::vector<std::int64_t> found(all.size(), -1);
      std::int64_t taken = 0;
      slices.collect(glt::host_view<std::int64_t const>(all).subview(begin, end - begin), root,
                     [&](std::int64_t first, glt::host_view<std::int64_t const> values) {
                       CHECK(!values.empty());
                       std::ranges::copy(values, found.begin() + first);
                       taken += values.size();
                     });
      CHECK(taken == (comm.rank() == root ? rows : 0));
      CHECK((comm.rank() != root || found == all));
    }
  });
}

TEST_CASE("a round has as many rows as the rank with the least room takes from all others") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.rank() == comm.size() - 1;
    CHECK(io::detail::agree_on_rows_a_round(comm, {.for_edges = last ? 4800 : 9600}, 10) == 120 / comm.size());
    CHECK(io::detail::agree_on_rows_a_round(comm, {}, 10) == 1);
  });
}

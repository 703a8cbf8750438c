// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/routed_list.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

glt::partition_book book_of(int parts) {
  std::vector<glt::global_id> offsets{0};
  for (int part = 0; part < parts; ++part) {
    offsets.push_back(offsets.back() + 10 * part); // part 0 is empty
  }
  return glt::partition_book(std::move(offsets));
}

// The list that a rank asks for: some of every part, in an order that mixes them.
std::vector<std::int64_t> wanted(int rank, std::int64_t num_vertices) {
  std::vector<std::int64_t> vertices;
  for (std::int64_t i = 0; i < (num_vertices == 0 ? 0 : 4 * rank + 3); ++i) {
    vertices.push_back((i * 7 + rank) % num_vertices);
  }
  return vertices;
}

} // namespace

TEST_CASE("every vertex reaches its owner once, with its mark, in list order; own ones stay") {
  glt_test::on_ranks([](auto comm) {
    auto const book = book_of(comm.size());
    glt::detail::routed_list requests(comm);
    for (std::int64_t const marked : {0, 2, 100}) {
      auto const list = wanted(comm.rank(), book.num_vertices());
      requests.route(book, glt::host_view<std::int64_t const>(list), marked);
      requests.start({.what = glt::detail::operation::user, .step = marked}, 5, {});
      requests.finish();

      std::vector<std::int64_t> asked(list.size(), -1);
      for (std::size_t i = 0; i < requests.own().size(); ++i) {
        asked[static_cast<std::size_t>(requests.own_places()[i])] = book.begin(comm.rank()) + requests.own()[i];
      }
      for (int rank = 0; rank < comm.size(); ++rank) {
        auto const r = static_cast<std::size_t>(rank);
        for (auto i = requests.routed_offsets()[r]; i < requests.routed_offsets()[r + 1]; ++i) {
          auto const at = static_cast<std::size_t>(i);
          asked[static_cast<std::size_t>(requests.places()[at])] =
              book.begin(rank) + glt::dist::row_of(requests.routed()[at]);
        }
      }
      CHECK(asked == list);

      for (int rank = 0; rank < comm.size(); ++rank) {
        std::vector<glt::dist::wire_row> expected;
        auto const theirs = wanted(rank, book.num_vertices());
        for (std::size_t i = 0; i < theirs.size(); ++i) {
          if (rank != comm.rank() && book.owner(theirs[i]) == comm.rank()) {
            auto const row = static_cast<glt::dist::wire_row>(theirs[i] - book.begin(comm.rank()));
            expected.push_back(static_cast<std::int64_t>(i) < marked ? ~row : row);
          }
        }
        auto const slice = requests.received_of(static_cast<std::size_t>(rank));
        CHECK(std::vector<glt::dist::wire_row>(slice.begin(), slice.end()) == expected);
      }
    }
    CHECK(requests.anything() == (comm.size() > 1));
  });
}

TEST_CASE("marks survive on row 0") {
  CHECK(glt::dist::is_marked(~0));
  CHECK(glt::dist::row_of(~0) == 0);
  CHECK(glt::dist::row_of(5) == 5);
  CHECK(!glt::dist::is_marked(0));
}

TEST_CASE("another value or a refusal is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    glt::detail::routed_list requests(comm);
    requests.route(book_of(comm.size()), glt::host_view<std::int64_t const>());
    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                                [&] { requests.start({}, comm.rank() == last ? 2 : 1, {}); }),
                            "rank " + std::to_string(last), "another key"));
    }
    auto const refused = glt_test::thrown<glt::collective_error>([&] {
      if (comm.rank() == last) {
        requests.refuse({}, "no memory");
      }
      requests.start({}, 1, {});
    });
    CHECK(refused == "rank " + std::to_string(last) + ": no memory");
  });
}

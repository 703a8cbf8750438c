// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/parcels.hpp>

#include <glt/comm/counting.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

struct item {
  std::int64_t sender;
  std::int32_t place;
  bool operator==(item const&) const = default;
};

int receiver(std::int64_t place, int rank, int size) { return static_cast<int>(place * 5 + rank) % size; }

} // namespace

TEST_CASE("items reach their ranks in list order, own ones without a message") {
  glt_test::on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    glt::dist::parcels<decltype(comm), item> parcels(comm);
    for (std::int64_t const count : {7, 0, 20}) {
      auto const size_of = [&](int rank) { return count == 0 ? 0 : count + 3 * rank; };
      comm.reset();
      parcels.route(
          size_of(comm.rank()), [&](std::int64_t i) { return item{comm.rank(), static_cast<std::int32_t>(i)}; },
          [&](std::int64_t i) { return receiver(i, comm.rank(), comm.size()); });
      parcels.send({.what = glt::operation::user, .step = count}, 100 + comm.rank());
      std::int64_t remote = 0;
      for (int rank = 0; rank < comm.size(); ++rank) {
        std::vector<item> expected;
        for (std::int64_t i = 0; i < size_of(rank); ++i) {
          if (receiver(i, rank, comm.size()) == comm.rank()) {
            expected.push_back({rank, static_cast<std::int32_t>(i)});
          }
        }
        auto const received = parcels.received_of(rank);
        CHECK(std::vector<item>(received.begin(), received.end()) == expected);
        CHECK(parcels.headers()[static_cast<std::size_t>(rank)].value == 100 + rank);
      }
      for (std::int64_t i = 0; i < size_of(comm.rank()); ++i) {
        remote += receiver(i, comm.rank(), comm.size()) != comm.rank() ? 1 : 0;
      }
      CHECK(comm.counts().payload.bytes == remote * static_cast<std::int64_t>(sizeof(item)));
      CHECK(comm.counts().total().collectives == (comm.size() == 1 ? 0 : count == 0 ? 1 : 2));
      CHECK(parcels.anything() == (comm.size() > 1 && count > 0));
    }
  });
}

TEST_CASE("a failure or another call of one rank is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    glt::dist::parcels<decltype(comm), item> parcels(comm);
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      parcels.route(3, [](std::int64_t) { return item{}; }, [&](std::int64_t) { return last; });
      parcels.send({}, 0, comm.rank() == last ? "no items here" : "");
    });
    CHECK(error == "rank " + std::to_string(last) + ": no items here");
    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                              parcels.route(0, [](std::int64_t) { return item{}; }, [&](std::int64_t) { return 0; });
                              parcels.send({.step = comm.rank() == last ? 5 : 4});
                            }),
                            "rank " + std::to_string(last), "step 5", "step 4"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_mail.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

using glt_test::on_ranks;

namespace {

struct traveller {
  std::int32_t from;
  std::int32_t number;
};

} // namespace

TEST_CASE("walkers and visits arrive at their ranks, with and without edge ids") {
  on_ranks([](auto comm) {
    for (bool const ids : {false, true}) {
      glt::dist::walk_mail<decltype(comm), traveller, glt::global_id> mail(comm, ids);
      for (int round = 0; round < 3; ++round) {
        mail.add_visit(0, {1, 1}, 1, 1); // forgotten
        mail.clear();
        // Rank r sends r + p + round walkers and r + 2 visits to rank p, but nothing to itself and to rank 2.
        for (int to = 0; to < comm.size(); ++to) {
          for (int i = 0; to != comm.rank() && to != 2 && i < comm.rank() + to + round; ++i) {
            mail.add_walker(to, {comm.rank(), i});
          }
          for (int i = 0; to != comm.rank() && to != 2 && i < comm.rank() + 2; ++i) {
            mail.add_visit(to, {i, round}, 100 * comm.rank() + i, 7 * i);
          }
        }
        auto const others = comm.size() - 1 - (comm.size() > 2 && comm.rank() != 2 ? 1 : 0);
        CHECK(mail.num_visits() == others * (comm.rank() + 2));
        mail.pack();
        CHECK(mail.num_visits() == 0);
        mail.send({.hop = round}, comm.rank(), {});
        CHECK(mail.headers()[0].value == 0);
        std::vector<std::int64_t> found;
        mail.open([&](traveller walker) { found.push_back(1000 * walker.from + walker.number); },
                  [&](glt::dist::walk_place at, std::int64_t vertex, std::int64_t edge) {
                    found.push_back(-(vertex * 1000 + at.walk * 100 + at.step * 10 + edge));
                  });
        std::vector<std::int64_t> expected;
        for (int from = 0; comm.rank() != 2 && from < comm.size(); ++from) {
          for (int i = 0; from != comm.rank() && i < from + comm.rank() + round; ++i) {
            expected.push_back(1000 * from + i);
          }
          for (int i = 0; from != comm.rank() && i < from + 2; ++i) {
            expected.push_back(-((100 * from + i) * 1000 + i * 100 + round * 10 + (ids ? 7 * i : 0)));
          }
        }
        CHECK(found == expected);
      }
    }
  });
}

TEST_CASE("a failure of one rank reaches all, and the mail can be used again") {
  on_ranks([](auto comm) {
    glt::dist::walk_mail<decltype(comm), traveller, glt::local_id> mail(comm, false);
    auto const last = comm.size() - 1;
    mail.add_walker(0, {1, 1});
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { mail.send({}, 0, comm.rank() == last ? "lost its way" : ""); });
    CHECK(glt_test::names(text, "rank " + std::to_string(last), "lost its way"));
    mail.clear();
    mail.pack();
    mail.send({}, 0, {});
    mail.open([](traveller) { CHECK(false); }, [](auto, auto, auto) { CHECK(false); });
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/queries.hpp>

#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

TEST_CASE("every question gets the answer of the rank it was put to") {
  glt_test::on_ranks([](auto comm) {
    glt::dist::queries<decltype(comm), std::int64_t, std::int32_t> queries(comm);
    for (std::int64_t const count : {9, 0, 1, 30}) {
      auto const asked = count + comm.rank() * (count > 0 ? 2 : 0);
      auto const rank_of = [&](std::int64_t i) { return static_cast<int>((i * 7 + comm.rank()) % comm.size()); };
      queries.route(asked, [](std::int64_t i) { return i * i; }, rank_of);
      queries.send({.what = glt::operation::user, .step = count}, asked);
      for (std::size_t i = 0; i < queries.received().size(); ++i) {
        queries.answers()[i] = static_cast<std::int32_t>(1000 * comm.rank() + queries.received()[i]);
      }
      std::vector<std::int64_t> answers(static_cast<std::size_t>(asked), -1);
      queries.finish([&](std::int64_t i, std::int32_t answer) { answers[static_cast<std::size_t>(i)] = answer; });
      for (std::int64_t i = 0; i < asked; ++i) {
        CHECK(answers[static_cast<std::size_t>(i)] == 1000 * rank_of(i) + i * i);
      }
    }
  });
}

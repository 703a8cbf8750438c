// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/agree.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <string>
#include <vector>

TEST_CASE("ranks with the same lines agree; the first line that differs is told on all ranks, and so is a failure") {
  glt_test::on_ranks([](auto comm) {
    using lines = std::vector<std::string>;
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    auto const error = [&](lines const& odd, lines const& others, std::string const& failure = {}) {
      return glt_test::thrown<glt::collective_error>([&] {
        bool const is_odd = comm.rank() == last;
        glt::detail::agree_on_text(comm, {}, is_odd ? failure : "", is_odd ? odd : others, "has ", "; mend it");
      });
    };
    auto const nothing = "(nothing was thrown)";
    CHECK(error({}, {}) == nothing);
    CHECK(error({"a", "", "c\nd"}, {"a", "", "c\nd"}) == nothing);
    CHECK(glt_test::names(error({"a"}, {"a"}, "no memory"), rank, "no memory"));
    if (last > 0) {
      CHECK(glt_test::names(error({"a", "x"}, {"a", "b", "c"}), rank, "has x where rank 0 has b; mend it"));
      CHECK(glt_test::names(error({"a"}, {"a", "b"}), rank, "has nothing where rank 0 has b"));
      CHECK(glt_test::names(error({"a", "b"}, {"a"}), rank, "has b where rank 0 has nothing"));
      CHECK(glt_test::names(error({}, {""}), rank, "has nothing where rank 0 has "));
    }
    CHECK(error({"a"}, {"a"}) == nothing);
    if (last > 0) { // the last rank of the world is the first of the group
      auto group = comm.split(0, -comm.rank());
      auto const text = glt_test::thrown<glt::collective_error>([&] {
        glt::detail::agree_on_text(group, {}, "", lines{comm.rank() == 0 ? "x" : "rank 0"}, "has ", "; mend it");
      });
      CHECK(glt_test::names(text, "rank 0: ", "has x where " + rank + " has rank 0; mend it"));
    }
  });
}

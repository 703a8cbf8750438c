// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/builder/detail/key_directory.hpp>

#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

TEST_CASE("ranks with few keys do not crowd the keys of a rank with many into one home") {
  glt_test::on_ranks([](auto comm) {
    constexpr std::int64_t many = 20'000;
    constexpr std::int64_t few = 100;
    std::vector<std::int64_t> known(comm.rank() == 0 ? many : few);
    std::iota(known.begin(), known.end(), comm.rank() == 0 ? 1'000'000 : few * comm.rank());
    glt::detail::key_directory<std::int64_t> const keys(comm, {}, known, 1 << 20);
    auto const all = many + few * (comm.size() - 1);
    CHECK(keys.num_keys() == all);
    CHECK(keys.size() <= 2 * (all / comm.size()));
  });
}

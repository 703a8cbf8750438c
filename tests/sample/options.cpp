// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/options.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <set>

using glt_test::names;
using glt_test::thrown;

TEST_CASE("options that no sampler can follow are refused by name") {
  auto const refused = [](glt::neighbor_options const& options) {
    return thrown<glt::precondition_error>([&] { glt::detail::validate(options); });
  };
  CHECK(names(refused({}), "no fanouts"));
  CHECK(names(refused({.fanouts = {5, -3}}), "fanout -3", "hop 1"));
  CHECK(names(refused({.fanouts = {-2}}), "fanout -2", "hop 0"));
  CHECK(names(refused({.fanouts = {3, -1}, .replace = true}), "-1", "hop 1", "replacement"));
  CHECK(names(refused({.fanouts = {std::int64_t{1} << 31}, .replace = true}), "fanout 2147483648", "hop 0",
              "2147483647"));
  CHECK(names(refused({.fanouts = {5}, .expand = static_cast<glt::frontier>(77)}), "expand 77", "frontier::all"));
  CHECK_NOTHROW(glt::detail::validate(glt::neighbor_options{.fanouts = {5}, .expand = glt::frontier::all}));
  CHECK_NOTHROW(glt::detail::validate(glt::neighbor_options{.fanouts = {-1, 0, 1, 1000000}}));
  CHECK_NOTHROW(glt::detail::validate(glt::neighbor_options{.fanouts = {std::int64_t{1} << 62}}));
}

TEST_CASE("every part of the key changes the random numbers of a hop") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      for (std::int64_t step = 0; step < 3; ++step) {
        for (std::int64_t hop = 0; hop < 3; ++hop) {
          for (std::int64_t type = 0; type < 3; ++type) {
            seen.insert(glt::detail::hop_key({.seed = seed, .epoch = epoch, .step = step}, hop, type).bits());
          }
        }
      }
    }
  }
  CHECK(seen.size() == 3 * 3 * 3 * 3 * 3);
}

TEST_CASE("the options of one hop are checked like those of many") {
  CHECK_NOTHROW(glt::detail::validate(glt::hop_options{.fanout = -1}));
  CHECK_NOTHROW(glt::detail::validate(glt::hop_options{.fanout = 3, .replace = true}));
  for (auto const& wrong : {glt::hop_options{.fanout = 0}, glt::hop_options{.fanout = -2},
                            glt::hop_options{.fanout = -1, .replace = true}}) {
    CHECK(glt_test::names(thrown<glt::precondition_error>([&] { glt::detail::validate(wrong); }), "fanout"));
  }
}

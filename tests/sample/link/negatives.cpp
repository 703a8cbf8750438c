// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/negatives.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

namespace {

using glt::negative_mode;

std::string refused(glt::negative_options const& options) {
  return glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(options); });
}

} // namespace

TEST_CASE("the number of negatives is rounded up") {
  CHECK(glt::detail::num_negatives(10, {.amount = 1}) == 10);
  CHECK(glt::detail::num_negatives(3, {.amount = 0.5}) == 2);
  CHECK(glt::detail::num_negatives(10, {.amount = 0}) == 0);
  CHECK(glt::detail::num_negatives(0, {.amount = 7}) == 0);
  CHECK(glt::detail::num_negatives(7, {.amount = 2.1}) == 15);
  CHECK(glt::detail::num_negatives(7, {.mode = negative_mode::triplet, .amount = 4}) == 28);
}

TEST_CASE("binary negatives go round the positives, triplets lie row by row") {
  glt::negative_options const binary{.amount = 2.5};
  glt::negative_options const triplet{.mode = negative_mode::triplet, .amount = 3};
  CHECK(glt::detail::place_of_negative(0, 4, binary).group == 0);
  CHECK(glt::detail::place_of_negative(9, 4, binary).group == 1);
  CHECK(glt::detail::place_of_negative(9, 4, binary).index == 2);
  CHECK(glt::detail::place_of_negative(7, 4, triplet).group == 2);
  CHECK(glt::detail::place_of_negative(7, 4, triplet).index == 1);
}

TEST_CASE("keys tell batches, pairs, directions and repetitions apart") {
  std::set<std::uint64_t> keys;
  for (std::int64_t step = 0; step < 3; ++step) {
    auto const key = glt::detail::negatives_key({.seed = 1, .step = step});
    CHECK(key.bits() != glt::detail::hop_key({.seed = 1, .step = step}, 0).bits());
    for (std::int64_t source = 0; source < 4; ++source) {
      for (std::int64_t destination = 0; destination < 4; ++destination) {
        for (std::int64_t occurrence = 0; occurrence < 3; ++occurrence) {
          keys.insert(glt::detail::positive_key(key, source, destination, occurrence).bits());
        }
      }
    }
  }
  CHECK(keys.size() == 3 * 4 * 4 * 3);
}

TEST_CASE("options that mean nothing are refused") {
  glt::detail::validate(glt::negative_options{});
  glt::detail::validate({.amount = 0});
  glt::detail::validate({.amount = 0.3});
  CHECK(glt_test::names(refused({.amount = -1}), "-1 negatives per positive", "0 or more"));
  CHECK(glt_test::names(refused({.amount = std::nan("")}), "nan negatives per positive"));
  CHECK(glt_test::names(refused({.amount = 1e10}), "1e+10 negatives per positive"));
  CHECK(glt_test::names(refused({.mode = negative_mode::triplet, .amount = 1.5}), "1.5", "triplets", "whole number"));
  CHECK(glt_test::names(refused({.attempts = 0}), "0 attempts", "1 or more"));
}

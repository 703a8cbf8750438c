// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/agree.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

TEST_CASE("equal values agree; another value or a failure is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const attempt = [&](std::string const& failure, std::int64_t value) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::detail::agree(comm, {.what = glt::detail::operation::user}, failure, value, [](auto theirs, auto first) {
          return "has " + std::to_string(theirs) + ", not " + std::to_string(first);
        });
      });
    };
    CHECK(attempt({}, 7) == "(nothing was thrown)");
    CHECK(attempt(comm.rank() == last ? "no disk" : "", 7) == "rank " + std::to_string(last) + ": no disk");
    if (comm.size() > 1) {
      CHECK(attempt({}, comm.rank() == last ? 8 : 7) == "rank " + std::to_string(last) + ": has 8, not 7");
    }
  });
}

TEST_CASE("failures become text, and fingerprints tell values and their order apart") {
  CHECK(glt::detail::failure_of([] { throw std::runtime_error("broken"); }) == "broken");
  CHECK(glt::detail::failure_of([] {}).empty());
  std::set<std::int64_t> prints;
  for (std::int64_t a = 0; a < 40; ++a) {
    for (std::int64_t b = 0; b < 40; ++b) {
      prints.insert(glt::detail::fingerprint().add(a).add(b).value());
    }
  }
  CHECK(prints.size() == 1600);
  CHECK(glt::detail::book_fingerprint(glt::partition_book({0, 2, 5})) !=
        glt::detail::book_fingerprint(glt::partition_book({0, 3, 5})));
  CHECK(glt::detail::book_fingerprint(glt::partition_book({0, 2, 5}, 7)) !=
        glt::detail::book_fingerprint(glt::partition_book({0, 2, 5}, 8)));
}

TEST_CASE("a rank above zero is noticed") {
  std::vector<glt::detail::call_header> headers(3);
  CHECK(!glt::detail::any_above_zero(headers));
  headers[1].value = -1;
  CHECK(!glt::detail::any_above_zero(headers));
  headers[2].value = 1;
  CHECK(glt::detail::any_above_zero(headers));
}

TEST_CASE("an exception without a text is a failure all the same") {
  struct silent : std::exception {
    char const* what() const noexcept override { return ""; }
  };
  CHECK(!glt::detail::failure_of([] { throw silent(); }).empty());
  CHECK(glt::detail::failure_of([] {}).empty());
}

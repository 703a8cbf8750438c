// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/walk_options.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>

using glt_test::names;

namespace {

template <class Options>
auto refused(Options const& options) {
  return glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(options); });
}

} // namespace

TEST_CASE("options that no walker can follow are refused by name") {
  CHECK_NOTHROW(glt::detail::validate(glt::walk_options{.length = 1}));
  CHECK_NOTHROW(glt::detail::validate(glt::walk_options{.length = 80, .walks_per_start = 10, .restart = 0.999}));
  CHECK(names(refused(glt::walk_options{}), "0 steps"));
  CHECK(names(refused(glt::walk_options{.length = -3}), "-3 steps"));
  CHECK(names(refused(glt::walk_options{.length = std::int64_t{1} << 31}), "2147483648 steps", "2147483647"));
  CHECK(names(refused(glt::walk_options{.length = 1, .walks_per_start = 0}), "0 walks per start"));
  CHECK(names(refused(glt::walk_options{.length = 1, .restart = 1}), "probability 1", "[0, 1)"));
  CHECK(names(refused(glt::walk_options{.length = 1, .restart = -0.1}), "probability -0.1"));
  CHECK(names(refused(glt::walk_options{.length = 1, .restart = std::nan("")}), "probability nan"));
  CHECK(names(refused(glt::metapath_options{}), "0 steps"));
  CHECK(names(refused(glt::metapath_options{.length = 1, .walks_per_start = -1}), "-1 walks per start"));
}

TEST_CASE("node2vec takes positive finite parameters that are not too far apart") {
  CHECK_NOTHROW(glt::detail::validate(glt::node2vec_options{.length = 1}));
  CHECK_NOTHROW(glt::detail::validate(glt::node2vec_options{.length = 1, .p = 0x1p-20, .q = 1}));
  CHECK(names(refused(glt::node2vec_options{}), "0 steps"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .walks_per_start = 0}), "0 walks"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .p = 0}), "p = 0"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .q = -1}), "q = -1"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .p = std::nan("")}), "p = nan"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .q = HUGE_VAL}), "q = inf"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .p = 1e7}), "p = 1e+07", "2^20"));
  CHECK(names(refused(glt::node2vec_options{.length = 1, .p = 2000, .q = 0.001}), "q = 0.001", "2^20"));
}

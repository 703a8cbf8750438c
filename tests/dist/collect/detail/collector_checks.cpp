// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/collector_checks.hpp>

#include <glt/comm/threads.hpp>

#include "support/errors.hpp"

#include <vector>

namespace {

template <class F>
auto refused(F f) {
  return glt_test::thrown<glt::precondition_error>(f);
}

} // namespace

TEST_CASE("what collectors are given is checked, and the fault named") {
  glt::partition_book const book(std::vector<glt::global_id>{0, 3, 5});
  using namespace glt::detail;
  glt::run_threads(2, [&](auto comm) {
    CHECK_NOTHROW(check_collected(book, comm.rank() == 0 ? 3 : 2, comm));
    CHECK(glt_test::names(refused([&] { check_collected(book, 1, comm); }), "communicator"));
  });
  glt::run_threads(3, [&](auto comm) {
    if (comm.rank() == 1) {
      CHECK(glt_test::names(refused([&] { check_collected(book, 2, comm); }), "of 2 parts collected by rank 1 of 3"));
    }
  });
  CHECK_NOTHROW(check_num_labels(3, 3, true));
  CHECK_NOTHROW(check_num_labels(0, 3, false));
  CHECK(glt_test::names(refused([&] { check_num_labels(4, 3, true); }), "4 labels of 3"));
  CHECK(glt_test::names(refused([&] { check_num_labels(-1, 3, true); }), "-1 labels of 3"));
  CHECK(glt_test::names(refused([&] { check_num_labels(1, 3, false); }), "has none"));
  CHECK(glt_test::names(refused([&] { check_num_first("seeds", 4, 3); }), "4 seeds of 3"));
  CHECK_NOTHROW(check_collected_edges(book, 2));
  CHECK(glt_test::names(refused([&] { check_collected_edges(book, 1); }), "by 1 ranks"));
  CHECK_NOTHROW(check_edges(1, 1, true));
  CHECK(glt_test::names(refused([&] { check_edges(1, 2, true); }), "1 edges with 2 destinations"));
  CHECK(glt_test::names(refused([&] { check_edges(1, 1, false); }), "the features are of vertices"));
}

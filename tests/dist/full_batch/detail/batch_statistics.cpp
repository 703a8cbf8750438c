// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/batch_norm.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/serial.hpp>

#include "support/batch_rows.hpp"
#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

using glt_test::batch_rows;
using glt_test::on_ranks;

namespace {

template <class T, class Policy = glt::device::cpu>
void check_statistics(auto comm, std::int64_t rows, std::int64_t columns, double shift) {
  INFO(rows, " rows of ", columns, " columns, rank ", comm.rank(), " of ", comm.size());
  batch_rows<T> const joined(rows, columns, shift);
  Policy const policy;
  auto const own = glt::make_buffer(joined.of_rank(comm.rank(), comm.size()), policy);
  glt::matrix_view<Policy::space, T const> const x(own.data(), joined.rows_of(comm.rank(), comm.size()), columns);
  auto const found = glt::detail::gather_batch_statistics(comm, x, policy);
  auto const wanted = joined.statistics();
  CHECK(found.rows == rows);
  REQUIRE(static_cast<std::int64_t>(found.mean.size()) == columns);
  REQUIRE(static_cast<std::int64_t>(found.deviations.size()) == columns);
  for (std::size_t column = 0; column < found.mean.size(); ++column) {
    CHECK(found.mean[column] == doctest::Approx(wanted.mean[column]).epsilon(1e-13));
    CHECK(found.deviations[column] == doctest::Approx(wanted.deviations[column]).epsilon(1e-9));
  }
  auto of_rank_0 = found;
  comm.broadcast(reinterpret_cast<std::byte*>(of_rank_0.mean.data()), columns * 8, 0);
  comm.broadcast(reinterpret_cast<std::byte*>(of_rank_0.deviations.data()), columns * 8, 0);
  CHECK(of_rank_0.mean == found.mean); // bit by bit
  CHECK(of_rank_0.deviations == found.deviations);
}

} // namespace

TEST_CASE("statistics are those of the joined rows, with ranks without rows and without columns") {
  on_ranks([](auto comm) {
    for (std::int64_t const rows : {2, 3, 61, 1031}) {
      for (std::int64_t const columns : {0, 1, 8, 13}) {
        check_statistics<float>(comm, rows, columns, 0.5);
        check_statistics<double>(comm, rows, columns, -3);
      }
    }
  });
}

TEST_CASE("a mean that is large beside the deviations costs no digits") {
  on_ranks([](auto comm) { check_statistics<double>(comm, 999, 3, 1e6); });
}

TEST_CASE_TEMPLATE("statistics on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    check_statistics<float, Policy>(comm, 613, 11, 2);
    check_statistics<double, Policy>(glt_test::minimal_communicator(comm), 613, 11, 2);
  });
}

TEST_CASE("equal rows have no deviations, and what is not a number stays in its column") {
  glt::serial_comm const comm;
  std::vector<double> x(300, 0.1);
  auto const equal = glt::detail::gather_batch_statistics(comm, glt::host_matrix<double>(x.data(), 100, 3));
  CHECK(equal.mean[1] == doctest::Approx(0.1).epsilon(1e-15));
  CHECK(equal.deviations[1] < 1e-28);
  CHECK(equal.spread(1, 0.25) == doctest::Approx(0.5));
  x[4] = std::numeric_limits<double>::quiet_NaN();
  auto const odd = glt::detail::gather_batch_statistics(comm, glt::host_matrix<double>(x.data(), 100, 3));
  CHECK(odd.mean[1] != odd.mean[1]);
  CHECK(odd.deviations[1] != odd.deviations[1]);
  CHECK(odd.mean[0] == equal.mean[0]);
}

TEST_CASE("statistics cost one header exchange and one payload exchange") {
  on_ranks([](auto comm) {
    glt::counting_comm counted(comm);
    std::vector<float> const x(12, 1);
    static_cast<void>(glt::detail::gather_batch_statistics(counted, glt::host_matrix<float const>(x.data(), 3, 4)));
    CHECK(counted.counts().total().collectives == (comm.size() == 1 ? 0 : 2));
    CHECK(counted.counts().payload.bytes == 8 * (2 * 4 + 1) * (comm.size() - 1));
  });
}

TEST_CASE("too few rows, other columns and no memory on one rank are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    std::vector<double> const x(20, 1);
    auto const refused = [&](std::int64_t rows, std::int64_t columns) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(
            glt::detail::gather_batch_statistics(comm, glt::host_matrix<double const>(x.data(), rows, columns)));
      });
    };
    CHECK(glt_test::names(refused(0, 4), "over 0 rows", "give two or more"));
    CHECK(glt_test::names(refused(comm.rank() == last ? 1 : 0, 4), "over 1 rows", "give two or more"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(2, comm.rank() == last ? 3 : 4), "rank " + std::to_string(last),
                            "3 columns while rank 0 has 4"));
    }
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
    auto const scarce = glt_test::thrown<glt::collective_error>([&] {
      static_cast<void>(glt::detail::gather_batch_statistics(comm, glt::host_matrix<double const>(x.data(), 5, 4),
                                                             glt_test::scarce_policy{}));
    });
    glt_test::scarce_resource::allocations_left = -1;
    CHECK(glt_test::names(scarce, "rank " + std::to_string(last), "alloc"));
    CHECK(refused(5, 4) == "(nothing was thrown)"); // all ranks are still together
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/random.hpp>

#ifdef GLT_TEST_MPI
#include <glt/mpi/communicator.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glt_test {

/// The numbers of ranks that distributed code is tested with; tests of dist/ have one and three under a sanitizer.
#ifdef GLT_TEST_FEW_RANKS
inline std::vector<int> const some_ranks{1, 3};
inline std::vector<int> const up_to_five{1, 3};
#else
inline std::vector<int> const some_ranks{1, 2, 3, 4};
inline std::vector<int> const up_to_five{1, 2, 3, 4, 5};
#endif

/// `TEST_CASE("name" * needs_mpi)` is skipped, and counted as such, where ranks are threads.
#ifdef GLT_TEST_MPI
inline doctest::skip const needs_mpi(false);
#else
inline doctest::skip const needs_mpi(true);
#endif

#ifdef GLT_TEST_MPI

/// Calls `body(mpi_comm)` if this MPI job has one of the given sizes; messages go in pieces of `block_bytes`.
///
/// A rank on which `body` throws (REQUIRE included) makes all ranks fail. Ranks that are in different test
/// cases, because one of them left its own early, notice that and fail too.
template <class Body>
void on_ranks_limited(Body const& body, std::vector<int> const& sizes = some_ranks, std::int64_t block_bytes = 16) {
  auto comm = glt::mpi_comm::world({.block_bytes = block_bytes});
  if (std::ranges::find(sizes, comm.size()) == sizes.end()) {
    return;
  }
  std::string_view const name = doctest::getContextOptions()->currentTest->m_name;
  glt::random_key test(0);
  for (char const letter : name) {
    test = test.fold(static_cast<std::uint64_t>(letter));
  }
  glt::run_collectively(comm, [&] {
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
    std::vector<glt::detail::call_header> headers(counts.size());
    glt::detail::exchange_headers(comm, {.step = static_cast<std::int64_t>(test.bits())}, counts, 0, {}, headers);
    body(comm);
  });
}

/// The same with the usual pieces.
template <class Body>
void on_ranks(Body const& body, std::vector<int> const& sizes = some_ranks) {
  on_ranks_limited(body, sizes, glt::mpi_comm::options_type{}.block_bytes);
}

#else

/// Calls `body(threads_comm)` on that many threads, for each of the sizes; assertions may be used in it,
/// SUBCASE not.
///
/// A rank on which `body` throws (REQUIRE included) ends the other ranks and the test case.
template <class Body>
void on_ranks(Body const& body, std::vector<int> const& sizes = some_ranks) {
  for (int const size : sizes) {
    CAPTURE(size);
    glt::run_threads(size, body);
  }
}

/// Threads copy whole slices and know no pieces: the ranks of MPI are left to do this.
template <class Body>
void on_ranks_limited(Body const&, std::vector<int> const& = some_ranks, std::int64_t = 16) {}

#endif

} // namespace glt_test

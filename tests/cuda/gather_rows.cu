// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"
#include "support/errors.hpp"

#include <glt/core/random.hpp>
#include <glt/cuda/gather_rows.cuh>
#include <glt/cuda/policy.hpp>
#include <glt/feature/gather.hpp>
#include <glt/memory/copy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class T, class Id, class Source>
void check_kernel(std::int64_t columns, std::int64_t count, device::cuda const& policy, Source const& source) {
  CAPTURE(columns);
  CAPTURE(count);
  constexpr std::int64_t rows = 1001;
  auto const in = make_buffer<Source>(any_numbers<T>(rows * columns, 1), source);
  std::vector<Id> wanted;
  random_stream draws(random_key(2), static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    wanted.push_back(static_cast<Id>(draws.below(rows)));
  }
  auto const ids = make_buffer<device::cuda>(wanted, policy);
  buffer<device::cuda, T> expected(count * columns, policy);
  buffer<device::cuda, T> found(count * columns, policy);
  matrix_view<Source::space, T const> const matrix(in.data(), rows, columns);
  gather_rows(policy.executor(), matrix, ids.view(),
              matrix_view<memory_space::device, T>(expected.data(), count, columns));
  gather_rows_by_warps(policy, matrix, ids.view(),
                       matrix_view<memory_space::device, T>(found.data(), count, columns));
  CHECK(bytes_of(to_vector(policy, std::as_const(found).view())) ==
        bytes_of(to_vector(policy, std::as_const(expected).view())));
}

} // namespace

TEST_CASE("the kernel gathers what the functors do, from the GPU's memory and in place from the host's") {
  device::cuda const policy(0);
  device::zero_copy const pinned(policy);
  for (std::int64_t const columns : {0, 4, 12, 16, 128, 132, 1024}) {
    for (std::int64_t const count : {0, 1, 3, 4, 5, 31, 32, 33, 5003}) {
      check_kernel<float, local_id>(columns, count, policy, policy);
      check_kernel<double, global_id>(columns, count, policy, pinned);
    }
  }
}

TEST_CASE("rows that are not made of 16-byte pieces are refused") {
  device::cuda const policy(0);
  auto const in = make_buffer<device::cuda>(std::vector<float>(24, 1), policy);
  auto const ids = make_buffer<device::cuda>(std::vector<local_id>{0, 1}, policy);
  buffer<device::cuda, float> out(24, policy);
  auto const complaint = [&](std::int64_t shift, std::int64_t rows, std::int64_t columns) {
    return thrown<precondition_error>([&] {
      gather_rows_by_warps(policy, matrix_view<memory_space::device, float const>(in.data() + shift, 2, columns),
                           ids.view(), matrix_view<memory_space::device, float>(out.data(), rows, columns));
    });
  };
  CHECK(names(complaint(0, 2, 6), "6 elements of 4 bytes"));
  CHECK(names(complaint(1, 2, 4), "4 elements of 4 bytes"));
  CHECK(names(complaint(0, 3, 4), "2 rows of 4 columns", "[3, 4]"));
}

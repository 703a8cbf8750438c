// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"
#include "support/policies.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// `count` of the numbers below `rows`, in any order.
template <class Id>
std::vector<Id> distinct_ids(std::int64_t count, std::int64_t rows) {
  std::vector<Id> ids(static_cast<std::size_t>(rows));
  std::iota(ids.begin(), ids.end(), Id{0});
  random_stream draws(random_key(3), static_cast<std::uint64_t>(rows));
  for (std::size_t i = ids.size(); i > 1; --i) {
    std::swap(ids[i - 1], ids[static_cast<std::size_t>(draws.below(i))]);
  }
  ids.resize(static_cast<std::size_t>(count));
  return ids;
}

template <class From, class To, class Id, class Policy>
void check_scatter(std::int64_t columns, std::int64_t count, std::int64_t in_shift, std::int64_t out_shift,
                   Policy const& policy) {
  CAPTURE(columns);
  CAPTURE(count);
  CAPTURE(in_shift);
  CAPTURE(out_shift);
  constexpr std::int64_t rows = 153;
  auto const values = any_numbers<From>(count * columns, 5);
  auto const before = any_numbers<To>(rows * columns, 6);
  auto const ids = distinct_ids<Id>(count, rows);
  auto expected = before;
  for (std::int64_t i = 0; i < count * columns; ++i) {
    auto const row = static_cast<std::int64_t>(ids[static_cast<std::size_t>(i / columns)]);
    expected[static_cast<std::size_t>(row * columns + i % columns)] =
        element_as<To>(values[static_cast<std::size_t>(i)]);
  }
  shifted_matrix<Policy, From> in(values, count, columns, in_shift, policy);
  shifted_matrix<Policy, To> out(before, rows, columns, out_shift, policy);
  auto const id_buffer = make_buffer<Policy>(ids, policy);
  glt::detail::transfer_rows(policy.executor(), count, feature_view<Policy::space, From>{.features = in.view()},
                             glt::detail::rows_in_order{}, glt::detail::rows_listed<Id>{id_buffer.data()},
                             out.view().data());
  CHECK(out.bytes() == bytes_of(expected));
}

} // namespace

TEST_CASE_TEMPLATE("rows go to their places, converted, and the other rows stay", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (std::int64_t const columns : {0, 1, 3, 7, 16, 33, 128}) {
    for (std::int64_t const shift : {0, 1}) {
      check_scatter<float, float, local_id>(columns, 75, shift, shift, policy);
      check_scatter<bfloat16, float, local_id>(columns, 75, shift, shift, policy);
      check_scatter<float, float16, global_id>(columns, 75, shift, shift, policy);
      check_scatter<std::int8_t, double, local_id>(columns, 75, shift, shift, policy);
    }
  }
  for (std::int64_t const count : {0, 1, 2, 3, 4, 5, 153}) {
    check_scatter<double, double, global_id>(7, count, 0, 0, policy);
    check_scatter<double, float, local_id>(8, count, 8, 0, policy);
  }
}

TEST_CASE_TEMPLATE("what was gathered goes back with its scales", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  auto const integers = make_buffer<Policy>(std::vector<std::int16_t>{1, -2, 3, 4, 5, 6}, policy);
  auto const scales = make_buffer<Policy>(std::vector<float>{0.5F, 2}, policy);
  auto const ids = make_buffer<Policy>(std::vector<local_id>{3, 0, 1}, policy);
  auto out = make_buffer<Policy>(std::vector<float>(8, -1), policy);
  feature_view<space, std::int16_t> const in{.features = {integers.data(), 3, 2}, .scales = scales.view()};
  glt::detail::transfer_rows(policy.executor(), ids.size(), in, glt::detail::rows_in_order{},
                             glt::detail::rows_listed<local_id>{ids.data()}, out.data());
  CHECK(to_vector(policy, out.view()) == std::vector<float>{1.5F, 8, 2.5F, 12, -1, -1, 0.5F, -4});
}

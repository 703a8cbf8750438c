// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/policies.hpp"

#include <glt/feature/tier/detail/striped_rows.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The first element of row i, and its last one.
template <memory_space Space>
struct ends_of_rows {
  detail::striped_rows<Space, std::int32_t> rows;
  array_view<Space, std::int32_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const* const row = rows.row(static_cast<std::int32_t>(i));
    out[2 * i] = row[0];
    out[2 * i + 1] = row[rows.columns() - 1];
  }
};

template <class Policy>
std::vector<matrix_view<Policy::space, std::int32_t const>>
views_of(std::vector<buffer<Policy, std::int32_t>> const& stripes, std::int64_t columns) {
  std::vector<matrix_view<Policy::space, std::int32_t const>> views;
  for (auto const& stripe : stripes) {
    views.emplace_back(stripe.data(), stripe.size() / columns, columns);
  }
  return views;
}

} // namespace

static_assert(std::is_trivially_copyable_v<detail::striped_rows<memory_space::device, float>>);
static_assert(!std::is_copy_constructible_v<detail::stripe_table<device::cpu, float>>);

TEST_CASE_TEMPLATE("row r of all is row r / G of device r mod G", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  constexpr std::int64_t columns = 3;
  for (std::int64_t const devices : {1, 2, 3, 7}) {
    for (std::int64_t const rows : {0, 1, 6, 7, 20}) {
      CAPTURE(devices);
      CAPTURE(rows);
      std::vector<std::vector<std::int32_t>> content(static_cast<std::size_t>(devices));
      std::vector<std::int32_t> expected;
      for (std::int64_t row = 0; row < rows; ++row) {
        auto& stripe = content[static_cast<std::size_t>(row % devices)];
        for (std::int64_t c = 0; c < columns; ++c) {
          stripe.push_back(static_cast<std::int32_t>(row * 10 + c));
        }
        expected.push_back(static_cast<std::int32_t>(row * 10));
        expected.push_back(static_cast<std::int32_t>(row * 10 + columns - 1));
      }
      std::vector<buffer<Policy, std::int32_t>> stripes;
      for (auto const& each : content) {
        stripes.push_back(make_buffer<Policy>(each, policy));
      }
      detail::stripe_table<Policy, std::int32_t> made(views_of(stripes, columns), policy);
      auto const table = std::move(made);
      CHECK(table.view().rows() == rows);
      CHECK(table.view().columns() == columns);
      CHECK(table.view().num_devices() == devices);
      buffer<Policy, std::int32_t> out(2 * rows, policy);
      policy.executor().for_each(rows, ends_of_rows<Policy::space>{table.view(), out.view()});
      CHECK(to_vector(policy, out.view()) == expected);
    }
  }
}

TEST_CASE_TEMPLATE("stripes of other shapes than turns are refused", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  using stripe = matrix_view<Policy::space, std::int32_t const>;
  auto const complaint = [&](std::vector<stripe> const& stripes) {
    return thrown<precondition_error>([&] { detail::stripe_table<Policy, std::int32_t>(stripes, policy); });
  };
  CHECK(names(complaint({}), "0 devices"));
  CHECK(names(complaint({stripe(nullptr, 2, 0), stripe(nullptr, 2, 1)}), "device 1 has [2, 1] of 4 rows", "[2, 0]"));
  CHECK(names(complaint({stripe(nullptr, 1, 0), stripe(nullptr, 2, 0)}), "device 0 has [1, 0] of 3 rows", "[2, 0]"));
  CHECK(names(complaint({stripe(nullptr, 3, 0), stripe(nullptr, 1, 0)}), "device 0 has [3, 0]", "[2, 0]"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/detail/any_rows.hpp>

#include <glt/core/element_type.hpp>
#include <glt/feature/gather.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

constexpr std::int64_t num_rows = 9;

// Rows of small numbers, gathered with types that are known only when the program runs, and with types that are known.
template <class From, class To>
void check_pair(std::int64_t columns, std::vector<float> const& scales) {
  std::vector<From> values;
  for (std::int64_t i = 0; i < num_rows * columns; ++i) {
    values.push_back(static_cast<From>(static_cast<float>(i % 100)));
  }
  using view = glt::feature_view<glt::memory_space::host, From>;
  view const rows{.features = {values.data(), num_rows, columns}, .labels = {}, .scales = scales};
  std::vector<std::int64_t> const ids{8, 0, 3, 3};
  std::vector<To> expected(ids.size() * static_cast<std::size_t>(columns));
  std::vector<To> found(expected);
  glt::device::cpu const policy;
  glt::gather_rows(policy.executor(), rows, glt::host_view<std::int64_t const>(ids),
                   glt::host_matrix<To>(expected.data(), 4, columns));
  glt::detail::transfer_any_rows(policy.executor(), 4, glt::detail::without_type(rows),
                                 glt::detail::rows_listed<std::int64_t>{ids.data()}, glt::detail::rows_in_order{},
                                 glt::detail::element_type_of<To>, reinterpret_cast<std::byte*>(found.data()));
  CHECK((columns == 0 || std::memcmp(found.data(), expected.data(), found.size() * sizeof(To)) == 0));
}

} // namespace

TEST_CASE("rows of any type become what they become where the types are known, and only those that may") {
  for (int from = 0; from < 9; ++from) {
    for (int to = 0; to < 9; ++to) {
      auto const in = static_cast<glt::element_type>(from);
      auto const out = static_cast<glt::element_type>(to);
      glt::detail::visit_element(in, [&]<class From>(std::type_identity<From>) {
        glt::detail::visit_element(out, [&]<class To>(std::type_identity<To>) {
          CHECK(glt::detail::gathers(in, out) == glt::detail::gathers_as<From, To>);
          if constexpr (glt::detail::gathers_as<From, To>) {
            for (std::int64_t const columns : {0, 1, 5}) {
              check_pair<From, To>(columns, {});
            }
            if (std::is_integral_v<From>) {
              check_pair<From, To>(3, {0.5F, 2, 3});
            }
          }
        });
      });
    }
  }
  CHECK(glt::detail::gathers(glt::element_type::int8, glt::element_type::float32));
  CHECK_FALSE(glt::detail::gathers(glt::element_type::float32, glt::element_type::int8));
}

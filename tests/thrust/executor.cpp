// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/executors.hpp"
#include "support/policies.hpp"

#include <glt/thrust/executor.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

using namespace glt;

namespace {

template <memory_space Space>
struct add_index {
  array_view<Space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] += i; }
};
template <memory_space Space>
struct add_range {
  array_view<Space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      out[i] += i;
    }
  }
};
struct square {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (i + 1) * (i + 1); }
};
struct plus {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct third {
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return i % 3 == 0; }
};

} // namespace

TEST_CASE_TEMPLATE("an executor does what the sequential one does", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  auto const ex = policy.executor();
  for (auto const n : glt_test::bulk_sizes()) {
    CAPTURE(n);
    auto const size = static_cast<std::size_t>(n);
    std::vector<std::int64_t> expected(size);
    std::iota(expected.begin(), expected.end(), std::int64_t{5});

    auto values = make_buffer<Policy>(std::vector<std::int64_t>(size, 5), policy);
    ex.for_each(n, add_index<space>{values.view()});
    CHECK(to_vector(policy, values.view()) == expected);

    auto ranges = make_buffer<Policy>(std::vector<std::int64_t>(size, 5), policy);
    ex.for_ranges(n, 7, add_range<space>{ranges.view()});
    CHECK(to_vector(policy, ranges.view()) == expected);

    CHECK(ex.reduce(n, std::int64_t{3}, square{}, plus{}) ==
          exec::sequential{}.reduce(n, std::int64_t{3}, square{}, plus{}));

    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<std::int32_t> keys(size);
    for (auto& key : keys) {
      key = static_cast<std::int32_t>(random() % 1000) - 500;
    }
    auto const counts = make_buffer<Policy>(keys, policy);
    for (std::int64_t const more : {0, 1}) {
      std::vector<std::int64_t> sums(size + static_cast<std::size_t>(more));
      exec::sequential{}.exclusive_scan(host_view<std::int32_t const>(keys), host_view<std::int64_t>(sums));
      buffer<Policy, std::int64_t> out(n + more, policy);
      ex.exclusive_scan(counts.view(), out.view());
      CHECK(to_vector(policy, out.view()) == sums);
    }

    auto sorted = make_buffer<Policy>(keys, policy);
    auto order = make_buffer<Policy>(expected, policy);
    ex.sort_by_key(sorted.view(), order.view());
    auto expected_order = expected;
    exec::sequential{}.sort_by_key(host_view<std::int32_t>(keys), host_view<std::int64_t>(expected_order));
    CHECK(to_vector(policy, sorted.view()) == keys);
    CHECK(to_vector(policy, order.view()) == expected_order);

    std::vector<std::int32_t> selected(size);
    auto const count = exec::sequential{}.select_if(n, third{}, host_view<std::int32_t>(selected));
    buffer<Policy, std::int32_t> out(n, policy);
    REQUIRE(ex.select_if(n, third{}, out.view()) == count);
    selected.resize(static_cast<std::size_t>(count));
    CHECK(to_vector(policy, out.view().subview(0, count)) == selected);
  }
}

#if defined(GLT_TEST_THRUST)
TEST_CASE("an executor of the host gets ranges of the smallest size, the last one shorter") {
  exec::thrust_executor<glt::detail::thrust_cpp> const ex;
  for (std::int64_t const smallest : {0, 1, 7}) {
    for (std::int64_t const n : {0, 1, 6, 7, 8, 20, 21}) {
      CAPTURE(smallest);
      CAPTURE(n);
      std::vector<std::int64_t> sizes;
      std::vector<std::int64_t> seen(static_cast<std::size_t>(n), 0);
      ex.for_ranges(n, smallest, [&](std::int64_t first, std::int64_t last) {
        sizes.push_back(last - first);
        for (auto i = first; i < last; ++i) {
          ++seen.at(static_cast<std::size_t>(i));
        }
      });
      CHECK(seen == std::vector<std::int64_t>(seen.size(), 1));
      auto const size = std::max<std::int64_t>(smallest, 1);
      CHECK(std::ssize(sizes) == (n + size - 1) / size);
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        CHECK(sizes[i] == size);
      }
    }
  }
}
#endif

TEST_CASE_TEMPLATE("a scan and a sort of the wrong lengths say so", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const ex = policy.executor();
  buffer<Policy, std::int64_t> three(3, policy);
  buffer<Policy, std::int64_t> five(5, policy);
  CHECK_THROWS_WITH_AS(ex.exclusive_scan(three.view(), five.view()),
                       "scan of 3 values into 5 places; give as many places as values, or one more",
                       precondition_error);
  CHECK_THROWS_WITH_AS(ex.sort_by_key(three.view(), five.view()),
                       "sort of 3 keys with 5 values; give one value per key", precondition_error);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/partition/detail/owner_buckets.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

struct bucket_of_item {
  std::int64_t num_buckets;
  GLT_HOST_DEVICE int operator()(std::int64_t i) const { return static_cast<int>(i * i % num_buckets); }
};

struct write_item {
  std::int64_t* out;
  GLT_HOST_DEVICE void operator()(std::int64_t at, std::int64_t i, int bucket) const { out[at] = 1000 * bucket + i; }
};

} // namespace

TEST_CASE_TEMPLATE("items come into their buckets in list order", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  glt::detail::bucket_sort<Policy> sorter(policy);
  for (int const num_buckets : {1, 3, 256, 257, 2}) {
    for (std::int64_t const count : {0, 1, 700, 50}) { // shorter after longer
      glt::buffer<Policy, std::int64_t> written(count, policy);
      auto const offsets =
          sorter.sort(count, num_buckets, bucket_of_item{num_buckets}, write_item{written.view().data()});
      std::vector<std::int64_t> expected_offsets{0};
      std::vector<std::int64_t> expected_places;
      std::vector<std::int64_t> expected_items;
      for (int bucket = 0; bucket < num_buckets; ++bucket) {
        for (std::int64_t i = 0; i < count; ++i) {
          if (bucket_of_item{num_buckets}(i) == bucket) {
            expected_places.push_back(i);
            expected_items.push_back(1000 * bucket + i);
          }
        }
        expected_offsets.push_back(static_cast<std::int64_t>(expected_places.size()));
      }
      CHECK(std::vector<std::int64_t>(offsets.begin(), offsets.end()) == expected_offsets);
      CHECK(glt::to_vector(policy, sorter.places()) == expected_places);
      CHECK(glt::to_vector(policy, written.view()) == expected_items);
    }
  }
}

TEST_CASE("what says the bucket may throw on hosts") {
  glt::detail::bucket_sort<glt::device::cpu> sorter;
  auto const refuse = [](std::int64_t i) -> int { return i < 2 ? 0 : throw std::runtime_error("no bucket"); };
  CHECK_THROWS_WITH_AS(sorter.sort(3, 1, refuse), "no bucket", std::runtime_error);
  CHECK(sorter.sort(2, 1, refuse).back() == 2);
}

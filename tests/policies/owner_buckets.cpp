// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/partition/detail/owner_buckets.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

using namespace glt;
using glt::detail::owner_buckets;

namespace {

partition_book random_book(std::mt19937& random, int num_parts) {
  std::vector<global_id> offsets{0};
  for (int p = 0; p < num_parts; ++p) {
    offsets.push_back(offsets.back() + (random() % 3 == 0 ? 0 : static_cast<global_id>(random() % 50)));
  }
  offsets.back() += 1; // so that there is a vertex
  return partition_book(offsets);
}

template <class Vertex>
std::vector<Vertex> random_vertices(std::mt19937& random, partition_book const& book, std::int64_t n) {
  std::vector<Vertex> vertices;
  for (std::int64_t i = 0; i < n; ++i) {
    vertices.push_back(static_cast<Vertex>(random() % static_cast<std::uint32_t>(book.num_vertices())));
  }
  return vertices;
}

struct buckets {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> places;
  std::vector<local_id> rows;
};

template <class Vertex>
buckets naive_buckets(partition_book const& book, std::vector<Vertex> const& vertices, std::int64_t num_flagged,
                      int unflagged) {
  buckets made;
  for (int p = 0; p < book.num_parts(); ++p) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i] >= book.begin(p) && vertices[i] < book.end(p)) {
        auto const row = static_cast<local_id>(vertices[i] - book.begin(p));
        made.places.push_back(static_cast<std::int64_t>(i));
        auto const place = static_cast<std::int64_t>(i);
        bool const flag = place < num_flagged && p != unflagged;
        made.rows.push_back(flag ? -1 - row : row);
      }
    }
    made.offsets.push_back(static_cast<std::int64_t>(made.places.size()));
  }
  return made;
}

template <class Policy, class Vertex>
void check_buckets(detail::owner_buckets<Policy>& sorter, Policy const& policy, std::vector<Vertex> const& vertices,
                   std::int64_t num_flagged, int unflagged) {
  auto const list = make_buffer<Policy>(vertices, policy);
  auto const offsets = sorter.sort(list.view(), num_flagged, unflagged);
  auto const expected = naive_buckets(sorter.book(), vertices, num_flagged, unflagged);
  CHECK(std::vector<std::int64_t>(offsets.begin(), offsets.end()) == expected.offsets);
  CHECK(to_vector(policy, sorter.places()) == expected.places);
  CHECK(to_vector(policy, sorter.rows()) == expected.rows);
}

} // namespace

TEST_CASE_TEMPLATE("vertices by owner, in list order", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  std::mt19937 random(7);
  for (int const num_parts : {1, 2, 3, 17, 255, 256, 300}) {
    auto const book = random_book(random, num_parts);
    detail::owner_buckets<Policy> sorter(book, policy);
    for (std::int64_t const n : {0, 1, 2, 999, 4097, 100}) { // shorter after longer
      CAPTURE(num_parts);
      CAPTURE(n);
      check_buckets(sorter, policy, random_vertices<global_id>(random, book, n), n / 3, num_parts / 2);
      check_buckets(sorter, policy, random_vertices<local_id>(random, book, n), n / 2, -1);
    }
  }
}

TEST_CASE_TEMPLATE("the first vertex that nobody owns is named", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  detail::owner_buckets<Policy> sorter(partition_book({0, 3, 3, 10}), policy);
  auto const beyond = make_buffer<Policy>(std::vector<global_id>{0, 9, 10, -1, 2}, policy);
  CHECK_THROWS_WITH_AS(sorter.sort(beyond.view()), "vertex 10 is outside [0, 10), the global ids of the partition book",
                       precondition_error);
  auto const negative = make_buffer<Policy>(std::vector<global_id>{-7, 12}, policy);
  CHECK_THROWS_WITH_AS(sorter.sort(negative.view()),
                       "vertex -7 is outside [0, 10), the global ids of the partition book", precondition_error);
  check_buckets(sorter, policy, std::vector<global_id>{9, 0, 3, 3, 2}, 1, -1); // and the sorter works on
}

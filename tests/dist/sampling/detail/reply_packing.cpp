// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/reply_packing.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/some_draws.hpp"

#include <glt/memory/buffer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

namespace {

// The elements that begin at a byte of a message.
template <class T>
std::vector<T> elements_at(std::vector<std::byte> const& message, std::int64_t at, std::size_t count) {
  std::vector<T> made(count);
  if (count > 0) {
    std::memcpy(made.data(), message.data() + at, count * sizeof(T));
  }
  return made;
}

} // namespace

TEST_CASE_TEMPLATE("a message has the draws of all relations for one rank, and none goes to the own rank", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  std::vector<std::vector<std::int64_t>> const numbers{{3, 0, 2, 1, 0}, {1, 260, 0, 4, 2}}; // of edges, by relation
  std::vector<glt_test::some_draws<Policy>> draws;
  for (auto const& of_relation : numbers) {
    draws.emplace_back(of_relation);
  }
  std::array<std::int64_t, 2> const count_bytes{1, 2};
  // Where the rows for every rank begin; rank 0 has none of relation 1, rank 2 none of relation 0, and rank 4 none.
  std::vector<std::vector<std::int64_t>> const begins{{0, 2, 3, 3, 5, 5}, {0, 0, 1, 3, 5, 5}};
  constexpr int ranks = 5;
  constexpr int self = 1;
  glt::detail::reply_packing<Policy, glt::local_id> packing(policy);
  glt::detail::rank_messages<Policy> messages(policy);
  for (bool const ids : {true, false, true}) { // used again: nothing of the round before may shine through
    packing.pack(
        ranks, self, count_bytes, ids,
        [&](std::size_t rank, std::size_t e) {
          return draws[e].rows(begins[e][rank], begins[e][rank + 1] - begins[e][rank], ids);
        },
        messages);
    REQUIRE(messages.sizes().size() == ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      CAPTURE(rank);
      glt::detail::reply_layout<Policy, glt::local_id> layout{.edge_ids = ids};
      std::vector<glt::local_id> sources;
      std::vector<glt::edge_id> edge_ids;
      auto const message = glt::to_vector(policy, messages.of(rank));
      for (std::size_t e = 0; rank != self && e < numbers.size(); ++e) {
        for (auto row = begins[e][rank]; row < begins[e][rank + 1]; ++row) {
          auto const count = numbers[e][static_cast<std::size_t>(row)];
          REQUIRE(std::ssize(message) >= layout.count_bytes + count_bytes[e]);
          CHECK(glt::detail::read_count(message.data() + layout.count_bytes, count_bytes[e], 0) == count);
          layout.count_bytes += count_bytes[e];
          layout.num_edges += count;
          for (std::int64_t i = 0; i < count; ++i) {
            sources.push_back(static_cast<glt::local_id>(10 * row + i));
            edge_ids.push_back(10 * row + i + 100);
          }
        }
      }
      REQUIRE(std::ssize(message) == layout.bytes());
      if (!message.empty()) {
        CHECK(elements_at<glt::local_id>(message, layout.sources(), sources.size()) == sources);
        CHECK((!ids || elements_at<glt::edge_id>(message, layout.ids(), edge_ids.size()) == edge_ids));
      }
    }
    CHECK(messages.sizes()[self] == 0);
    CHECK(messages.sizes()[4] == 0);
  }
}

TEST_CASE("more edges of a row than the fanout are refused when they are packed") {
  glt_test::some_draws<glt::device::cpu> const draws({256});
  glt::detail::reply_packing<glt::device::cpu, glt::local_id> packing;
  glt::detail::rank_messages<glt::device::cpu> messages;
  auto const pack = [&](std::int64_t bytes) {
    std::array<std::int64_t, 1> const count_bytes{bytes};
    packing.pack(2, 1, count_bytes, false, [&](std::size_t, std::size_t) { return draws.rows(0, 1, false); }, messages);
  };
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { pack(1); }), "256 edges", "may_exceed_fanout"));
  pack(2);
  CHECK(messages.sizes()[0] == 2 + 256 * 4);
}

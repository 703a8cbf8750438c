// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/reply_merging.hpp>

#include <glt/dist/sampling/detail/reply_packing.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/memory/copy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt::detail::drawn_rows;

// Draws whose row r gives the sources 10 r, 10 r + 1, … and edge ids 100 more.
template <class Policy>
struct some_draws {
  glt::buffer<Policy, glt::edge_offset> offsets;
  glt::buffer<Policy, glt::local_id> sources;
  glt::buffer<Policy, glt::edge_id> edge_ids;

  explicit some_draws(std::vector<std::int64_t> const& counts) {
    std::vector<glt::edge_offset> ends{0};
    std::vector<glt::local_id> from;
    std::vector<glt::edge_id> ids;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      for (std::int64_t i = 0; i < counts[r]; ++i) {
        from.push_back(static_cast<glt::local_id>(10 * r) + static_cast<glt::local_id>(i));
        ids.push_back(from.back() + 100);
      }
      ends.push_back(ends.back() + counts[r]);
    }
    offsets = glt::make_buffer<Policy>(ends);
    sources = glt::make_buffer<Policy>(from);
    edge_ids = glt::make_buffer<Policy>(ids);
  }

  [[nodiscard]] drawn_rows<glt::local_id> rows(std::int64_t first, std::int64_t count, bool ids = true) const {
    Policy const policy;
    auto const begin = glt::detail::read_element(policy, offsets.view(), first);
    auto const end = glt::detail::read_element(policy, offsets.view(), first + count);
    return {count, begin, end - begin, offsets.data() + first, sources.data(), ids ? edge_ids.data() : nullptr};
  }
};

} // namespace

TEST_CASE_TEMPLATE("own draws and those of a message come into the order of the frontiers", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  some_draws<Policy> const first({3, 0, 2, 1});  // of relation 0: rows 0 and 1 for rank 0, the others for rank 1
  some_draws<Policy> const second({1, 2, 0, 4}); // of relation 1, likewise
  std::array<std::int64_t, 2> const count_bytes{1, 4};
  std::array<std::int64_t, 2> const sizes{4, 4};
  glt::detail::reply_packing<Policy, glt::local_id> packing(policy);
  glt::detail::rank_messages<Policy> messages(policy);
  glt::detail::reply_merging<Policy, glt::local_id> merging(policy);
  auto const places = glt::make_buffer<Policy>(std::vector<std::int64_t>{1, 3, 5, 6, 0, 2, 4, 7}, policy);
  for (int round = 0; round < 2; ++round) { // used again: nothing of the first round may shine through
    // What rank 1 sends to rank 0.
    packing.pack(
        2, 1, count_bytes, true, [&](std::size_t, std::size_t e) { return (e == 0 ? first : second).rows(0, 2); },
        messages);
    REQUIRE(messages.sizes().size() == 2);
    CHECK(messages.sizes()[0] == (glt::host_policy<Policy> ? 10 : 16) + 6 * 12);
    CHECK(messages.sizes()[1] == 0);
    // Of relation 0, places 1 and 3 of the list came in the message and 0 and 2 are own; of relation 1 those behind 4.
    merging.begin(count_bytes, sizes, true);
    merging.add_own(0, {places.data() + 4, 2, 0}, first.rows(2, 2));
    merging.add_own(1, {places.data() + 6, 2, 4}, second.rows(2, 2));
    auto const message = messages.of(0);
    auto const layout = glt::detail::reply_layout<Policy, glt::local_id>::of_size(message.size(), 10, true);
    CHECK(layout.num_edges == 6);
    merging.add_message(0, message.data(), message.size(), layout, [&](std::size_t e) {
      return glt::detail::frontier_places{places.data() + 2 * e, 2, e == 0 ? 0 : 4};
    });
    auto const merged = merging.run();
    REQUIRE(merged.size() == 2);
    using sources = std::vector<glt::local_id>;
    using offsets = std::vector<glt::edge_offset>;
    CHECK(glt::to_vector(policy, merged[0].offsets.view()) == offsets{0, 2, 5, 6, 6});
    CHECK(glt::to_vector(policy, merged[0].sources.view()) == sources{20, 21, 0, 1, 2, 30});
    CHECK(glt::to_vector(policy, merged[0].edge_ids.view()) == std::vector<glt::edge_id>{120, 121, 100, 101, 102, 130});
    CHECK(glt::to_vector(policy, merged[1].offsets.view()) == offsets{0, 0, 1, 3, 7});
    CHECK(glt::to_vector(policy, merged[1].sources.view()) == sources{0, 10, 11, 30, 31, 32, 33});
  }
}

TEST_CASE("a message of another length than its counts say is an error") {
  using cpu = glt::device::cpu;
  some_draws<cpu> const draws({3, 1});
  std::array<std::int64_t, 1> const count_bytes{1};
  std::array<std::int64_t, 1> const sizes{2};
  std::vector<std::int64_t> const places{0, 1};
  glt::detail::reply_packing<cpu, glt::local_id> packing;
  glt::detail::rank_messages<cpu> messages;
  packing.pack(
      2, 1, count_bytes, false, [&](std::size_t, std::size_t) { return draws.rows(0, 2, false); }, messages);
  for (std::int64_t const missing : {1, 4, 17}) {
    glt::detail::reply_merging<cpu, glt::local_id> merging;
    auto const bytes = messages.of(0).size() - missing;
    CHECK(glt_test::names(glt_test::thrown<glt::error>([&] {
                            merging.begin(count_bytes, sizes, false);
                            merging.add_message(3, messages.of(0).data(), bytes,
                                                glt::detail::reply_layout<cpu, glt::local_id>::of_size(bytes, 2, false),
                                                [&](std::size_t) {
                                                  return glt::detail::frontier_places{places.data(), 2, 0};
                                                });
                            static_cast<void>(merging.run());
                          }),
                          "rank 3", "bytes instead of"));
  }
}

TEST_CASE("more edges of a row than the fanout are refused when they are packed") {
  some_draws<glt::device::cpu> const draws({256});
  glt::detail::reply_packing<glt::device::cpu, glt::local_id> packing;
  glt::detail::rank_messages<glt::device::cpu> messages;
  auto const pack = [&](std::int64_t bytes) {
    std::array<std::int64_t, 1> const count_bytes{bytes};
    packing.pack(
        2, 1, count_bytes, false, [&](std::size_t, std::size_t) { return draws.rows(0, 1, false); }, messages);
  };
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { pack(1); }), "256 edges", "may_exceed_fanout"));
  pack(2);
  CHECK(messages.sizes()[0] == 2 + 256 * 4);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/reply_merging.hpp>

#include <glt/dist/sampling/detail/reply_packing.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/some_draws.hpp"

#include <glt/memory/buffer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

TEST_CASE_TEMPLATE("own draws and those of a message come into the order of the frontiers", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  // Of relations 0 and 1: rows 0 and 1 are for rank 0, the others for rank 1.
  glt_test::some_draws<Policy> const first({3, 0, 2, 1});
  glt_test::some_draws<Policy> const second({1, 2, 0, 4});
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
  glt_test::some_draws<cpu> const draws({3, 1});
  std::array<std::int64_t, 1> const count_bytes{1};
  std::array<std::int64_t, 1> const sizes{2};
  std::vector<std::int64_t> const places{0, 1};
  glt::detail::reply_packing<cpu, glt::local_id> packing;
  glt::detail::rank_messages<cpu> messages;
  packing.pack(2, 1, count_bytes, false, [&](std::size_t, std::size_t) { return draws.rows(0, 2, false); }, messages);
  for (std::int64_t const missing : {1, 4, 17}) {
    glt::detail::reply_merging<cpu, glt::local_id> merging;
    auto const bytes = messages.of(0).size() - missing;
    CHECK(glt_test::names(glt_test::thrown<glt::error>([&] {
                            merging.begin(count_bytes, sizes, false);
                            merging.add_message(
                                3, messages.of(0).data(), bytes,
                                glt::detail::reply_layout<cpu, glt::local_id>::of_size(bytes, 2, false),
                                [&](std::size_t) { return glt::detail::frontier_places{places.data(), 2, 0}; });
                            static_cast<void>(merging.run());
                          }),
                          "part 3", "bytes instead of"));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/distant_policy.hpp"
#include "support/ranks.hpp"

#include <doctest/doctest.h>

#include <glt/comm/agreement.hpp>
#include <glt/comm/counting.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

// More is tested over all policies in tests/policies.

TEST_CASE("own rows of a view are copied and never sent, and where there are no others nothing is") {
  on_ranks([](auto host) {
    using gpu = distant_policy<>;
    counting_comm comm(host);
    detail::slice_exchange<decltype(comm), gpu> exchange(comm);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(host.size()), 0);
    counts[static_cast<std::size_t>(host.rank())] = 3;
    exchange.exchange_counts({.step = 1}, counts);
    CHECK(!exchange.anything());
    CHECK(exchange.received_offsets().back() == 3);
    auto const sent = make_buffer<gpu>(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    buffer<gpu, std::int32_t> received(6);
    exchange.start(sent.view(), received.view(), 2);
    exchange.wait();
    CHECK(to_vector(gpu(), received.view()) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    CHECK(comm.counts().payload.collectives == 0);
  });
}

TEST_CASE("a slice exchange of the host's memory needs no staging") {
  auto const body = [](auto host) {
    counting_comm comm(host);
    detail::slice_exchange<decltype(comm), device::cpu> exchange(comm);
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(host.size()), 20);
    exchange.exchange_counts({.step = 1}, counts);
    auto const rows = static_cast<std::size_t>(20 * host.size());
    auto const sent = make_buffer<device::cpu>(std::vector<std::int32_t>(rows, host.rank()));
    buffer<device::cpu, std::int32_t> received(static_cast<std::int64_t>(rows));
    comm.reset();
    exchange.start(sent.view(), received.view());
    exchange.wait();
    for (std::int64_t i = 0; i < received.size(); ++i) {
      CHECK(received[i] == i / 20);
    }
    CHECK(comm.counts().payload.collectives == (host.size() > 1 ? 1 : 0));
    CHECK(comm.counts().payload.bytes == (host.size() - 1) * 80);
  };
  on_ranks(body);
  on_ranks_limited(body);
}

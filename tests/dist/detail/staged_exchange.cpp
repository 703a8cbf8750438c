// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/distant_policy.hpp"
#include "support/ranks.hpp"

#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/dist/detail/staged_exchange.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a staged exchange has as many rounds as the largest slice has pieces, on every rank") {
  on_ranks(
      [](auto host) {
        using gpu = distant_policy<>;
        counting_comm comm(host);
        glt::detail::staged_exchange<decltype(comm), gpu> exchange(comm, gpu(), 10 * (host.size() - 1));
        exchange.wait(); // nothing was started
        for (std::int64_t const largest : {0, 1, 9, 10, 11, 100, 101}) {
          comm.reset();
          std::vector<std::int64_t> out(static_cast<std::size_t>(host.size()), 0);
          auto in = out;
          auto const offsets = out;
          if (host.rank() == 0) {
            out[1] = largest;
          } else if (host.rank() == 1) {
            in[0] = largest;
          }
          auto const sent = make_buffer<gpu>(std::vector<std::byte>(static_cast<std::size_t>(largest), std::byte{5}));
          auto received = make_buffer<gpu>(std::vector<std::byte>(static_cast<std::size_t>(largest)));
          exchange.start({sent.data(), out, offsets}, {received.data(), in, offsets});
          exchange.wait();
          exchange.wait();
          auto const expected = std::byte(host.rank() == 1 ? 5 : 0);
          CHECK(to_vector(gpu(), received.view()) ==
                std::vector<std::byte>(static_cast<std::size_t>(largest), expected));
          CHECK(comm.counts().payload.collectives == (largest == 0 ? 1 : (largest + 9) / 10));
          CHECK(comm.counts().total().collectives == comm.counts().payload.collectives);
        }
      },
      {2, 3, 4});
}

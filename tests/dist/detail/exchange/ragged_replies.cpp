// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/ragged_replies.hpp>

#include <glt/dist/device_comm.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

TEST_CASE_TEMPLATE("replies of any size reach who asked, and a rank that cannot serve hangs nobody", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto plain) {
    Policy const policy;
    auto comm = glt::detail::make_payload_comm(plain, policy);
    auto const ranks = static_cast<std::size_t>(comm.size());
    auto const self = static_cast<std::size_t>(comm.rank());
    glt::detail::rank_messages<Policy> messages(policy);
    glt::detail::ragged_replies<Policy> replies("tests", policy);
    for (std::size_t round = 0; round < 3; ++round) {
      // Every rank asks the next `round` ranks.
      std::vector<std::int64_t> asked(ranks, 0);
      std::vector<std::int64_t> received(ranks, 0);
      for (std::size_t i = 1; i <= round && i < ranks; ++i) {
        asked[(self + i) % ranks] = 1;
        received[(self + ranks - i) % ranks] = 1;
      }
      auto const text = [](std::size_t from, std::size_t to) {
        return std::vector<std::byte>(1 + 7 * from + to, static_cast<std::byte>(10 * from + to));
      };
      auto const serve = [&] {
        messages.clear();
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          auto const bytes = received[rank] > 0 ? text(self, rank) : std::vector<std::byte>{};
          auto* const out = messages.append(static_cast<std::int64_t>(bytes.size()));
          if (!bytes.empty()) {
            policy.resource().copy_in(out, bytes.data(), bytes.size());
          }
        }
      };
      replies.run(comm, {.step = static_cast<std::int64_t>(round)}, asked, received, messages, serve);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (asked[rank] > 0) {
          CHECK(glt::to_vector(policy, replies.from(rank)) == text(rank, self));
        }
      }
      bool const fails = self == ranks - 1;
      auto const error = glt_test::thrown<std::exception>([&] {
        replies.run(comm, {}, asked, received, messages, [&] {
          if (fails) {
            throw std::runtime_error("no memory");
          }
          serve();
        });
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          static_cast<void>(asked[rank] > 0 && !replies.from(rank).empty());
        }
      });
      bool const met = fails || asked[ranks - 1] > 0 || !glt::host_policy<Policy>;
      CHECK((met ? error != "(nothing was thrown)" : error == "(nothing was thrown)"));
      comm.barrier(); // all ranks are still together
    }
  });
}

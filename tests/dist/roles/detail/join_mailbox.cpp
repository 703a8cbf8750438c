// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/role_mailbox.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/roles/context.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <stdexcept>
#include <string>

namespace {

template <class Comm>
glt::dist::role_context<Comm> joined(Comm comm) {
  bool const is_first = comm.rank() == 0;
  return {comm, is_first ? glt::dist::role::server : glt::dist::role::client, is_first ? "servers" : "clients"};
}

} // namespace

TEST_CASE("ranks of all roles join a mailbox of the world") {
  glt_test::on_ranks([](auto comm) {
    auto roles = joined(comm);
    auto box = glt::detail::join_mailbox(roles);
    box.send((comm.rank() + 1) % comm.size(), comm.rank(), box.make_block(0));
    auto const message = box.receive(glt::detail::for_ever);
    REQUIRE(message);
    auto const before = (comm.rank() + comm.size() - 1) % comm.size();
    CHECK(message->source == before);
    CHECK(message->kind == before);
    box.flush();
    comm.barrier();
    box.close();
  });
}

TEST_CASE("a rank that fails before it joins is an error of all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const text = glt_test::thrown<glt::collective_error>([&] {
      glt::run_collectively(comm, [&] {
        auto roles = joined(comm);
        if (comm.rank() == comm.size() - 1) {
          throw std::runtime_error("its graph cannot be read");
        }
        static_cast<void>(glt::detail::join_mailbox(roles));
      });
    });
    CHECK(glt_test::names(text, "rank " + std::to_string(comm.size() - 1), "its graph cannot be read"));
  });
}

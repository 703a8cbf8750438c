// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/server.hpp>

#include <glt/dist/roles/detail/role_mailbox.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"

#include <cstdint>

using glt::detail::service_message;

TEST_CASE("servers hear who runs and who calls for a round, and part when they have heard everything") {
  glt_test::on_ranks(
      [](auto comm) {
        auto roles = glt_test::joined(comm, comm.size() - 1);
        auto box = glt::detail::join_mailbox(roles);
        if (glt_test::is_server(roles)) {
          glt::detail::fellow_servers servers(roles);
          auto const others = static_cast<int>(servers.ranks().size()) - 1;
          auto const rank_of = [&](int other) { return other < comm.rank() ? other : other + 1; };
          CHECK(others == comm.size() - 2);
          CHECK(servers.contain(comm.rank()));
          CHECK(!servers.contain(comm.size() - 1)); // the client
          servers.tell(box, service_message::present, 0);
          CHECK(servers.are_present() == (others == 0));
          for (int other = 0; other < others; ++other) {
            servers.hear(*box.receive_from(rank_of(other), glt::detail::for_ever), 0);
          }
          CHECK(servers.are_present());
          servers.tell(box, service_message::bell, 3);
          for (int other = 0; other < others; ++other) {
            auto const call = box.receive_from(rank_of(other), glt::detail::for_ever);
            servers.hear(*call, 4); // to a round that was
            CHECK(!servers.have_called());
            servers.hear(*call, 3);
            CHECK(servers.have_called());
            servers.answer_call();
            CHECK(!servers.have_called());
          }
          servers.tell(box, service_message::bell, 4); // nobody answers
          servers.part(roles.world(), box, 5);
          CHECK(!box.receive(glt::detail::mailbox_limit(0)));
        }
        comm.barrier();
      },
      {2, 3, 4});
}

TEST_CASE("a server that fails while the others part calls them to another round") {
  glt_test::on_ranks(
      [](auto comm) {
        auto roles = glt_test::joined(comm, 2);
        auto box = glt::detail::join_mailbox(roles);
        if (glt_test::is_server(roles)) {
          glt::detail::fellow_servers servers(roles);
          if (comm.rank() == 1) {
            servers.tell(box, service_message::bell, 6); // to a round that was
            servers.tell(box, service_message::bell, 7);
            box.flush();
          } else {
            servers.part(roles.world(), box, 7);
            CHECK(servers.have_called());
          }
        }
        comm.barrier();
      },
      {3, 4});
}

TEST_CASE("a server that has gone before it ran is an error of the others, and so is what no server says") {
  glt_test::on_ranks(
      [](auto comm) {
        auto roles = glt_test::joined(comm, 2);
        auto box = glt::detail::join_mailbox(roles);
        if (comm.rank() == 1) {
          glt::detail::failed_message const why{0, 0, 1, "its disk fails"};
          glt::detail::send_packed(box, 0, service_message::gone, why);
          glt::detail::send_packed(box, 0, service_message::credit, std::int64_t{0});
          box.flush();
        }
        if (comm.rank() == 0) {
          glt::detail::fellow_servers servers(roles);
          auto const heard = [&] { servers.hear(*box.receive(glt::detail::for_ever), 0); };
          CHECK(glt_test::names(glt_test::thrown<glt::detail::agreed_error>(heard), "rank 1", "its disk fails"));
          CHECK(glt_test::names(glt_test::thrown<glt::error>(heard), "unknown kind 2", "rank 1"));
        }
        comm.barrier();
      },
      {3, 4});
}

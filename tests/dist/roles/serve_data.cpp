// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/serve_data.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/roles/remote_data.hpp>
#include <glt/partition/book.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"
#include "support/served_world.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::served_world;

TEST_CASE("data that cannot be served are the same error on all servers, and are not there") {
  glt_test::on_ranks(
      [](auto comm) {
        auto const servers = comm.size() - 1;
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], servers);
        glt_test::on_roles(
            comm, servers,
            [&](auto& server) {
              auto& group = server.roles().group();
              auto const last = servers - 1;
              bool const is_last = group.rank() == last;
              // What servers are told if the last one shows another data set than the others.
              auto const refused = [&](auto const& of_others, auto const& of_last, int node_type = 0) {
                auto const text = glt_test::thrown<glt::collective_error>(
                    [&] { glt::dist::serve_data(server, "papers", is_last ? of_last : of_others, node_type); });
                CHECK(glt_test::names(text, "rank " + std::to_string(last)));
                return text;
              };
              served_world const here(group, divided);
              auto const of_part = [&](glt::dist::data_part<>::vertex_data vertices) {
                return glt::dist::data_set(group,
                                           glt::dist::data_part(divided.part(group.rank()), std::move(vertices)));
              };
              auto const of_partitioning = [&](std::int64_t number) {
                auto part = divided.part(group.rank());
                part.book = glt::partition_book({part.book.offsets().begin(), part.book.offsets().end()}, number);
                return glt::dist::data_set(group, glt::dist::data_part(std::move(part)));
              };
              auto const plain = of_part({});
              auto const numbered = of_partitioning(7);
              glt::feature_table<glt::device::cpu> clash(plain.original().size());
              clash.add("originals",
                        glt_test::named_store<float>(served_world::originals(divided, group.rank()), 0, 1));
              auto const clashing = of_part({.tensors = std::move(clash)});
              CHECK(glt_test::names(refused(plain, clashing), "a tensor \"originals\""));
              glt::serial_comm alone;
              divided_graph const whole(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], 1);
              glt::dist::data_set const of_one(alone, glt::dist::data_part(whole.part(0)));
              CHECK(glt_test::names(refused(plain, plain, is_last ? 1 : 0), "node type 1 of 1"));
              if (servers > 1) {
                CHECK(glt_test::names(refused(plain, of_one), "as many servers"));
                auto reversed = group.split(0, last - group.rank());
                glt::dist::data_set const of_first(reversed, glt::dist::data_part(divided.part(reversed.rank())));
                CHECK(glt_test::names(refused(plain, of_first), "part 0 on server " + std::to_string(last)));
                CHECK(glt_test::names(refused(plain, here.data), "other tensors"));
                CHECK(glt_test::names(refused(plain, of_part({.splits = {{"train", {0}}}})), "other splits"));
                for (std::int64_t const other : {0, 8}) { // parts of the same sizes
                  CHECK(glt_test::names(refused(numbered, of_partitioning(other)), "another partition"));
                }
              }
              glt::dist::serve_data(server, "papers", plain);
              CHECK_THROWS_AS(glt::dist::serve_data(server, "papers", plain), glt::precondition_error);
              glt::dist::serve_data(server, "numbered", numbered);
              server.run();
            },
            [&](auto& client) {
              glt::dist::remote_data data(client, "papers");
              CHECK(data.description().tensors.size() == 1);
              CHECK(data.description().splits.empty());
              CHECK(data.description().partitioning == 0);
              glt::dist::remote_data numbered(client, "numbered");
              CHECK(numbered.description().partitioning == 7);
              CHECK(numbered.book().partitioning() == 7);
            });
      },
      {2, 3, 4});
}

TEST_CASE("groups of servers show a whole data set each, and a client asks the one that it is assigned") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], 1);
        bool const serves = comm.rank() < 2;
        glt::dist::role_context roles(comm, serves ? glt::dist::role::server : glt::dist::role::client,
                                      comm.rank() == 0   ? "left"
                                      : comm.rank() == 1 ? "right"
                                                         : "clients");
        if (serves) {
          served_world here(roles.group(), divided);
          here.data.add_split("train", {comm.rank(), 50});
          glt::dist::server server(roles);
          glt::dist::serve_data(server, "papers", here.data);
          server.run();
          return;
        }
        glt::dist::client client(roles);
        glt::dist::remote_data data(client, "papers");
        auto const server = client.assigned_servers().front();
        CHECK(data.description().ranks == std::vector<int>{server});
        CHECK(data.whole_split("train") == std::vector<glt::global_id>{server, 50});
        CHECK(data.originals(std::vector<glt::global_id>{7}) == std::vector<glt::global_id>{divided.names.original[7]});
      },
      {3, 4});
}

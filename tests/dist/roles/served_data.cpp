// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/served_data.hpp>

#include <glt/dist/roles/remote_data.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"
#include "support/served_world.hpp"

#include <cstdint>
#include <stdexcept>
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
              served_world const here(group, divided);
              // What servers are told if the last one does `spoil(data)`.
              auto const refused = [&](auto const& spoil) {
                glt::dist::served_data data(here.graph);
                data.add(here.features);
                if (is_last) {
                  spoil(data);
                }
                auto const text = glt_test::thrown<glt::collective_error>(
                    [&] { glt::dist::serve_data(server, "papers", std::move(data)); });
                CHECK(glt_test::names(text, "rank " + std::to_string(last)));
                return text;
              };
              CHECK(glt_test::names(refused([&](auto& data) { data.add(here.features); }), "two tensors \"features\""));
              CHECK(glt_test::names(refused([&](auto& data) { data.add_split("train", {0, 101}); }),
                                    "id of a split 1 is 101"));
              CHECK(glt_test::names(refused([&](auto& data) {
                                      data.add_split("train", {0});
                                      data.add_split("train", {1});
                                    }),
                                    "two splits \"train\""));
              CHECK(glt_test::names(refused([&](auto& data) {
                                      data.add_split("train", []() -> std::vector<glt::global_id> {
                                        throw std::runtime_error("no such file");
                                      });
                                    }),
                                    "no such file"));
              CHECK(glt_test::names(refused([&](auto& data) {
                                      data = glt::dist::served_data(glt::partition_book(
                                          std::vector<glt::global_id>(static_cast<std::size_t>(servers) + 2, 0)));
                                    }),
                                    "as many servers"));
              CHECK(glt_test::names(refused([&](auto& data) {
                                      data = glt::dist::served_data(glt::partition_book(
                                          std::vector<glt::global_id>(static_cast<std::size_t>(servers) + 1, 0)));
                                      data.add(here.features);
                                    }),
                                    "different partitions"));
              if (servers > 1) {
                CHECK(glt_test::names(refused([&](auto& data) { data.add(here.named); }), "other tensors"));
              }
              glt::dist::serve_data(server, "papers", glt::dist::served_data(here.graph));
              CHECK_THROWS_AS(glt::dist::serve_data(server, "papers", glt::dist::served_data(here.graph)),
                              glt::precondition_error);
              server.run();
            },
            [&](auto& client) {
              glt::dist::remote_data data(client, "papers");
              CHECK(data.description().tensors.size() == 1);
              CHECK(data.description().splits.empty());
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
          served_world const here(roles.group(), divided);
          glt::dist::server server(roles);
          glt::dist::served_data data(here.graph);
          data.add_split("train", {comm.rank(), 50});
          glt::dist::serve_data(server, "papers", std::move(data));
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

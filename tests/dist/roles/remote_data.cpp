// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_data.hpp>

#include <glt/dist/roles/serve_data.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"
#include "support/served_world.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::served_world;

namespace {

#ifdef GLT_TEST_MPI
std::vector<int> const sizes{2, 3, 4};
#else
std::vector<int> const sizes{2, 3, 4, 5};
#endif

// Servers by clients that are as many as the ranks of a test.
std::vector<int> servers_of_size(int ranks) {
  return ranks == 2 ? std::vector<int>{1} : ranks == 5 ? std::vector<int>{3} : std::vector<int>{1, ranks - 1};
}

// Runs `train(client, divided)` on the clients of servers that show "papers".
template <class Train>
void with_papers(Train const& train) {
  glt_test::on_ranks(
      [&](auto comm) {
        for (int const servers : servers_of_size(comm.size())) {
          divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], servers);
          glt_test::on_roles(
              comm, servers,
              [&](auto& server) {
                auto& group = server.roles().group();
                std::vector<glt::dist::data_part<>::vertex_split> splits{
                    {"train", served_world::split(divided, group.rank())}};
                if (group.rank() == 0) {
                  splits.push_back({"first", {256, 0, 0}});
                }
                served_world const here(group, divided, std::move(splits));
                glt::dist::data_set const empty(group, glt::dist::data_part(divided.part(group.rank())));
                glt::dist::serve_data(server, "papers", here.data);
                glt::dist::serve_data(server, "empty", empty);
                server.run();
              },
              [&](auto& client) { train(client, divided); });
        }
      },
      sizes);
}

// Ids of all parts, in no order, some of them twice.
std::vector<glt::global_id> some_ids(int client, std::int64_t count) {
  std::vector<glt::global_id> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back((i * 101 + client * 7) % 257);
  }
  return ids;
}

std::vector<std::int64_t> original_ids(divided_graph const& divided, std::vector<glt::global_id> const& ids) {
  std::vector<std::int64_t> originals;
  for (auto const id : ids) {
    originals.push_back(divided.names.original[id]);
  }
  return originals;
}

} // namespace

TEST_CASE("a client learns what there is") {
  with_papers([](auto& client, divided_graph const& divided) {
    glt::dist::remote_data data(client, "papers");
    auto const& known = data.description();
    CHECK(data.book() == divided.names.book);
    CHECK(known.ranks == client.servers());
    CHECK(known.num_vertices() == 257);
    CHECK(known.num_columns() == 3);
    CHECK(known.has_labels());
    std::int64_t largest = 0; // label
    for (auto const vertex : divided.names.original) {
      largest = std::max(largest, divided_graph::label(vertex));
    }
    CHECK(known.classes == largest + 1); // far more than vertices, so num_classes() refuses them
    CHECK_THROWS_AS(static_cast<void>(known.num_classes()), glt::precondition_error);
    CHECK(known.has("originals"));
    std::vector<std::string> names;
    for (auto const& tensor : known.tensors) {
      names.push_back(tensor.name);
    }
    CHECK(names == std::vector<std::string>{"originals", "title", "year", "small", "dense", "none", "label", "x", "y"});
    CHECK(known.tensor("title").type == glt::element_type::float16);
    CHECK(known.tensor("dense").num_columns == 40);
    CHECK(known.tensor("small").scales == std::vector<float>{0.5F, 2, 1});
    CHECK(known.splits.size() == 2);
    CHECK(known.split("first").size() == 3);

    glt::dist::remote_data empty(client, "empty");
    CHECK(empty.book() == divided.names.book);
    CHECK(empty.description().tensors.size() == 1);
    CHECK_FALSE(empty.description().has_labels());
    CHECK(empty.description().num_classes() == 0);
    CHECK(empty.description().has("originals"));
  });
}

TEST_CASE("rows come in the order of the ids, from wherever they are, as the type that is asked for") {
  with_papers([](auto& client, divided_graph const& divided) {
    glt::dist::remote_data data(client, "papers");
    auto const whole = [&] {
      std::vector<std::int64_t> all(257);
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<std::int64_t>(i);
      }
      return glt_test::named_table(all); // by original id
    }();
    for (std::int64_t const count : {0, 1, 40, 700}) {
      auto const ids = some_ids(client.roles().group_rank(), count);
      auto const originals = original_ids(divided, ids);
      CHECK(data.originals(ids) == originals);
      auto const labels = data.labels(ids);
      auto const rows = data.gather(ids);
      auto const doubles = data.template gather<double>(ids);
      REQUIRE(rows.view().num_vertices() == count);
      REQUIRE(rows.view().num_columns() == 3);
      std::int64_t wrong = std::ssize(labels) == count ? 0 : 1;
      for (std::int64_t i = 0; i < count; ++i) {
        auto const vertex = originals[static_cast<std::size_t>(i)];
        wrong += labels[static_cast<std::size_t>(i)] != divided_graph::label(vertex) ? 1 : 0;
        for (std::int64_t c = 0; c < 3; ++c) {
          wrong += rows.view().features(i, c) != divided_graph::feature(vertex, c) ? 1 : 0;
          wrong += doubles.view().features(i, c) != static_cast<double>(divided_graph::feature(vertex, c)) ? 1 : 0;
        }
      }
      CHECK(wrong == 0);
      auto const equal = [&]<class T>(char const* name, T) {
        auto const fetched = data.template gather<T>(name, ids);
        auto const expected = whole.template gather<T>(name, glt::host_view<std::int64_t const>(originals));
        CHECK(fetched.view().num_columns() == whole.num_columns(name));
        CHECK(std::ranges::equal(fetched.view().features.flat(), expected.view().features.flat()));
      };
      equal("title", float());
      equal("year", std::int64_t());
      equal("year", float());
      equal("small", std::int8_t());
      equal("small", float()); // times the scales
      equal("dense", double());
      equal("none", double());
      equal("label", std::int64_t());
    }
  });
}

TEST_CASE("a split is shared out to the clients in pieces that are as even as can be, always the same ones") {
  with_papers([](auto& client, divided_graph const& divided) {
    glt::dist::remote_data data(client, "papers");
    std::vector<glt::global_id> whole;
    for (int part = 0; part < divided.names.book.num_parts(); ++part) {
      auto const piece = served_world::split(divided, part);
      whole.insert(whole.end(), piece.begin(), piece.end());
    }
    REQUIRE(whole.size() > 10);
    CHECK(data.whole_split("train") == whole);
    auto const own = data.split("train");
    CHECK(data.split("train") == own);
    auto& clients = client.roles();
    auto const share = whole.size() / static_cast<std::size_t>(clients.group_size());
    CHECK((own.size() == share || own.size() == share + 1));
    auto const all = glt::detail::gather_lists(clients.group(), {.what = glt::detail::operation::user}, {}, own);
    std::vector<glt::global_id> joined;
    for (auto const& of_client : all) {
      joined.insert(joined.end(), of_client.begin(), of_client.end());
    }
    CHECK(joined == whole);
    CHECK(data.whole_split("first") == std::vector<glt::global_id>{256, 0, 0});
    CHECK(data.split("first").size() <= 3);
  });
}

TEST_CASE("what there is not is an error that names what there is, and requests are checked") {
  with_papers([](auto& client, divided_graph const& divided) {
    glt::dist::remote_data data(client, "papers");
    glt::dist::remote_data empty(client, "empty");
    auto const refused = [](auto const& work) {
      return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(work()); });
    };
    std::vector<glt::global_id> const wrong{3, 257};
    std::vector<glt::global_id> const below{-1};
    std::vector<glt::global_id> const right{3};
    CHECK(glt_test::names(refused([&] { return data.gather(wrong); }), "id 1 is 257", "[0, 257)"));
    CHECK(glt_test::names(refused([&] { return data.labels(below); }), "id 0 is -1"));
    CHECK(glt_test::names(refused([&] { return data.gather("large", right); }), "no tensor \"large\"", "\"dense\""));
    CHECK(glt_test::names(refused([&] { return data.template gather<std::int32_t>("title", right); }),
                          "\"title\" of float16 as int32", "float32"));
    CHECK(glt_test::names(refused([&] { return empty.labels(right); }), "no tensor \"y\"; there are \"originals\""));
    CHECK(glt_test::names(refused([&] { return data.split("valid"); }),
                          "no split \"valid\"; there are \"first\", \"train\""));
    CHECK(glt_test::names(refused([&] { return empty.whole_split("train"); }), "there are none"));
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { glt::dist::remote_data(client, "patents"); }),
                          "rank ", "no service \"patents / describe\"", "\"papers / describe\""));

    auto const server = client.servers().front();
    auto const answer = [&](char const* service, auto const& request) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(
            client.template request<std::vector<std::byte>>(server, std::string("papers / ") + service, request));
      });
    };
    using glt::detail::rows_request;
    using glt::detail::split_request;
    auto const rows = static_cast<glt::local_id>(divided.names.book.size(0));
    CHECK(glt_test::names(answer("rows", rows_request{"large", {0}}), "no tensor \"large\""));
    CHECK(glt_test::names(answer("rows", rows_request{"x", {0, rows}}), "row 1 is "));
    CHECK(glt_test::names(answer("rows", rows_request{"x", {-1}}), "row 0 is -1"));
    CHECK(glt_test::names(answer("rows", std::int64_t{1} << 40), "message"));
    CHECK(glt_test::names(answer("describe", split_request{"train", 0, 1}), "another type"));
    CHECK(glt_test::names(answer("split", split_request{"valid", 0, 1}), "no split \"valid\""));
    for (auto const& [first, count] :
         {std::pair<std::int64_t, std::int64_t>{0, 4}, {4, 0}, {-1, 1}, {1, -1}, {2, std::int64_t{1} << 62}}) {
      CHECK(glt_test::names(answer("split", split_request{"first", first, count}), "of which there are 3"));
    }
    CHECK(data.originals(right) == original_ids(divided, right)); // still there
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/metapath_walk.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_walks.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;
using glt_test::seeds_of;

namespace {

// Walks from this rank's starts, in ids of the divided graph, in ordinary memory.
template <class Policy, class Walker>
glt::walks<cpu, glt::global_id> walk(Policy const& policy, Walker& walker, std::vector<glt::global_id> const& starts,
                                     glt::sample_key key) {
  auto const from = glt::make_buffer<Policy>(starts, policy);
  glt::walks<Policy, glt::global_id> out(policy);
  walker.walk(from.view(), key, out);
  auto const& options = walker.options();
  glt::walks<cpu, glt::global_id> copied;
  copied.resize(from.size(), options.walks_per_start, options.length, options.edge_ids);
  glt::detail::copy_out(policy, out.vertices().flat(), copied.vertices().flat());
  glt::detail::copy_out(policy, out.edge_ids().flat(), copied.edge_ids().flat());
  return copied;
}

constexpr glt::sample_key some_key{.seed = 21, .epoch = 1, .step = 2};

} // namespace

TEST_CASE_TEMPLATE("walks across parts on any policy equal serial walks, bit for bit", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    for (auto const& list : glt_test::graphs_to_divide()) {
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      auto const starts = seeds_of(comm.rank(), 2, list.num_vertices);
      auto const name = [&](auto, auto vertex) { return divided.names.original[vertex]; };
      for (auto const& options : {glt::walk_options{.length = 19, .walks_per_start = 2, .edge_ids = true},
                                  glt::walk_options{.length = 13, .walks_per_start = 3, .restart = 0.3}}) {
        glt::dist::random_walker walker(comm, graph, options, policy);
        CHECK(glt_test::plain(walk(policy, walker, divided.renumbered(starts), some_key), name) ==
              glt_test::naive_walks(list, starts, options, some_key));
      }
      for (auto const& options :
           {glt::node2vec_options{.length = 9, .walks_per_start = 2, .p = 0.25, .q = 4, .edge_ids = true},
            glt::node2vec_options{.length = 12, .p = 4, .q = 0.25}}) {
        glt::dist::node2vec_walker walker(comm, graph, options, policy);
        CHECK(glt_test::plain(walk(policy, walker, divided.renumbered(starts), some_key), name) ==
              glt_test::naive_node2vec_walks(list, starts, options, some_key));
      }
    }
  });
}

TEST_CASE_TEMPLATE("walks along a meta-path across parts on any policy equal serial ones, bit for bit", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const list = glt_test::academic_graph(101);
    glt_test::divided_hetero_graph const divided(list, comm.size(), 2);
    auto const here = divided.part(comm.rank());
    glt::hetero_part<Policy, glt::global_id> part{
        .schema = here.schema, .books = here.books, .part = here.part, .relations = {}, .original = {}};
    for (auto const& relation : here.relations) {
      part.relations.push_back(glt::copy<Policy>(relation.view(), policy));
    }
    for (auto const& original : here.original) {
      part.original.push_back(glt::make_buffer<Policy>(original.view(), policy));
    }
    glt::dist::hetero_graph const graph(comm, std::move(part));
    for (std::vector<int> const& types : {std::vector<int>{2}, {0, 1, 5, 6}, {0, 3}}) {
      glt::metapath_options const options{.length = types.size() == 2 ? 2 : 17, .edge_ids = true};
      glt::dist::metapath_walker walker(comm, graph, types, options, policy);
      auto const start_type = static_cast<std::size_t>(list.schema.destination_type(types[0]));
      std::vector<std::vector<std::int64_t>> starts(divided.names.size());
      starts[start_type] = seeds_of(comm.rank(), 2, divided.names[start_type].book.num_vertices());
      std::vector<glt_test::naive_relation> path;
      for (auto const type : types) {
        path.push_back(glt_test::naive_rows(list, type));
      }
      auto const name = [&](std::int64_t column, std::int64_t vertex) {
        auto const taken = static_cast<std::size_t>(column - 1) % types.size();
        auto const type = column == 0 ? start_type : static_cast<std::size_t>(list.schema.source_type(types[taken]));
        return divided.names[type].original[vertex];
      };
      CHECK(glt_test::plain(walk(policy, walker, divided.renumbered(starts)[start_type], some_key), name) ==
            glt_test::naive_metapath_walks(path, starts[start_type],
                                           {.length = options.length, .edge_ids = options.edge_ids}, some_key));
    }
  });
}

TEST_CASE_TEMPLATE("a bad start of one rank is the same error on every rank, on any policy", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const last = comm.size() - 1;
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::random_walker walker(comm, graph, {.length = 3}, policy);
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { static_cast<void>(walk(policy, walker, {1, comm.rank() == last ? 101 : 2}, {})); });
    CHECK(glt_test::names(text, "rank " + std::to_string(last), "start 1 is 101", "[0, 101)"));
    CHECK(glt_test::plain(walk(policy, walker, divided.renumbered({5, 6}), {}), [&](auto, auto vertex) {
            return divided.names.original[vertex];
          }) == glt_test::naive_walks(list, {5, 6}, {.length = 3}, {})); // all ranks are still together
  });
}

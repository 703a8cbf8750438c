// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/data_set.hpp>

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/induced_batches.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/memory/copy.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::thrown;

namespace {

using plain_part = glt::dist::data_part<cpu>;

// Ids of the vertices of a part, each `step`-th from the first on.
std::vector<glt::global_id> every(glt::partition_book const& book, int part, std::int64_t step) {
  std::vector<glt::global_id> ids;
  for (auto v = book.begin(part); v < book.end(part); v += step) {
    ids.push_back(v);
  }
  return ids;
}

// The part of a rank, whose values tell vertices and edges in original ids.
plain_part part_of(divided_graph const& divided, int rank) {
  auto graph = divided.part(rank);
  auto const& book = graph.book;
  auto const rows = book.size(rank);
  auto const edges = graph.graph.view();
  glt::buffer<cpu, std::int64_t> labels(rows);
  glt::buffer<cpu, std::int64_t> times(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    labels[r] = graph.original[r] % 7;
    times[r] = graph.original[r] + 1000;
  }
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", divided.features(rank, 3, false));
  tensors.add("y", glt::feature_store<cpu, std::int64_t>(rows, 1, std::move(labels)));
  tensors.add("year", glt_test::named_store<std::int16_t>({graph.original.begin(), graph.original.end()}, 1, 1));
  glt::buffer<cpu, float> weights(edges.num_edges());
  std::vector<std::int64_t> edge_ids(edges.edge_ids().begin(), edges.edge_ids().end());
  for (std::int64_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(edge_ids[static_cast<std::size_t>(e)] % 5);
  }
  glt::feature_table<cpu> of_edges(edges.num_edges());
  of_edges.add("kind", glt_test::named_store<std::int32_t>(edge_ids, 2, 2));
  std::vector<glt::dist::vertex_split> splits{{"train", every(book, rank, 3)}};
  if (rank == 0) {
    splits.push_back({"first", every(book, 0, 10)});
  }
  glt::link_split links{.name = "train", .edges = {every(book, rank, 4), every(book, rank, 4)}};
  return plain_part(std::move(graph),
                    {.tensors = std::move(tensors), .splits = std::move(splits), .times = std::move(times)},
                    {.tensors = std::move(of_edges), .weights = std::move(weights), .links = {std::move(links)}});
}

divided_graph divide(int ranks) {
  return {glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], ranks};
}

// All that a rank gets of two recipes on its seeds is equal.
template <class Comm, class RecipeA, class RecipeB, class Seeds, class Compare>
void check_batches(Comm comm, RecipeA const& a, RecipeB const& b, Seeds const& seeds, Compare const& compare) {
  glt::dist::loader first(comm, a, seeds, {.batch_size = 8, .seed = 3});
  glt::dist::loader second(comm, b, seeds, {.batch_size = 8, .seed = 3});
  CHECK(first.num_steps() > 0);
  auto const wanted = second.epoch(1);
  auto next = wanted.begin();
  for (auto const& batch : first.epoch(1)) {
    compare(batch, *next);
    ++next;
  }
}

} // namespace

TEST_CASE("a data set without types hands out what its parts were made of") {
  glt_test::on_ranks([](auto comm) {
    auto const divided = divide(comm.size());
    auto part = part_of(divided, comm.rank());
    auto const* const sources = part.graph.relations[0].view().sources().data();
    auto const* const x = part.vertices[0].tensors.template view<float>("x").features.data();
    auto made = glt::dist::data_set(comm, std::move(part));
    auto const* const graph = &made.graph();
    auto const data = std::move(made); // what is borrowed stays
    CHECK(&data.graph() == graph);
    CHECK(data.graph().local().sources().data() == sources); // no copy
    CHECK(data.hetero_graph().local(0).sources().data() == sources);
    CHECK(data.features().local().features.data() == x);
    CHECK(data.schema() == glt::hetero_schema({{"node", 101}}, {{"node", "edge", "node"}}));
    CHECK(data.book() == divided.names.book);
    CHECK(std::ranges::equal(data.original(), divided.part(comm.rank()).original));
    CHECK(data.tensors().local().names() == std::vector<std::string>{"x", "y", "year"});
    CHECK(data.num_classes() == 7);
    for (std::int64_t r = 0; r < data.original().size(); ++r) {
      CHECK(data.features().local().labels[r] == data.original()[r] % 7);
      CHECK(data.times()[r] == data.original()[r] + 1000);
    }
    CHECK(data.split("train") == every(data.book(), comm.rank(), 3));
    CHECK(data.split("first").size() == (comm.rank() == 0 ? every(data.book(), 0, 10).size() : 0));
    CHECK(data.splits().size() == 2);
    CHECK(data.links("train").edges.sources == every(data.book(), comm.rank(), 4));
    CHECK(data.edge_weights().size() == data.graph().local().num_edges());
    CHECK(data.edge_times().empty());
    CHECK(data.edge_tensors().of_edges());
    CHECK(data.hot_rows().size() == 0);
    CHECK(data.named_hot_rows().size() == 0);
  });
}

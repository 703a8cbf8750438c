// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/threads.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include "partition/assign.hpp"
#include "partition/options.hpp"
#include "partition/whole_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dist = glt::dist;
namespace io = glt::io;
using glt::device::cpu;

namespace {

constexpr double slack = 0.05;

// What a rank of a program holds of a data set: its ends of edges, weights, times and ids, and rows, anywhere; lists
// that have an order are cut into ranges.
class held_data {
public:
  held_data(io::raw_data const& all, int rank, int ranks, bool has_types)
      : of_nodes_(all.nodes.size()), of_edges_(all.edges.size()) {
    for (std::size_t t = 0; t < all.nodes.size(); ++t) {
      auto const& nodes = all.nodes[t];
      auto& held = of_nodes_[t];
      auto const is_here = [&](std::int64_t v) { return (v * 7 + v / 3) % ranks == rank; };
      for (std::int64_t v = nodes.num_nodes - 1; v >= 0; --v) {
        if (is_here(v)) {
          held.vertices.push_back(v);
          held.times.push_back(nodes.times[static_cast<std::size_t>(v)]);
        }
      }
      for (auto const& feature : nodes.features) {
        held.x = rows_of(feature.values, held.vertices);
      }
      held.y = rows_of(nodes.labels, held.vertices);
      dist::local_data::vertex_list const list{
          .vertices = held.vertices,
          .tensors = {{"x", view<float>(held.x)}, {"y", view<std::int64_t>(held.y)}},
          .times = held.times};
      std::vector<dist::local_data::split> const splits{{"train", share(nodes.train, rank, ranks)},
                                                        {"valid", share(nodes.valid, rank, ranks)},
                                                        {"test", share(nodes.test, rank, ranks)}};
      if (has_types) {
        data_.node_types.push_back({nodes.name, list, splits, nodes.num_nodes});
      } else {
        data_.rows = list;
        data_.splits = splits;
      }
    }
    glt::random_stream draws(glt::random_key(3), 0); // the same on all ranks
    for (std::size_t t = 0; t < all.edges.size(); ++t) {
      auto const& edges = all.edges[t];
      auto& held = of_edges_[t];
      for (std::size_t e = edges.sources.size(); e > 0; --e) {
        if (draws.below(static_cast<std::uint64_t>(ranks)) == static_cast<std::uint64_t>(rank)) {
          held.sources.push_back(static_cast<std::uint32_t>(edges.sources[e - 1]));
          held.destinations.push_back(edges.destinations[e - 1]);
          held.ids.push_back(static_cast<std::int64_t>(e) - 1);
          held.weights.push_back(edges.weights[e - 1]);
          held.times.push_back(edges.times[e - 1]);
        }
      }
      held.values = rows_of(edges.features[0].values, held.ids);
      dist::local_data::edge_list const list{
          .sources = held.sources,
          .destinations = held.destinations,
          .ids = held.ids,
          .weights = held.weights,
          .times = held.times,
          .tensors = {{"edge_feat", view<glt::float16>(held.values)}, {"time", held.times}}};
      if (has_types) {
        data_.edge_types.push_back({edges.source, edges.name, edges.destination, list});
      } else {
        data_.edges = list;
      }
    }
  }

  [[nodiscard]] dist::local_data const& local() const { return data_; }

private:
  struct rows {
    std::vector<std::byte> bytes;
    std::int64_t columns = 0;
  };
  struct held_nodes {
    std::vector<std::int64_t> vertices;
    std::vector<std::int64_t> times;
    rows x;
    rows y;
  };
  struct held_edges {
    std::vector<std::uint32_t> sources;
    std::vector<std::int64_t> destinations;
    std::vector<std::int64_t> ids;
    std::vector<float> weights;
    std::vector<std::int64_t> times;
    rows values;
  };

  static rows rows_of(io::array const& from, std::vector<std::int64_t> const& of) {
    rows made{.bytes = {}, .columns = from.columns()};
    auto const row_bytes = from.columns() * glt::detail::size_of(from.type());
    for (auto const i : of) {
      auto const* const row = from.bytes().data() + i * row_bytes;
      made.bytes.insert(made.bytes.end(), row, row + row_bytes);
    }
    return made;
  }
  template <class T>
  static dist::local_data::row_list view(rows const& of) {
    auto const count = static_cast<std::int64_t>(of.bytes.size() / sizeof(T)) / of.columns;
    return {reinterpret_cast<T const*>(of.bytes.data()), count, of.columns, of.columns};
  }
  static dist::local_data::id_list share(std::vector<std::int64_t> const& list, int rank, int ranks) {
    auto const size = std::ssize(list);
    auto const first = size * rank / ranks;
    return glt::host_view<std::int64_t const>(list).subview(first, size * (rank + 1) / ranks - first);
  }

  std::vector<held_nodes> of_nodes_;
  std::vector<held_edges> of_edges_;
  dist::local_data data_;
};

io::raw_data academic_set(std::int64_t papers, std::int64_t authors, std::int64_t venues) {
  glt::random_stream draws(glt::random_key(8), static_cast<std::uint64_t>(papers));
  io::raw_data made{.name = "academic"};
  made.nodes.push_back(glt_test::random_nodes(draws, "paper", papers));
  made.nodes.push_back(glt_test::random_nodes(draws, "author", authors));
  made.nodes.push_back(glt_test::random_nodes(draws, "venue", venues));
  auto const& paper = made.nodes[0];
  auto const& author = made.nodes[1];
  auto const& venue = made.nodes[2];
  auto const add = [&](auto const& from, char const* name, auto const& to, std::int64_t count) {
    made.edges.push_back(glt_test::random_edges(draws, from, name, to, from.num_nodes * to.num_nodes > 0 ? count : 0));
    made.edges.back().links.clear();
  };
  add(author, "writes", paper, 3 * papers);
  add(paper, "cites", paper, 5 * papers);
  add(paper, "written_by", author, 3 * papers);
  add(paper, "in", venue, papers);
  return made;
}

io::raw_data plain_set(std::int64_t num_vertices, std::int64_t num_edges) {
  glt::random_stream draws(glt::random_key(9), static_cast<std::uint64_t>(num_vertices));
  io::raw_data made{.name = "plain"};
  made.nodes.push_back(glt_test::random_nodes(draws, "node", num_vertices));
  made.edges.push_back(glt_test::random_edges(draws, made.nodes[0], "edge", made.nodes[0], num_edges));
  made.edges[0].links.clear();
  return made;
}

template <class Table>
void check_tables(Table const& a, Table const& b) {
  REQUIRE(a.names() == b.names());
  for (auto const& name : a.names()) {
    CAPTURE(name);
    glt::detail::visit_element(a.type(name), [&]<class T>(std::type_identity<T>) {
      auto const x = a.template view<T>(name).features;
      auto const y = b.template view<T>(name).features;
      REQUIRE(x.rows() == y.rows());
      REQUIRE(x.columns() == y.columns());
      CHECK(std::equal(reinterpret_cast<std::byte const*>(x.data()),
                       reinterpret_cast<std::byte const*>(x.data() + x.rows() * x.columns()),
                       reinterpret_cast<std::byte const*>(y.data())));
    });
  }
}

bool equal(auto const& a, auto const& b) {
  return std::ranges::equal(a, b);
}

// A folder has no splits of a type if this part has no vertex of any.
std::vector<glt::global_id> split_of(dist::data_part<cpu>::vertex_data const& vertices, std::string const& name) {
  auto const found = std::ranges::find(vertices.splits, name, &dist::data_part<>::vertex_split::name);
  return found == vertices.splits.end() ? std::vector<glt::global_id>() : found->vertices;
}

void check_parts(dist::data_part<cpu> const& made, dist::data_part<cpu> const& expected) {
  REQUIRE(made.graph.schema == expected.graph.schema);
  CHECK(made.graph.part == expected.graph.part);
  for (std::size_t t = 0; t < expected.graph.books.size(); ++t) {
    CAPTURE(t);
    CHECK(equal(made.graph.books[t].offsets(), expected.graph.books[t].offsets()));
    CHECK(equal(made.graph.original[t], expected.graph.original[t]));
    auto const& x = made.vertices[t];
    auto const& y = expected.vertices[t];
    check_tables(x.tensors, y.tensors);
    CHECK(equal(x.times, y.times));
    for (char const* const name : {"train", "valid", "test"}) {
      CHECK(split_of(x, name) == split_of(y, name));
    }
  }
  for (std::size_t e = 0; e < expected.graph.relations.size(); ++e) {
    CAPTURE(e);
    auto const x = made.graph.relations[e].view();
    auto const y = expected.graph.relations[e].view();
    CHECK(equal(x.offsets(), y.offsets()));
    CHECK(equal(x.sources(), y.sources()));
    CHECK(equal(x.edge_ids(), y.edge_ids()));
    CHECK(x.num_columns() == y.num_columns());
    CHECK(equal(made.edges[e].weights, expected.edges[e].weights));
    CHECK(equal(made.edges[e].times, expected.edges[e].times));
    CHECK(made.edges[e].tensors.names() == std::vector<std::string>{"edge_feat", "time"});
    if (x.num_edges() > 0) { // a folder without times has no tensor of them
      check_tables(made.edges[e].tensors, expected.edges[e].tensors);
    }
  }
}

// Does as glt-partition.
void divide(io::raw_data const& all, glt_partition::options const& chosen, std::filesystem::path const& folder) {
  glt_partition::whole_graph const graph(all);
  auto const part_of = glt_partition::assign(chosen, graph);
  std::vector<glt::relabelling> labels;
  for (std::size_t t = 0; t < all.nodes.size(); ++t) {
    labels.push_back(glt::make_relabelling(graph.of_type(part_of.cview(), t), chosen.parts));
  }
  io::write_parts(folder, all, labels);
}

// Divides a data set by glt-partition into a folder, and on thread ranks by a method, and calls use(comm, data,
// folder).
template <class Method, class Use>
void check_method(io::raw_data const& all, std::string const& name, Method const& method, Use use,
                  std::vector<int> const& sizes = {1, 2, 3, 4, 7}) {
  CAPTURE(name);
  CAPTURE(all.name);
  CAPTURE(all.nodes[0].num_nodes);
  bool const has_types = all.nodes.size() > 1;
  for (int const ranks : sizes) {
    CAPTURE(ranks);
    glt_test::scratch_folder const scratch;
    glt_partition::options chosen;
    chosen.parts = ranks;
    chosen.method = name;
    chosen.slack = slack;
    auto const folder = scratch / "parts";
    divide(all, chosen, folder);
    glt::run_threads(ranks, [&](auto comm) {
      held_data const held(all, comm.rank(), ranks, has_types);
      dist::local_data::options options{.round_bytes = 700};
      if (!has_types) {
        options.num_vertices = all.nodes[0].num_nodes;
      }
      auto part = glt::detail::make_data_part(comm, held.local(), method, options);
      check_parts(part, io::parts_folder(folder).load_for_rank(comm.rank(), ranks, {.edge_tensors = true}));
      use(comm, dist::data_set<cpu>(comm, std::move(part)), folder);
    });
  }
}

template <class Use>
void check_methods(io::raw_data const& all, Use use) {
  check_method(all, "contiguous", glt::contiguous_partitioner{}, use);
  check_method(all, "hash", glt::hash_partitioner{.seed = 1}, use);
  check_method(
      all, "ldg",
      glt::ldg_partitioner{.seed = 1, .capacity_slack = slack, .passes = 5, .order = glt::stream_order::natural}, use);
  glt::fennel_partitioner fennel;
  fennel.seed = 1;
  fennel.capacity_slack = slack;
  fennel.passes = 5;
  fennel.order = glt::stream_order::natural;
  check_method(all, "fennel", fennel, use);
  glt_partition::options chosen;
  chosen.slack = slack;
  check_method(all, "multilevel", glt_partition::make_multilevel(chosen, {}), use, {1, 2, 3, 4});
  glt_partition::whole_graph const graph(all);
  if (!graph.seeds().empty()) {
    check_method(all, "frequency",
                 dist::frequency_partitioner<glt::ldg_partitioner>{.seeds = graph.seeds(),
                                                                   .hotness = glt_partition::hotness_of(chosen),
                                                                   .capacity_slack = slack,
                                                                   .deal = glt_partition::make_ldg(chosen)},
                 use, {1, 2, 3});
  }
#if GLT_PARTITION_METIS
  check_method(all, "metis", glt::metis_partitioner{.seed = 1, .capacity_slack = slack}, use, {1, 2, 3});
#endif
}

} // namespace

TEST_CASE("a data set made in memory is the one that glt-partition makes of the same data in files") {
  for (auto const& [num_vertices, num_edges] : {std::pair{1, 2}, {5, 0}, {6, 20}, {300, 2000}}) {
    check_methods(plain_set(num_vertices, num_edges), [](auto&, auto const&, auto const&) {});
  }
}

TEST_CASE("so is a data set with types, and so are batches sampled from it") {
  check_methods(academic_set(2, 1, 0), [](auto&, auto const&, auto const&) {});
  check_methods(academic_set(40, 25, 3), [](auto&, auto const&, auto const&) {});
  check_methods(academic_set(200, 90, 0), [](auto& comm, dist::data_set<cpu> const& made, auto const& folder) {
    auto const opened = io::open_data_set(comm, folder);
    auto const batches_of = [&](dist::data_set<cpu> const& data) {
      std::vector<std::vector<glt::global_id>> nodes;
      dist::typed_batches const recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {3, 2})});
      dist::loader loader(comm, recipe, dist::typed_seeds<>(0, data.split("train", 0)),
                          {.batch_size = 4, .shuffle = true});
      for (auto const& batch : loader.epoch(1)) {
        for (int t = 0; t < 3; ++t) {
          auto const of_type = batch.subgraph.nodes(t);
          nodes.emplace_back(of_type.begin(), of_type.end());
        }
      }
      return nodes;
    };
    CHECK(batches_of(made) == batches_of(opened));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/builder/detail/typed_graph.hpp>

#include <glt/core/random.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;
namespace dist = glt::dist;

namespace {

using ids = std::vector<std::int64_t>;
enum node : std::size_t { paper, author, venue, ghost, num_types };
constexpr std::array<char const*, num_types> names{"paper", "author", "venue", "ghost"};

struct relation {
  node source;
  char const* name;
  node destination;
  ids sources; // of the program
  ids destinations;
};

// A typed graph as one process would hold it. Papers have ids with gaps and rows, authors have no rows, venues are 0 to
// 2 without an edge, and there is no ghost.
struct whole_data {
  std::vector<relation> relations{{author, "writes", paper, {}, {}},
                                  {paper, "cites", paper, {}, {}},
                                  {paper, "haunts", ghost, {}, {}},
                                  {author, "knows", author, {}, {}},
                                  {paper, "written_by", author, {}, {}}};
  std::array<ids, num_types> vertices; // ascending

  whole_data(std::int64_t papers, std::int64_t authors, std::int64_t edges) {
    for (std::int64_t v = 0; v < papers; ++v) {
      vertices[paper].push_back(v * v * 1'000'000'007 + 5);
    }
    vertices[venue] = {0, 1, 2};
    glt::random_stream draws(glt::random_key(5), static_cast<std::uint64_t>(edges));
    auto const any = [&](node type) {
      auto const count = static_cast<std::uint64_t>(type == paper ? papers : authors);
      auto const v = static_cast<std::int64_t>(draws.below(count));
      return type == paper ? vertices[paper][static_cast<std::size_t>(v)] : 3 * v;
    };
    for (auto& [source, name, destination, from, to] : relations) {
      for (std::int64_t e = 0; e < edges && destination != ghost; ++e) {
        from.push_back(any(source));
        to.push_back(any(destination));
        for (auto const& [type, id] : {std::pair{source, from.back()}, {destination, to.back()}}) {
          if (type == author) {
            vertices[author].push_back(id);
          }
        }
      }
    }
    std::ranges::sort(vertices[author]);
    vertices[author].erase(std::ranges::unique(vertices[author]).begin(), vertices[author].end());
  }

  [[nodiscard]] std::int64_t number(node type, std::int64_t id) const {
    return std::ranges::lower_bound(vertices[type], id) - vertices[type].begin();
  }
  // The graph in numbers, with reverses if asked for.
  [[nodiscard]] glt::hetero_graph<cpu, glt::global_id> graph(bool symmetric) const {
    std::vector<glt::hetero_schema::node_type> nodes;
    std::vector<glt::hetero_schema::edge_type> edges;
    std::vector<std::pair<ids, ids>> ends;
    for (std::size_t t = 0; t < num_types; ++t) {
      nodes.push_back({names[t], std::ssize(vertices[t])});
    }
    for (auto const& [source, name, destination, from, to] : relations) {
      edges.push_back({names[source], name, names[destination]});
      auto& [sources, destinations] = ends.emplace_back();
      for (std::size_t e = 0; e < from.size(); ++e) {
        sources.push_back(number(source, from[e]));
        destinations.push_back(number(destination, to[e]));
      }
      for (std::size_t e = 0; symmetric && source == destination && e < from.size(); ++e) {
        if (sources[e] != destinations[e]) {
          sources.push_back(destinations[e]);
          destinations.push_back(sources[e]);
        }
      }
    }
    for (std::size_t r = 0; symmetric && r < relations.size(); ++r) {
      auto const& [source, name, destination, from, to] = relations[r];
      if (source != destination) {
        edges.push_back({names[destination], std::string("rev_") + name, names[source]});
        ends.emplace_back(ends[r].second, ends[r].first);
      }
    }
    glt::hetero_schema schema(nodes, edges);
    std::vector<glt::csr_graph<cpu, glt::global_id>> made;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      made.push_back(glt::make_relation<cpu, glt::global_id>(schema, static_cast<int>(e), ends[e].first, ends[e].second,
                                                             {.edge_ids = true}));
    }
    return {std::move(schema), std::move(made)};
  }
};

glt::local_id part_given(std::int64_t number, int ranks) {
  return static_cast<glt::local_id>(number * number % ranks);
}

// What a rank holds; the last of several holds nothing.
struct held_data {
  std::vector<relation> relations;
  std::vector<std::vector<float>> weights;
  ids papers;
  std::vector<float> x;
  ids train;
  std::array<ids, num_types> assigned;
  std::array<std::vector<glt::local_id>, num_types> parts;

  held_data(whole_data const& all, int rank, int ranks) {
    auto const holders = std::max(ranks - 1, 1);
    auto const range_of = [&](std::int64_t size) {
      return std::pair(rank < holders ? size * rank / holders : size,
                       rank < holders ? size * (rank + 1) / holders : size);
    };
    for (auto const& whole : all.relations) {
      auto const [first, last] = range_of(std::ssize(whole.sources));
      relations.push_back({whole.source, whole.name, whole.destination,
                           ids(whole.sources.begin() + first, whole.sources.begin() + last),
                           ids(whole.destinations.begin() + first, whole.destinations.begin() + last)});
      auto& of_edges = weights.emplace_back();
      for (auto e = first; e < last; ++e) {
        of_edges.push_back(static_cast<float>(e));
      }
    }
    for (std::int64_t v = 0; v < std::ssize(all.vertices[paper]); ++v) {
      if (rank < holders && v * 5 % holders == rank) {
        papers.push_back(all.vertices[paper][static_cast<std::size_t>(v)]);
        x.push_back(static_cast<float>(v));
      }
    }
    auto const [first, last] = range_of(std::ssize(all.vertices[author]));
    train.assign(all.vertices[author].rbegin() + first, all.vertices[author].rbegin() + last);
    for (std::size_t t = 0; t < num_types; ++t) {
      for (std::int64_t v = 0; v < std::ssize(all.vertices[t]); ++v) {
        if (rank < holders && v % holders == rank) {
          assigned[t].push_back(all.vertices[t][static_cast<std::size_t>(v)]);
          parts[t].push_back(part_given(v, ranks));
        }
      }
    }
  }

  [[nodiscard]] dist::local_data local() const {
    dist::local_data data{.node_types = {{.name = "paper", .rows = {.vertices = papers, .tensors = {{"x", x}}}},
                                         {.name = "author", .splits = {{"train", train}}},
                                         {.name = "venue", .num_vertices = 3},
                                         {.name = "ghost"}}};
    for (std::size_t r = 0; r < relations.size(); ++r) {
      auto const& [source, name, destination, from, to] = relations[r];
      data.edge_types.push_back({names[source], name, names[destination], {.sources = from, .destinations = to}});
      if (source != destination) {
        data.edge_types.back().edges.weights = weights[r];
      }
    }
    return data;
  }
};

bool equal(auto const& a, auto const& b) {
  return std::ranges::equal(a, b);
}

// Whether a rank's part is what one process cuts for it.
void check_part(dist::data_part<cpu> const& made, whole_data const& all, bool symmetric,
                std::vector<glt::relabelling> const& labels) {
  auto const expected = glt::split_graph(all.graph(symmetric).view(), std::span(labels), made.graph.part);
  REQUIRE(made.graph.schema == expected.schema);
  for (std::size_t t = 0; t < num_types; ++t) {
    CHECK(made.graph.books[t] == expected.books[t]);
    CHECK(equal(made.graph.original[t], expected.original[t]));
    auto const& vertices = made.vertices[t];
    for (std::int64_t r = 0; r < vertices.tensors.num_rows() && t != venue; ++r) {
      auto const number = expected.original[t][r];
      CHECK(vertices.tensors.view<std::int64_t>("id").features(r, 0) ==
            all.vertices[t][static_cast<std::size_t>(number)]);
      if (t == paper) {
        CHECK(vertices.tensors.view<float>("x").features(r, 0) == static_cast<float>(number));
      }
    }
    CHECK(vertices.splits.size() == (t == author ? 1 : 0));
  }
  for (std::size_t e = 0; e < expected.relations.size(); ++e) {
    CAPTURE(made.graph.schema.name_of_edge_type(static_cast<int>(e)));
    auto const rows = made.graph.relations[e].view();
    CHECK(equal(rows.offsets(), expected.relations[e].view().offsets()));
    CHECK(equal(rows.sources(), expected.relations[e].view().sources()));
    CHECK(equal(rows.edge_ids(), expected.relations[e].view().edge_ids()));
    CHECK(rows.num_columns() == expected.relations[e].view().num_columns());
    CHECK((made.edges[e].weights.empty() || equal(made.edges[e].weights, rows.edge_ids())));
    auto const& [source, name, destination] = made.graph.schema.edge_types()[e];
    CHECK((source == destination || made.edges[e].weights.size() == rows.num_edges()));
  }
  ids train;
  for (auto v = std::ssize(all.vertices[author]) - 1; v >= 0; --v) {
    auto const id = labels[author].renumbered[v];
    if (labels[author].book.owner(id) == made.graph.part) {
      train.push_back(id);
    }
  }
  CHECK(made.vertices[author].splits[0].vertices == train);
}

// A partitioner and `repair_balance`, as glt-partition calls them.
template <class Partitioner>
struct repaired {
  Partitioner method;

  glt::buffer<cpu, glt::local_id> operator()(glt::csr_view<glt::memory_space::host, glt::global_id> graph,
                                             int parts) const {
    auto limits = method.balance;
    limits.push_back(glt::balance_limit::vertices(method.capacity_slack));
    return glt::repair_balance(graph, method(graph, parts), limits, parts);
  }
};

// A partitioner of all ranks together that looks at the in-degrees of all sources, and the same of one process.
struct degrees_of_sources {
  template <class Comm>
  glt::buffer<cpu, glt::local_id> operator()(Comm& comm, glt::partition_book const& homes,
                                             glt::csr_view<glt::memory_space::host, glt::global_id> rows,
                                             std::span<std::int64_t const> first_rows) const {
    CHECK(first_rows.size() == num_types + 1);
    CHECK(first_rows.back() == rows.num_rows());
    ids degrees(static_cast<std::size_t>(homes.num_vertices()), 0); // of all ranks
    for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
      degrees[static_cast<std::size_t>(homes.begin(comm.rank()) + row)] = rows.degree(row);
    }
    comm.all_reduce(std::span<std::int64_t>(degrees), glt::reduction::sum);
    return parts_of(rows, degrees, comm.size());
  }
  glt::buffer<cpu, glt::local_id> operator()(glt::csr_view<glt::memory_space::host, glt::global_id> graph,
                                             int parts) const {
    ids degrees;
    for (std::int64_t row = 0; row < graph.num_rows(); ++row) {
      degrees.push_back(graph.degree(row));
    }
    return parts_of(graph, degrees, parts);
  }

private:
  static glt::buffer<cpu, glt::local_id> parts_of(glt::csr_view<glt::memory_space::host, glt::global_id> rows,
                                                  ids const& degrees, int parts) {
    glt::buffer<cpu, glt::local_id> made(rows.num_rows());
    for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
      std::int64_t sum = rows.degree(row);
      for (auto const source : rows.row(row)) {
        sum += degrees[static_cast<std::size_t>(source)];
      }
      made[row] = static_cast<glt::local_id>(sum % parts);
    }
    return made;
  }
};

template <class Comm>
void check_methods(Comm comm, whole_data const& all, bool symmetric) {
  auto const ranks = comm.size();
  held_data const held(all, comm.rank(), ranks);
  auto const data = held.local();
  dist::local_data::options const options{.symmetric = symmetric, .round_bytes = 200};
  auto const whole = all.graph(symmetric);
  auto const types = glt::balance_limit::types(whole.schema());
  auto const check = [&](auto const& method, auto const& partitioner) {
    check_part(glt::detail::make_data_part(comm, data, method, options), all, symmetric,
               glt::partition_by_type(whole.view(), partitioner, ranks));
  };
  check(glt::contiguous_partitioner{}, glt::contiguous_partitioner{.balance = {types}});
  check(glt::hash_partitioner{.seed = 4}, glt::hash_partitioner{.seed = 4});
  check(glt::random_partitioner{.seed = 4}, glt::random_partitioner{.seed = 4});
  check(degrees_of_sources{}, degrees_of_sources{});
  auto const limited = [&](auto method) {
    auto limit = types;
    limit.slack = method.capacity_slack;
    method.balance = {limit};
    return method;
  };
  auto const check_stream = [&](auto method) { check(method, repaired<decltype(method)>{limited(method)}); };
  check_stream(glt::ldg_partitioner{.passes = 2, .order = glt::stream_order::natural});
  check_stream(glt::fennel_partitioner{.order = glt::stream_order::natural});
  check_stream(glt::ldg_partitioner{.capacity_slack = 0.5});
  check(glt::multilevel_partitioner<>{}, limited(glt::multilevel_partitioner<>{}));

  std::vector<dist::local_data::given_parts> given;
  std::vector<glt::relabelling> labels;
  for (std::size_t t = 0; t < num_types; ++t) {
    given.push_back({held.assigned[t], held.parts[t]});
    std::vector<glt::local_id> parts;
    for (std::int64_t v = 0; v < std::ssize(all.vertices[t]); ++v) {
      parts.push_back(part_given(v, ranks));
    }
    labels.push_back(glt::make_relabelling(glt::host_view<glt::local_id const>(parts), ranks));
  }
  check_part(glt::detail::make_data_part(comm, data, given, options), all, symmetric, labels);
}

} // namespace

TEST_CASE("typed parts of spread edges and rows equal those that one process cuts") {
  glt_test::on_ranks(
      [](auto comm) {
        for (bool const symmetric : {false, true}) {
          CAPTURE(symmetric);
          check_methods(comm, whole_data(1, 1, 0), symmetric);
          check_methods(comm, whole_data(3, 2, 4), symmetric);
          check_methods(comm, whole_data(50, 30, 150), symmetric);
        }
      },
      glt_test::up_to_five);
}

TEST_CASE("a typed data set answers by type, and a rank without data gives the types") {
  glt_test::on_ranks([](auto comm) {
    whole_data const all(20, 10, 60);
    held_data const held(all, comm.rank(), comm.size());
    auto const data = dist::make_data_set(comm, held.local());
    CHECK(data.schema().num_vertices(venue) == 3);
    CHECK(data.features(paper).local().features.columns() == 1);
    CHECK(data.edge_weights(data.schema().find_edge_type("writes")).size() ==
          data.hetero_graph().local(data.schema().find_edge_type("writes")).num_edges());
    CHECK(data.split("train", author).size() == static_cast<std::size_t>(data.book(author).size(comm.rank())));
  });
}

TEST_CASE("a type without vertices or edges on any rank has the tensors that some rank names") {
  glt_test::on_ranks([](auto comm) {
    dist::local_data data{.node_types = {{.name = "a", .num_vertices = comm.size()}, {.name = "b"}},
                          .edge_types = {{.source = "a", .name = "to", .destination = "b"}}};
    std::vector<float> const none;
    ids const own{comm.rank()};
    data.node_types[0].rows = {.vertices = own, .tensors = {{"y", own}}};
    if (comm.rank() == comm.size() - 1) {
      data.node_types[1].rows.tensors = {{"x", dist::local_data::row_list(none.data(), 0, 5, 5)}};
      data.edge_types[0].edges.tensors = {{"code", none}};
    }
    auto const made = dist::make_data_set(comm, data);
    CHECK(made.features(1).local().features.columns() == 5);
    CHECK(made.edge_tensors().local().names() == std::vector<std::string>{"code"});
    CHECK(made.tensors(0).local().template view<std::int64_t>("y").features(0, 0) == comm.rank());
  });
}

TEST_CASE("what is wrong with a type on one rank is an error on all, and names the type") {
  glt_test::on_ranks([](auto comm) {
    bool const here = comm.rank() == comm.size() - 1;
    ids const ends{1, 2};
    ids const one{1};
    ids const negative{-1, 2};
    ids const twice{2, 1, 2};
    std::vector<float> const weights{1, 2};
    auto const fails = [&](auto change, auto const& method, dist::local_data::options const& options = {}) {
      dist::local_data data{.node_types = {{.name = "a"}, {.name = "b"}},
                            .edge_types = {{"a", "to", "b", {.sources = ends, .destinations = ends}}}};
      if (here) {
        change(data);
      }
      return glt_test::thrown<glt::collective_error>([&] { (void)dist::make_data_set(comm, data, method, options); });
    };
    glt::contiguous_partitioner const ranges;
    auto const refused = [&](auto change, auto const&... words) {
      auto const text = fails(change, ranges);
      CAPTURE(text);
      CHECK(glt_test::names(text, words...));
    };
    refused([&](auto& data) { data.edge_types[0].edges.sources = one; }, "1 sources and 2 destinations",
            "of (a, to, b)");
    refused([&](auto& data) { data.edge_types[0].edges.sources = negative; }, "vertex id -1 of type 'a'");
    refused([&](auto& data) { data.node_types[1].rows = {.vertices = twice, .tensors = {{"x", twice}}}; },
            "vertex 2 of type 'b' has two rows");
    refused([&](auto& data) { data.node_types[1].rows = {.vertices = one, .tensors = {{"x", one}}}; },
            "vertex 2 of type 'b' has no row");
    refused([&](auto& data) { data.node_types[1].rows = {.vertices = ends, .tensors = {{"x", one}}}; },
            "1 rows of \"x\" for 2 rows of vertices of type 'b'");
    refused([&](auto& data) { data.node_types[0].splits = {{"test", twice}, {"test", one}}; }, "two splits \"test\"");
    ids const unknown{7};
    refused([&](auto& data) { data.node_types[0].splits = {{"test", unknown}}; },
            "split \"test\" names vertex 7 of type 'a', which no edge and no row has");
    refused([&](auto& data) { data.edges = {.sources = ends, .destinations = ends}; }, "give these with their types");
    refused([&](auto& data) { data.edge_types[0].source = "c"; }, "no node type 'c'; there are 'a', 'b'");
    refused([&](auto& data) { data.node_types[1].name = "a"; }, "'a' comes twice");
    refused([&](auto& data) { data.edge_types.push_back(data.edge_types[0]); }, "(a, to, b) comes twice");
    CHECK(glt_test::names(fails([](auto&) {}, ranges, {.num_vertices = 3}), "num_vertices without a type"));
    CHECK(glt_test::names(fails([](auto& data) { data.node_types[0].num_vertices = -3; }, ranges),
                          "vertices of type 'a'"));
    CHECK(glt_test::names(fails([](auto&) {}, dist::local_data::given_parts{}),
                          "1 lists of given parts for 2 node types"));
    CHECK(glt_test::names(fails([](auto&) {}, std::vector<dist::local_data::given_parts>(2)),
                          "vertex 1 of type 'a' is given no part"));
    auto const unfit = glt_test::thrown<glt::collective_error>([&] {
      dist::local_data::edge_list const edges{.sources = ends, .destinations = ends, .ids = here ? negative : ends};
      (void)dist::make_data_set(
          comm, {.node_types = {{.name = "a"}, {.name = "b"}}, .edge_types = {{"a", "to", "b", edges}}});
    });
    CHECK(glt_test::names(unfit, "edge id -1 of (a, to, b)"));
    auto const reversed = glt_test::thrown<glt::collective_error>([&] {
      dist::local_data const data{.node_types = {{.name = "a"}, {.name = "b"}},
                                  .edge_types = {{.source = "a", .name = "to", .destination = "b"},
                                                 {.source = "b", .name = "rev_to", .destination = "a"}}};
      (void)dist::make_data_set(comm, data, ranges, {.symmetric = true});
    });
    CHECK(glt_test::names(reversed, "(b, rev_to, a) comes twice"));
    if (comm.size() > 1) {
      refused([](auto& data) { data.node_types.push_back({.name = "c"}); }, "other types; give the same on all ranks");
      refused([](auto& data) { std::swap(data.node_types[0], data.node_types[1]); }, "types in the same order");
      refused([&](auto& data) { data.edge_types[0].edges.weights = weights; },
              "edges of (a, to, b) differ from rank 0 in tensors");
      refused([](auto& data) { data.node_types[0].num_vertices = 4; }, "4 vertices of type 'a'");
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives of graphs, samplers and collectors; see throw.hpp.
#include "throw.hpp"

#include "support/named_tables.hpp"

#include <glt/mpi/node.hpp>

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

using namespace glt_fault;
using glt::global_id;

namespace {

glt::partition_book book_of_one_part(glt::partition_book const& book) {
  return glt::partition_book({0, book.num_vertices()});
}

glt::neighbor_options neighbors(bool wrong) {
  return {.fanouts = {wrong ? -7 : 3, 2}, .edge_ids = true};
}

std::vector<double> some_hotness(world const& here) {
  std::vector<double> made(here.own.size());
  std::iota(made.begin(), made.end(), 1.0);
  return made;
}

glt::feature_table<cpu> table_of_edges(world const& here) {
  auto const edges = here.edge_ids();
  return {glt::make_buffer<cpu>(edges), glt_test::named_table(edges)};
}

// A sampler of any kind, made before or made by the call.
template <class Make>
call_type sampling(comm_type& comm, Make make) {
  auto const here = make_world(comm);
  auto const sampler = std::make_shared<decltype(make(*here))>(make(*here));
  return [=](bool wrong) {
    glt::sampled_subgraph<cpu, global_id> out;
    sampler->sample(glt::host_view<global_id const>(here->vertices(wrong)), {.seed = 1}, out);
  };
}

template <class Make>
call_type walking(comm_type& comm, Make make) {
  auto const here = make_world(comm);
  auto const walker = std::make_shared<decltype(make(*here))>(make(*here));
  return [=](bool wrong) {
    glt::walks<cpu, global_id> out;
    walker->walk(glt::host_view<global_id const>(here->vertices(wrong)), {.seed = 1}, out);
  };
}

std::vector<site> sites_of_graphs() {
  return {
      {"exchange_headers", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()) + (wrong ? 1 : 0), 0);
           std::vector<glt::detail::call_header> headers;
           glt::detail::exchange_headers(comm, {}, counts, 0, {}, headers);
         };
       }},
      {"run_together", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           glt::run_together(comm, [=] {
             if (wrong) {
               throw std::runtime_error("thrown inside");
             }
           });
         };
       }},
      {"reduce_over_ranks", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           std::vector<std::int64_t> values(wrong ? 2 : 3, 1);
           glt::reduce_over_ranks(comm, values, glt::reduction::sum);
         };
       }},
      {"gather_over_ranks", false,
       [](comm_type& comm) -> call_type {
         return [&comm](bool) { static_cast<void>(glt::gather_over_ranks(comm, std::vector<double>(3))); };
       }},
      {"mpi_node", false,
       [](comm_type& comm) -> call_type { return [&comm](bool) { glt::mpi_node const node(comm); }; }},
      {"node_memory_of", false,
       [](comm_type& comm) -> call_type { return [&comm](bool) { static_cast<void>(node_memory_of(comm)); }; }},
      {"mpi_node::share (bytes)", true,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=](bool wrong) { static_cast<void>(node->share(wrong ? -1 : 100, [](std::span<std::byte>) {})); };
       }},
      {"mpi_node::share (callback)", true,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=](bool wrong) {
           static_cast<void>(node->share(100, [=](std::span<std::byte>) {
             if (wrong) {
               throw std::runtime_error("thrown inside");
             }
           }));
         };
       }},
      {"share of a graph", false,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=, &comm](bool) { static_cast<void>(glt::dist::share(*node, make_part(comm))); };
       }},
      {"share of a rule", false,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         auto const shared = std::make_shared<decltype(glt::dist::share(*node, make_part(comm)))>(
             glt::dist::share(*node, make_part(comm)));
         return [=](bool) {
           std::vector<float> const weights(static_cast<std::size_t>(shared->own.graph.view().num_edges()), 1.0F);
           static_cast<void>(
               glt::dist::share_rule(*node, shared->neighborhood, glt::weighted_rule<cpu::space>{weights}));
         };
       }},
      {"data_set share_rule", false,
       [](comm_type& comm) -> call_type {
         auto const data = std::make_shared<glt::dist::data_set<>>(comm, glt::dist::data_part(make_part(comm)));
         return [=, &comm](bool) {
           std::vector<float> const weights(static_cast<std::size_t>(data->graph().local().num_edges()), 1.0F);
           static_cast<void>(data->share_rule(comm, glt::weighted_rule<cpu::space>{weights}));
         };
       }},
      {"data_set copy_hot_edges", true,
       [](comm_type& comm) -> call_type {
         auto const data = std::make_shared<glt::dist::data_set<>>(comm, glt::dist::data_part(make_part(comm)),
                                                                   glt::dist::reading::by_messages);
         return [=, &comm](bool wrong) {
           std::vector<double> const heats(static_cast<std::size_t>(data->graph().local().num_rows()), 0.5);
           data->copy_hot_edges(comm, {glt::host_view<double const>(heats)}, wrong ? -1 : 1 << 20);
         };
       }},
      {"share of features", false,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=](bool) { static_cast<void>(glt::dist::share(*node, make_rows(20).view())); };
       }},
      {"share of a table of edges", false,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=](bool) { static_cast<void>(glt::dist::share(*node, table_of_edges(*here))); };
       }},
      {"share of a table", false,
       [](comm_type& comm) -> call_type {
         auto const node = std::make_shared<glt::mpi_node>(comm);
         return [=](bool) { static_cast<void>(glt::dist::share(*node, glt_test::named_table({1, 2, 3}))); };
       }},
      {"graph", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           auto part = make_part(comm);
           part.part = wrong ? (part.part + 1) % comm.size() : part.part;
           glt::dist::graph const graph(comm, std::move(part));
         };
       }},
      {"hetero_graph", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           auto part = divided_types(comm.size()).part(comm.rank());
           part.part = wrong ? (part.part + 1) % comm.size() : part.part;
           glt::dist::hetero_graph const graph(comm, std::move(part));
         };
       }},
      {"feature_store", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto const rows = here->graph.local().num_rows() + (wrong ? 1 : 0);
           glt::dist::feature_store const store(comm, here->graph.book(), make_rows(rows));
         };
       }},
      {"named_features", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto const& book = here->graph.book();
           glt::dist::named_features const rows(comm, wrong ? book_of_one_part(book) : book,
                                                glt_test::named_table(here->own));
         };
       }},
      {"named_features of edges", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto const& book = here->graph.book();
           glt::dist::named_features const rows(comm, wrong ? book_of_one_part(book) : book, table_of_edges(*here));
         };
       }},
      {"make_source_values", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           id_list const short_list(here->own.begin() + (wrong ? 1 : 0), here->own.end());
           static_cast<void>(glt::dist::make_source_values(comm, here->graph.book(), here->graph.local(),
                                                           glt::host_view<std::int64_t const>(short_list)));
         };
       }},
      {"make_source_values of original ids", false,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool) { static_cast<void>(glt::dist::make_source_values(comm, here->graph)); };
       }},
  };
}

// Edges from every vertex to the next and a row of every vertex, a third on each rank; wrong: an id below 0.
glt::dist::local_data local_cycle(id_list const& sources, id_list const& destinations) {
  return {.edges = {.sources = sources, .destinations = destinations},
          .rows = {.vertices = sources, .tensors = {{"x", sources}}},
          .splits = {{"train", sources}}};
}

std::vector<site> sites_of_builders() {
  auto const with_cycle = [](comm_type& comm, auto call) -> call_type {
    return [&comm, call](bool wrong) {
      id_list sources;
      id_list destinations;
      for (global_id v = comm.rank(); v < 100; v += comm.size()) {
        sources.push_back(v);
        destinations.push_back(wrong && v > 90 ? -1 : (v + 1) % 100);
      }
      call(comm, local_cycle(sources, destinations));
    };
  };
  return {
      {"exchange", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 2);
           id_list const items(2 * counts.size() - (wrong ? 1 : 0));
           static_cast<void>(glt::dist::exchange<global_id>(comm, items, counts));
         };
       }},
      {"numbered_keys", false,
       [](comm_type& comm) -> call_type {
         return [&comm](bool) {
           std::vector<std::string> const names{"one", "two", std::to_string(comm.rank())};
           static_cast<void>(glt::dist::numbered_keys(comm, names));
         };
       }},
      {"make_data_part", true,
       [=](comm_type& comm) {
         return with_cycle(comm, [](comm_type& c, auto const& data) {
           static_cast<void>(glt::detail::make_data_part(c, data, glt::ldg_partitioner{}));
         });
       }},
      {"make_data_set", true,
       [=](comm_type& comm) {
         return with_cycle(
             comm, [](comm_type& c, auto const& data) { static_cast<void>(glt::dist::make_data_set(c, data)); });
       }},
  };
}

using directory_type = glt::dist::vertex_directory<comm_type, cpu, global_id>;

std::vector<site> sites_of_samplers() {
  return {
      {"vertex_directory", false,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool) { directory_type const directory(comm, here->graph); };
       }},
      {"vertex_directory::look_up", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         return [=](bool wrong) {
           id_list const originals{0, 5, 77};
           id_list found(wrong ? 2 : 3);
           static_cast<void>(
               directory->look_up(glt::host_view<global_id const>(originals), glt::host_view<global_id>(found)));
           static_cast<void>(here);
         };
       }},
      {"vertex_directory::originals_of", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         return [=](bool wrong) {
           id_list const vertices{0, 5, wrong ? -3 : 7};
           id_list found(3);
           static_cast<void>(
               directory->originals_of(glt::host_view<global_id const>(vertices), glt::host_view<global_id>(found)));
           static_cast<void>(here);
         };
       }},
      {"neighbor_sampler", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return
             [=, &comm](bool wrong) { glt::dist::neighbor_sampler const sampler(comm, here->graph, neighbors(wrong)); };
       }},
      {"neighbor_sampler::sample, sample_bulk", true,
       [](comm_type& comm) -> call_type {
         return sampling(comm,
                         [&comm](world& w) { return glt::dist::neighbor_sampler(comm, w.graph, neighbors(false)); });
       }},
      {"hetero_neighbor_sampler", true,
       [](comm_type& comm) -> call_type {
         auto const graph = std::make_shared<glt::dist::hetero_graph<cpu, global_id>>(
             comm, divided_types(comm.size()).part(comm.rank()));
         return [=, &comm](bool wrong) {
           glt::dist::hetero_neighbor_sampler const sampler(
               comm, *graph, {.fanouts = glt::same_fanouts(graph->schema(), {wrong ? -7 : 3})});
         };
       }},
      {"hetero_neighbor_sampler::sample, sample_bulk", true,
       [](comm_type& comm) -> call_type {
         auto const graph = std::make_shared<glt::dist::hetero_graph<cpu, global_id>>(
             comm, divided_types(comm.size()).part(comm.rank()));
         auto const sampler = std::make_shared<glt::dist::hetero_neighbor_sampler<comm_type, cpu, global_id>>(
             comm, *graph, glt::hetero_options{.fanouts = glt::same_fanouts(graph->schema(), {3, 2})});
         return [=](bool wrong) {
           id_list const seeds{0, wrong ? -3 : 7, 5};
           glt::hetero_subgraph<cpu, global_id> out;
           sampler->sample(0, glt::host_view<global_id const>(seeds), {.seed = 1}, out);
           static_cast<void>(graph);
         };
       }},
      {"induced_sampler", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           glt::dist::induced_sampler const sampler(comm, here->graph, {.num_hops = wrong ? -1 : 1});
         };
       }},
      {"induced_sampler::sample, sample_bulk", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const sampler =
             std::make_shared<glt::dist::induced_sampler<comm_type, cpu, global_id>>(comm, here->graph);
         return [=](bool wrong) {
           glt::sampled_subgraph<cpu, global_id> out;
           sampler->sample(glt::host_view<global_id const>(here->vertices(wrong)), {}, out);
         };
       }},
      {"make_full_neighborhoods", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           static_cast<void>(glt::dist::make_full_neighborhoods(
               comm, here->graph, glt::host_view<global_id const>(here->vertices(wrong)), {}));
         };
       }},
      {"random_walker", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           glt::dist::random_walker const walker(comm, here->graph, {.length = wrong ? 0 : 4});
         };
       }},
      {"random_walker::walk, walk_bulk", true,
       [](comm_type& comm) -> call_type {
         return walking(comm, [&comm](world& w) { return glt::dist::random_walker(comm, w.graph, {.length = 4}); });
       }},
      {"random_walker::walk with restart", true,
       [](comm_type& comm) -> call_type {
         return walking(comm, [&comm](world& w) {
           return glt::dist::random_walker(comm, w.graph, {.length = 4, .restart = 0.2});
         });
       }},
      {"node2vec_walker", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           glt::dist::node2vec_walker const walker(comm, here->graph, {.length = wrong ? 0 : 4});
         };
       }},
      {"node2vec_walker::walk, walk_bulk", true,
       [](comm_type& comm) -> call_type {
         return walking(comm,
                        [&comm](world& w) { return glt::dist::node2vec_walker(comm, w.graph, {.length = 4, .q = 2}); });
       }},
      {"metapath_walker", true,
       [](comm_type& comm) -> call_type {
         auto const graph = std::make_shared<glt::dist::hetero_graph<cpu, global_id>>(
             comm, divided_types(comm.size()).part(comm.rank()));
         return [=, &comm](bool wrong) {
           glt::dist::metapath_walker const walker(comm, *graph, {2}, {.length = wrong ? 0 : 3});
         };
       }},
      {"metapath_walker::walk, walk_bulk", true,
       [](comm_type& comm) -> call_type {
         auto const graph = std::make_shared<glt::dist::hetero_graph<cpu, global_id>>(
             comm, divided_types(comm.size()).part(comm.rank()));
         auto const walker = std::make_shared<glt::dist::metapath_walker<comm_type, cpu, global_id>>(
             comm, *graph, std::vector<int>{2}, glt::metapath_options{.length = 3});
         return [=](bool wrong) {
           id_list const starts{0, wrong ? -3 : 7, 5};
           glt::walks<cpu, global_id> out;
           walker->walk(glt::host_view<global_id const>(starts), {.seed = 1}, out);
           static_cast<void>(graph);
         };
       }},
      {"estimate_hotness", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           static_cast<void>(glt::dist::estimate_hotness(comm, here->graph, here->vertices(wrong),
                                                         {.neighbors = {.fanouts = {3, 2}}, .batch_size = 16}));
         };
       }},
      {"hottest_vertices", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           static_cast<void>(
               glt::dist::hottest_vertices(comm, here->graph.book(), some_hotness(*here), wrong ? -1 : 10));
         };
       }},
      {"link_sampler", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         return [=, &comm](bool wrong) {
           glt::dist::link_sampler const sampler(comm, here->graph, directory.get(),
                                                 glt::link_options{.neighbors = neighbors(wrong)});
           static_cast<void>(here);
         };
       }},
      {"link_sampler::sample, sample_bulk", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         auto const sampler = std::make_shared<glt::dist::link_sampler<comm_type, cpu, global_id>>(
             comm, here->graph, directory.get(),
             glt::link_options{.neighbors = neighbors(false), .exclude = glt::seed_exclusion::edges});
         return [=](bool wrong) {
           id_list const sources{0, 7, wrong ? -3 : 9};
           id_list const destinations{1, 2, 3};
           glt::link_sample<cpu, global_id> out;
           sampler->sample(glt::host_view<global_id const>(sources), glt::host_view<global_id const>(destinations), {},
                           {.seed = 1}, out);
           static_cast<void>(here);
           static_cast<void>(directory);
         };
       }},
      {"vertex_weights", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         return [=, &comm](bool wrong) {
           auto weights = some_hotness(*here);
           weights[0] = wrong ? -1 : 1;
           glt::dist::vertex_weights const made(comm, *directory, glt::host_view<double const>(weights), cpu());
           static_cast<void>(here);
         };
       }},
      {"vertex_weights::find", false,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const directory = std::make_shared<directory_type>(comm, here->graph);
         auto const weights = some_hotness(*here);
         auto const made = std::make_shared<glt::dist::vertex_weights<comm_type, cpu, global_id>>(
             comm, *directory, glt::host_view<double const>(weights), cpu());
         return [=](bool) {
           std::vector<std::int64_t> const numbers{0, made->total() - 1};
           id_list vertices(2);
           static_cast<void>(made->find(glt::host_view<std::int64_t const>(numbers),
                                        glt::host_view<global_id>(vertices),
                                        {.what = glt::detail::operation::look_up}));
           static_cast<void>(here);
           static_cast<void>(directory);
         };
       }},
  };
}

// Rows that are kept: fetch(world, vertices or edges, their destinations).
template <class Store, class Make, class Fetch>
std::function<call_type(comm_type&)> keeping(Make make, Fetch fetch) {
  return [=](comm_type& comm) -> call_type {
    auto const here = make_world(comm);
    auto const rows = std::make_shared<Store>(make(comm, *here));
    return [=, &comm](bool wrong) { fetch(comm, *here, *rows, wrong); };
  };
}

std::vector<site> sites_of_kept_rows() {
  auto const vertices_of = [](bool wrong) { return id_list{3, wrong ? -1 : 0}; };
  auto const of_edges = [](auto& comm, world& here, auto& rows, bool wrong) {
    std::vector<glt::edge_id> const edges{here.edge_ids()[0]};
    id_list const destinations(wrong ? 2 : 1, here.own[0]);
    static_cast<void>(glt::detail::fetch_hot_rows(comm, rows, glt::host_view<glt::edge_id const>(edges),
                                                  glt::host_view<global_id const>(destinations)));
  };
  return {
      {"fetch_hot_rows", true,
       [=](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto const vertices = vertices_of(wrong);
           static_cast<void>(
               glt::detail::fetch_hot_rows(comm, here->features, glt::host_view<global_id const>(vertices)));
         };
       }},
      {"fetch_hot_rows of tensors", true,
       keeping<glt::dist::named_features<cpu>>(
           [](comm_type& comm, world& here) {
             return glt::dist::named_features<cpu>(comm, here.graph.book(), glt_test::named_table(here.own));
           },
           [=](comm_type& comm, world&, glt::dist::named_features<cpu> const& rows, bool wrong) {
             auto const vertices = vertices_of(wrong);
             static_cast<void>(glt::detail::fetch_hot_rows(comm, rows, glt::host_view<global_id const>(vertices)));
           })},
      {"fetch_hot_rows of tensors of edges", true,
       keeping<glt::dist::named_features<cpu>>(
           [](comm_type& comm, world& here) {
             return glt::dist::named_features<cpu>(comm, here.graph.book(), table_of_edges(here));
           },
           of_edges)},
  };
}

std::vector<site> sites_of_collectors() {
  return {
      {"feature_collector::collect, collect_bulk", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const collector =
             std::make_shared<glt::dist::feature_collector<comm_type, cpu, float>>(comm, here->features);
         return [=](bool wrong) {
           id_list const vertices{3, wrong ? -1 : 0, 100};
           glt::dist::collected_rows<cpu, float> out;
           collector->collect(glt::host_view<global_id const>(vertices), 0, 0, out);
           static_cast<void>(here);
         };
       }},
      {"named_collector", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const rows = std::make_shared<glt::dist::named_features<cpu>>(comm, here->graph.book(),
                                                                            glt_test::named_table(here->own));
         return [=, &comm](bool wrong) {
           glt::dist::named_collector const collector(comm, *rows, {{.name = wrong ? "absent" : "title"}});
         };
       }},
      {"named_collector::collect", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const rows = std::make_shared<glt::dist::named_features<cpu>>(comm, here->graph.book(),
                                                                            glt_test::named_table(here->own));
         auto const collector = std::make_shared<glt::dist::named_collector<comm_type, cpu>>(comm, *rows);
         return [=](bool wrong) {
           id_list const vertices{3, wrong ? -1 : 0, 100};
           static_cast<void>(collector->collect(glt::host_view<global_id const>(vertices), 0));
           static_cast<void>(rows);
         };
       }},
      {"named_collector of edges", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const rows =
             std::make_shared<glt::dist::named_features<cpu>>(comm, here->graph.book(), table_of_edges(*here));
         return [=, &comm](bool wrong) {
           glt::dist::named_collector const collector(comm, *rows, {{.name = wrong ? "absent" : "title"}});
         };
       }},
      {"named_collector::collect of edges", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const rows =
             std::make_shared<glt::dist::named_features<cpu>>(comm, here->graph.book(), table_of_edges(*here));
         auto const collector = std::make_shared<glt::dist::named_collector<comm_type, cpu>>(comm, *rows);
         return [=](bool wrong) {
           std::vector<glt::edge_id> const edges{here->edge_ids()[0]};
           id_list const destinations(wrong ? 2 : 1, here->own[0]);
           static_cast<void>(collector->collect(glt::host_view<glt::edge_id const>(edges),
                                                glt::host_view<global_id const>(destinations), 0));
           static_cast<void>(rows);
         };
       }},
      {"make_hot_rows", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto hotness = some_hotness(*here);
           hotness.resize(hotness.size() - (wrong ? 1 : 0));
           static_cast<void>(glt::dist::make_hot_rows(comm, here->features, hotness, 4000));
         };
       }},
      {"loader", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           auto chosen = options;
           chosen.batch_size = wrong ? 0 : 32;
           glt::dist::loader const loader(
               comm, glt::dist::neighbor_batches(here->graph, here->features, neighbors(false)), here->own, chosen);
         };
       }},
      {"loader::epoch", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const loader =
             std::make_shared<glt::dist::loader<comm_type, glt::dist::neighbor_batches<cpu, global_id>>>(
                 comm, glt::dist::neighbor_batches(here->graph, here->features, neighbors(false)), here->own, options);
         return [=](bool wrong) {
           for (auto const& batch : loader->epoch(0, wrong ? -1 : 0)) {
             static_cast<void>(batch);
           }
           static_cast<void>(here);
         };
       }},
      {"loader::epoch in bulk", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto chosen = options;
         chosen.bulk = 2;
         auto const loader =
             std::make_shared<glt::dist::loader<comm_type, glt::dist::neighbor_batches<cpu, global_id>>>(
                 comm, glt::dist::neighbor_batches(here->graph, here->features, neighbors(false)), here->own, chosen);
         return [=](bool wrong) {
           for (auto const& batch : loader->epoch(0)) {
             if (wrong && batch.step == 1) {
               throw std::runtime_error("thrown inside");
             }
           }
           static_cast<void>(here);
         };
       }},
      {"a collective_error of the program", false,
       [](comm_type& comm) -> call_type {
         return [&comm](bool) {
           if (comm.rank() == 1) {
             throw glt::collective_error(1, "thrown by the program");
           }
         };
       }},
  };
}

} // namespace

int main(int argc, char** argv) {
  auto sites = sites_of_graphs();
  for (auto const& more : {sites_of_builders(), sites_of_samplers(), sites_of_collectors(), sites_of_kept_rows()}) {
    sites.insert(sites.end(), more.begin(), more.end());
  }
  return run_sites(argc, argv, sites);
}

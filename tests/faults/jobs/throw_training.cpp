// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives of full batches, embeddings and roles; see throw.hpp.
#include "throw.hpp"

#include "support/named_tables.hpp"

#include <glt/dist/full_batch/detail/aggregate_relations.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/batch_norm.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>
#include <glt/dist/full_batch/detail/reproducible_batch_norm.hpp>
#include <glt/mpi/node.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace glt_fault;
using glt::global_id;

namespace {

namespace dist = glt::dist;
using sharded_type = dist::sharded_graph<comm_type, cpu>;
using embedding_type = dist::sparse_embedding<comm_type, cpu>;
using roles_type = dist::role_context<comm_type>;

/// Rows of small numbers.
struct rows {
  rows(std::int64_t count, std::int64_t columns)
      : values(static_cast<std::size_t>(count * columns), 0.5F), num_rows(count), num_columns(columns) {}
  [[nodiscard]] glt::host_matrix<float> view() { return {values.data(), num_rows, num_columns}; }
  [[nodiscard]] glt::host_matrix<float const> view() const { return {values.data(), num_rows, num_columns}; }

  std::vector<float> values;
  std::int64_t num_rows;
  std::int64_t num_columns;
};

/// A pass over the whole graph: call(graph, wrong).
template <class Call>
std::function<call_type(comm_type&)> pass(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const here = make_world(comm);
    auto const graph = std::make_shared<sharded_type>(comm, here->graph);
    return [=](bool wrong) { call(*graph, wrong); };
  };
}

/// Messages of one number, which cannot be made if `wrong`.
struct first_column {
  bool wrong;
  void message(float const* source, float const*, std::int64_t, float* sum) const {
    if (wrong) {
      throw std::runtime_error("thrown inside");
    }
    *sum += *source;
  }
  void source_vjp(float const*, float const*, std::int64_t, float const* gradient, float* out) const {
    message(gradient, nullptr, 0, out);
  }
};

/// Attention of two heads over a graph, with its result, and with gradients. What is wrong is the shape of a matrix, or
/// where sums are reproducible a value that is no number.
void attend(sharded_type& graph, bool wrong, bool backward, bool reproducible = false) {
  bool const misshapen = wrong && !reproducible;
  rows values(graph.num_sources(), 4);
  rows const scores(graph.num_sources() + (misshapen && !backward ? 1 : 0), 2);
  rows sums(graph.num_sources(), 2);
  rows output(graph.num_sources(), 4);
  glt::detail::attention_options<glt::memory_space::host> const two_heads{.heads = 2, .reproducible = reproducible};
  glt::detail::attention_rows<glt::memory_space::host, float const> const attended{std::as_const(values).view(),
                                                                                   scores.view(), scores.view()};
  auto const spoil = [&](rows& of) { of.values.front() = std::numeric_limits<float>::quiet_NaN(); };
  if (wrong && reproducible && !backward) {
    spoil(values);
  }
  glt::detail::attend(graph, attended, output.view(), sums.view(), two_heads);
  if (backward) {
    rows gradient(graph.num_sources() + (misshapen ? 1 : 0), 4);
    if (wrong && reproducible) {
      spoil(gradient);
    }
    rows by_values(graph.num_sources(), 4);
    rows keys(graph.num_sources(), 2);
    rows queries(graph.num_sources(), 2);
    glt::detail::attend_backward(
        graph, attended, {std::as_const(output).view(), std::as_const(sums).view()}, {std::as_const(gradient).view()},
        glt::detail::attention_rows<glt::memory_space::host, float>{by_values.view(), keys.view(), queries.view()},
        two_heads);
  }
}

/// A pass over all relations of a typed graph: call(graph, rows of the sides).
template <class Call>
std::function<call_type(comm_type&)> typed_pass(bool forward, Call call) {
  return [=](comm_type& comm) -> call_type {
    dist::hetero_graph<cpu, global_id> const typed(comm, divided_types(comm.size()).part(comm.rank()));
    auto const graph = std::make_shared<dist::hetero_sharded_graph<comm_type, cpu>>(comm, typed);
    return [=](bool wrong) {
      std::vector<rows> sides;
      for (int e = 0; e < graph->schema().num_edge_types(); ++e) {
        auto& relation = graph->relation(e);
        auto const more = wrong ? 1 : 0;
        sides.emplace_back((forward ? relation.num_sources() : relation.num_destinations()) + more, 4);
        sides.emplace_back(forward ? relation.num_destinations() : relation.num_sources(), 4);
      }
      std::vector<glt::detail::relation_rows<glt::memory_space::host, float>> passed;
      for (std::size_t i = 0; i < sides.size(); i += 2) {
        passed.push_back({std::as_const(sides[i]).view(), sides[i + 1].view()});
      }
      call(*graph, std::span<glt::detail::relation_rows<glt::memory_space::host, float> const>(passed));
    };
  };
}

template <class Call>
std::function<call_type(comm_type&)> with_embedding(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const here = make_world(comm);
    auto const table = std::make_shared<embedding_type>(comm, here->graph.book(), here->graph.original(),
                                                        dist::embedding_options{.columns = 4});
    return [=](bool wrong) { call(*here, *table, wrong); };
  };
}

std::vector<site> sites_of_full_batch() {
  return {
      {"sharded_graph", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) { sharded_type const made(comm, here->graph, {.depth = wrong ? -1 : 1}); };
       }},
      {"aggregate", true, pass([](sharded_type& graph, bool wrong) {
         rows x(graph.num_sources() + (wrong ? 1 : 0), 4);
         rows y(graph.num_sources(), 4);
         dist::aggregate(graph, x.view(), y.view());
       })},
      {"aggregate_backward", true, pass([](sharded_type& graph, bool wrong) {
         rows x(graph.num_sources(), 4);
         rows y(graph.num_sources() + (wrong ? 1 : 0), 4);
         glt::detail::aggregate_backward(graph, y.view(), x.view());
       })},
      {"aggregate, reproducibly", true, pass([](sharded_type& graph, bool wrong) {
         rows x(graph.num_sources(), 4);
         rows y(graph.num_sources(), 4);
         x.values.front() = wrong ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
         dist::aggregate(graph, x.view(), y.view(), {.reproducible = true});
       })},
      {"aggregate_weights_backward", true, pass([](sharded_type& graph, bool wrong) {
         rows const x(graph.num_sources(), 4);
         rows const gradient(graph.num_destinations() + (wrong ? 1 : 0), 4);
         std::vector<float> weights(static_cast<std::size_t>(graph.num_edges()));
         glt::detail::aggregate_weights_backward(graph, x.view(), gradient.view(), glt::host_view<float>(weights));
       })},
      {"attend", true, pass([](sharded_type& graph, bool wrong) { attend(graph, wrong, false); })},
      {"attend_backward", true, pass([](sharded_type& graph, bool wrong) { attend(graph, wrong, true); })},
      {"attend, reproducibly", true, pass([](sharded_type& graph, bool wrong) { attend(graph, wrong, false, true); })},
      {"attend_backward, reproducibly", true,
       pass([](sharded_type& graph, bool wrong) { attend(graph, wrong, true, true); })},
      {"pushed_edges", true, pass([](sharded_type& graph, bool wrong) {
         std::vector<glt::edge_id> const ids(static_cast<std::size_t>(graph.num_edges() + (wrong ? 1 : 0)), 7);
         dist::pushed_edges<cpu> const made(graph, glt::host_view<glt::edge_id const>(ids));
       })},
      {"aggregate_messages", true, pass([](sharded_type& graph, bool wrong) {
         rows const x(graph.num_sources(), 4);
         rows sums(graph.num_destinations(), 1);
         dist::aggregate_messages(graph, first_column{wrong}, x.view(), {}, sums.view());
       })},
      {"aggregate_messages_backward", true, pass([](sharded_type& graph, bool wrong) {
         rows const x(graph.num_sources(), 4);
         rows const gradient(graph.num_destinations(), 1);
         rows by_sources(graph.num_sources(), 4);
         glt::detail::aggregate_messages_backward(graph, first_column{wrong}, x.view(), {}, gradient.view(),
                                                  by_sources.view());
       })},
      {"hetero_sharded_graph", true,
       [](comm_type& comm) -> call_type {
         auto const typed =
             std::make_shared<dist::hetero_graph<cpu, global_id>>(comm, divided_types(comm.size()).part(comm.rank()));
         return [=, &comm](bool wrong) {
           dist::hetero_sharded_graph<comm_type, cpu> const made(comm, *typed, {.depth = wrong ? -1 : 2});
         };
       }},
      {"aggregate_relations", true,
       typed_pass(true, [](auto& graph, auto sides) { glt::detail::aggregate_relations(graph, sides); })},
      {"aggregate_relations_backward", true,
       typed_pass(false, [](auto& graph, auto sides) { glt::detail::aggregate_relations_backward(graph, sides); })},
      {"make_out_degrees", false,
       pass([](sharded_type& graph, bool) { static_cast<void>(glt::detail::make_out_degrees(graph)); })},
      {"gather_batch_statistics", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           rows x(5, wrong ? 3 : 4);
           static_cast<void>(glt::detail::gather_batch_statistics(comm, x.view()));
         };
       }},
      {"gather_batch_gradients", true,
       [](comm_type& comm) -> call_type {
         rows const x(5, 4);
         auto const statistics = glt::detail::gather_batch_statistics(comm, x.view());
         return [=, &comm](bool wrong) {
           rows const gradient(wrong ? 4 : 5, 4);
           static_cast<void>(glt::detail::gather_batch_gradients(comm, gradient.view(), x.view(), statistics, 1e-5));
         };
       }},
      {"gather_reproducible_statistics", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           rows x(5, wrong ? 3 : 4);
           static_cast<void>(glt::detail::gather_reproducible_statistics(comm, x.view()));
         };
       }},
      {"gather_reproducible_gradients", true,
       [](comm_type& comm) -> call_type {
         rows const x(5, 4);
         auto const statistics = glt::detail::gather_reproducible_statistics(comm, x.view());
         return [=, &comm](bool wrong) {
           rows const gradient(wrong ? 4 : 5, 4);
           static_cast<void>(
               glt::detail::gather_reproducible_gradients(comm, gradient.view(), x.view(), statistics, 1e-5));
         };
       }},
      {"make_mfgs", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           std::vector<glt::local_id> const seeds{0, wrong ? -1 : 1};
           static_cast<void>(dist::make_mfgs(comm, here->graph, glt::host_view<glt::local_id const>(seeds), 2));
         };
       }},
      {"make_mfgs of a typed graph", true,
       [](comm_type& comm) -> call_type {
         auto const typed =
             std::make_shared<dist::hetero_graph<cpu, global_id>>(comm, divided_types(comm.size()).part(comm.rank()));
         return [=, &comm](bool wrong) {
           std::vector<std::vector<glt::local_id>> seeds(static_cast<std::size_t>(typed->schema().num_node_types()));
           seeds.front().push_back(wrong ? -1 : 0);
           static_cast<void>(dist::make_mfgs(comm, *typed, seeds, 2));
         };
       }},
  };
}

std::vector<site> sites_of_embeddings() {
  return {
      {"sparse_embedding", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           embedding_type const made(comm, here->graph.book(), here->graph.original(), {.columns = wrong ? -1 : 4});
         };
       }},
      {"sparse_embedding::collect", true, with_embedding([](world& here, embedding_type& table, bool wrong) {
         dist::collected_rows<cpu, float> out;
         table.collect(glt::host_view<global_id const>(here.vertices(wrong)), out);
       })},
      {"sparse_embedding::update", true, with_embedding([](world&, embedding_type& table, bool wrong) {
         id_list const vertices{0, 7, 100};
         rows gradients(wrong ? 2 : 3, 4);
         table.update(glt::host_view<global_id const>(vertices), std::as_const(gradients).view(), 3);
       })},
      {"sparse_embedding::restore", true, with_embedding([](world&, embedding_type& table, bool wrong) {
         table.restore([=](auto&) {
           if (wrong) {
             throw std::runtime_error("thrown inside");
           }
         });
       })},
      {"sparse_embedding::set_learning_rate", true,
       with_embedding([](world&, embedding_type& table, bool wrong) { table.set_learning_rate(wrong ? -1 : 0.5); })},
      {"make_hot_rows of tensors", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const table =
             std::make_shared<dist::named_features<cpu>>(comm, here->graph.book(), glt_test::named_table(here->own));
         return [=, &comm](bool wrong) {
           std::vector<double> const hotness(here->own.size() - (wrong ? 1 : 0), 1.0);
           static_cast<void>(dist::make_hot_rows(comm, *table, hotness, 4000));
         };
       }},
  };
}

using recipe_type = dist::neighbor_batches<cpu, global_id>;

using shared_node = std::optional<glt::mpi_node>;

void serve(roles_type& roles, shared_node const& node, bool wrong) {
  auto& comm = roles.group();
  dist::graph const graph(comm, make_part(comm));
  dist::feature_store const features(comm, graph.book(), make_rows(graph.local().num_rows()));
  std::optional<dist::server<comm_type>> server;
  node ? server.emplace(roles, *node, std::int64_t{1} << 20) : server.emplace(roles);
  for (int i = 0; i < (wrong ? 2 : 1); ++i) {
    server->offer("neighbours", recipe_type(graph, features, {}));
  }
  server->run();
}

void train(roles_type& roles, shared_node const& node, bool wrong) {
  id_list const seeds{0, 1, 2};
  std::optional<dist::client<comm_type>> client;
  node ? client.emplace(roles, *node) : client.emplace(roles);
  glt::run_collectively(roles.group(), [&] {
    dist::remote_loader<comm_type, recipe_type> loader(*client, "neighbours", seeds, neighbors,
                                                       {.batch_size = wrong ? 0 : 2});
    for (auto const& batch : loader.epoch(0)) {
      static_cast<void>(batch);
    }
  });
}

void show(roles_type& roles, bool wrong) {
  auto& comm = roles.group();
  auto part = make_part(comm);
  auto const rows = part.graph.view().num_rows();
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", make_rows(rows));
  dist::data_set const data(
      comm, dist::data_part(std::move(part), {.tensors = std::move(tensors), .splits = {{"train", {0, 1}}}}));
  dist::server server(roles);
  dist::serve_data(server, "papers", data, wrong ? 1 : 0);
  server.run();
}

void read(roles_type& roles, bool wrong) {
  dist::client client(roles);
  glt::run_collectively(roles.group(), [&] {
    dist::remote_data<comm_type> data(client, "papers");
    id_list const ids{0, wrong ? -1 : 1};
    static_cast<void>(data.gather(glt::host_view<global_id const>(ids)));
    static_cast<void>(data.split("train"));
  });
}

// Rank 0 serves the others: serve(roles, node, wrong) and train(roles, node, wrong), with memory that they share or none.
template <class Serve, class Train>
std::function<call_type(comm_type&)> in_two_groups(bool shares, Serve serve, Train train) {
  return [=](comm_type& comm) -> call_type {
    bool const serves = comm.rank() == 0;
    auto const node = std::make_shared<shared_node>();
    if (shares) {
      node->emplace(comm);
    }
    auto const roles = std::make_shared<roles_type>(comm, serves ? dist::role::server : dist::role::client,
                                                    serves ? "servers" : "clients");
    return [=](bool wrong) { serves ? serve(*roles, *node, wrong) : train(*roles, *node, wrong); };
  };
}

std::vector<site> sites_of_roles() {
  auto const in_group = [](auto call) {
    return [call](comm_type& comm) -> call_type {
      auto const roles = std::make_shared<roles_type>(comm, dist::role::trainer, "training");
      return [=](bool wrong) {
        glt::run_collectively(roles->group(), [&] {
          if (wrong) {
            throw std::runtime_error("thrown inside");
          }
          call(*roles);
        });
      };
    };
  };
  return {
      {"role_context", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) { roles_type const made(comm, dist::role::trainer, wrong ? "" : "training"); };
       }},
      {"gather_over_ranks of a group", true,
       in_group([](roles_type& roles) { static_cast<void>(glt::gather_over_ranks(roles.group(), 7)); }), true},
      {"server::run, client and remote_loader", true, in_two_groups(false, serve, train)},
      {"server and client in shared memory", true, in_two_groups(true, serve, train)},
      {"serve_data and remote_data", true,
       in_two_groups(
           false, [](roles_type& roles, shared_node const&, bool wrong) { show(roles, wrong); },
           [](roles_type& roles, shared_node const&, bool wrong) { read(roles, wrong); })},
  };
}

} // namespace

int main(int argc, char** argv) {
  auto sites = sites_of_full_batch();
  for (auto const& more : {sites_of_embeddings(), sites_of_roles()}) {
    sites.insert(sites.end(), more.begin(), more.end());
  }
  return run_sites(argc, argv, sites);
}

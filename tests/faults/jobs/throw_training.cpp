// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives of full batches, embeddings and roles; see throw.hpp.
#include "throw.hpp"

#include "support/named_tables.hpp"

#include <cstddef>
#include <memory>
#include <string>
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
         return [=, &comm](bool wrong) {
           sharded_type const made(comm, here->graph, {.depth = wrong ? -1 : 1});
         };
       }},
      {"aggregate", true, pass([](sharded_type& graph, bool wrong) {
         rows x(graph.num_sources() + (wrong ? 1 : 0), 4);
         rows y(graph.num_sources(), 4);
         dist::aggregate(graph, x.view(), y.view());
       })},
      {"aggregate_backward", true, pass([](sharded_type& graph, bool wrong) {
         rows x(graph.num_sources(), 4);
         rows y(graph.num_sources() + (wrong ? 1 : 0), 4);
         dist::aggregate_backward(graph, y.view(), x.view());
       })},
      {"attend", true, pass([](sharded_type& graph, bool wrong) {
         rows values(graph.num_sources(), 4);
         rows scores(graph.num_sources() + (wrong ? 1 : 0), 2);
         rows sums(graph.num_sources(), 2);
         rows output(graph.num_sources(), 4);
         dist::attend(graph, {values.view(), scores.view(), scores.view()}, output.view(), sums.view(),
                      dist::attention_options<glt::memory_space::host>{.heads = 2});
       })},
      {"make_out_degrees", false,
       pass([](sharded_type& graph, bool) { static_cast<void>(dist::make_out_degrees(graph)); })},
      {"gather_batch_statistics", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           rows x(5, wrong ? 3 : 4);
           static_cast<void>(dist::gather_batch_statistics(comm, x.view()));
         };
       }},
      {"make_mfgs", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         return [=, &comm](bool wrong) {
           std::vector<glt::local_id> const seeds{0, wrong ? -1 : 1};
           static_cast<void>(
               dist::make_mfgs(comm, here->graph, glt::host_view<glt::local_id const>(seeds), 2));
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
           embedding_type const made(comm, here->graph.book(), here->graph.original(),
                                     {.columns = wrong ? -1 : 4});
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
      {"sparse_embedding::set_learning_rate", true,
       with_embedding(
           [](world&, embedding_type& table, bool wrong) { table.set_learning_rate(wrong ? -1 : 0.5); })},
      {"make_hot_rows of tensors", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const table = std::make_shared<dist::named_features<cpu>>(comm, here->graph.book(),
                                                                        glt_test::named_table(here->own));
         return [=, &comm](bool wrong) {
           std::vector<double> const hotness(here->own.size() - (wrong ? 1 : 0), 1.0);
           static_cast<void>(dist::make_hot_rows(comm, *table, hotness, 4000));
         };
       }},
  };
}

std::vector<site> sites_of_roles() {
  auto const in_roles = [](auto call) {
    return [call](comm_type& comm) -> call_type {
      auto const roles = std::make_shared<roles_type>(comm, dist::role::trainer, "training");
      return [=](bool) { call(*roles); };
    };
  };
  return {
      {"role_context", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           roles_type const made(comm, dist::role::trainer, wrong ? "" : "training");
         };
       }},
      {"role_context::world_barrier", false, in_roles([](roles_type& roles) { roles.world_barrier(); })},
      {"role_context::gather_world", false,
       in_roles([](roles_type& roles) { static_cast<void>(roles.gather_world(std::string_view("text"))); })},
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after what recipes of batches do together; see throw.hpp.
#include "throw.hpp"

#include <glt/dist/to_device.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace glt_fault;
using glt::global_id;

namespace {

namespace dist = glt::dist;

/// Two graphs, of one type and of several.
struct graphs {
  explicit graphs(comm_type& comm) : plain(comm), typed(comm, divided_types(comm.size()).part(comm.rank())) {}

  world plain;
  dist::hetero_graph<cpu, global_id> typed;
};

dist::loader_options in_bulk() {
  auto chosen = options;
  chosen.bulk = 2;
  return chosen;
}

// The maker of the recipe `make(graphs, wrong)`.
template <class Make, class Seeds>
std::function<call_type(comm_type&)> making(Make make, Seeds seeds_of) {
  return [=](comm_type& comm) -> call_type {
    auto const here = std::make_shared<graphs>(comm);
    return [=, &comm](bool wrong) { dist::loader const loader(comm, make(*here, wrong), seeds_of(*here), in_bulk()); };
  };
}

// Its batches, two at a time.
template <class Make, class Seeds>
std::function<call_type(comm_type&)> loading(Make make, Seeds seeds_of) {
  return [=](comm_type& comm) -> call_type {
    auto const here = std::make_shared<graphs>(comm);
    return [=, &comm](bool wrong) {
      dist::loader loader(comm, make(*here, false), seeds_of(*here), in_bulk());
      for (auto const& batch : loader.epoch(0)) {
        if (wrong && batch.step == 0) {
          throw std::runtime_error("thrown inside");
        }
      }
    };
  };
}

// The recipes of sites_of_recipes.
auto vertices_of(graphs const& here) {
  return dist::vertex_seeds<>(here.plain.own);
}
auto edges_of(graphs const& here) {
  return dist::edge_seeds<>{.sources = here.plain.own, .destinations = here.plain.own, .labels = {}};
}
auto typed_of(graphs const&) {
  return dist::typed_seeds<>(0, dist::vertex_seeds<>(id_list{0, 5, 7}));
}
auto induced(graphs const& here, bool wrong) {
  return dist::induced_batches(here.plain.graph, here.plain.features, {.num_hops = wrong ? -1 : 1});
}
auto links(graphs const& here, bool wrong) {
  return dist::link_batches(here.plain.graph, here.plain.features,
                            {.neighbors = {.fanouts = {wrong ? -7 : 3}}, .negatives = {.self_pairs = true}});
}
auto typed(graphs const& here, bool wrong) {
  return dist::typed_batches(here.typed, {.fanouts = glt::same_fanouts(here.typed.schema(), {wrong ? -7 : 3})});
}
auto walked(graphs const& here, bool wrong) {
  return dist::walk_batches(here.plain.graph, glt::walk_options{.length = wrong ? 0 : 4});
}
auto neighbours(graphs const& here, bool wrong) {
  return dist::neighbor_batches(here.plain.graph, here.plain.features, {.fanouts = {wrong ? -7 : 3}});
}

std::vector<site> make_sites() {
  return {
      {"batch_recipe: maker of neighbor_batches", true, making(neighbours, vertices_of)},
      {"batch_recipe: make_bulk of neighbor_batches", true, loading(neighbours, vertices_of)},
      {"batch_recipe: maker of induced_batches", true, making(induced, vertices_of)},
      {"batch_recipe: make_bulk of induced_batches", true, loading(induced, vertices_of)},
      {"batch_recipe: maker of link_batches", true, making(links, edges_of)},
      {"batch_recipe: make_bulk of link_batches", true, loading(links, edges_of)},
      {"batch_recipe: maker of typed_batches", true, making(typed, typed_of)},
      {"batch_recipe: make_bulk of typed_batches", true, loading(typed, typed_of)},
      {"batch_recipe: maker of walk_batches", true, making(walked, vertices_of)},
      {"batch_recipe: make_bulk of walk_batches", true, loading(walked, vertices_of)},
      {"device_batches", true,
       [](comm_type& comm) -> call_type {
         auto const here = std::make_shared<graphs>(comm);
         return [=, &comm](bool wrong) {
           dist::loader loader(comm, neighbours(*here, false), here->plain.own, in_bulk());
           glt::dist::device_batches delivered(loader, cpu());
           for (auto const& batch : delivered.epoch(0)) {
             if (wrong && batch.step == 0) {
               throw std::runtime_error("thrown inside");
             }
           }
         };
       }},
  };
}

} // namespace

int main(int argc, char** argv) {
  return run_sites(argc, argv, make_sites());
}

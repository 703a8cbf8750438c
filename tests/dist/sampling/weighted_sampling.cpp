// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/weighted.hpp"

#include <cstdint>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;
using glt_test::plain;

namespace {

using host_rule = glt::weighted_rule<glt::memory_space::host>;

std::vector<glt::neighbor_options> options_to_try() {
  return {{.fanouts = {3, 2}, .edge_ids = true},
          {.fanouts = {4, -1}, .expand = glt::frontier::all},
          {.fanouts = {3, 2}, .replace = true, .edge_ids = true},
          {.fanouts = {40, 1}, .edge_ids = true}};
}

// Weights by edge id with their tables, in the row order of a graph.
template <class Vertex>
struct weighted_rows {
  glt::buffer<cpu, float> weights;
  glt::weight_tables<cpu> tables;

  weighted_rows(glt::csr_view<glt::memory_space::host, Vertex> graph, std::vector<float> const& by_edge_id)
      : weights(glt::make_edge_values(graph, by_edge_id)), tables(graph, weights.view()) {}

  [[nodiscard]] host_rule rule(bool with_tables) const {
    return {weights.view(), with_tables ? tables.view() : glt::detail::weight_tables_view<glt::memory_space::host>{}};
  }
};

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list,
                           glt_test::named_partitioner const& partitioner) {
  glt_test::compared_graph<Vertex> const compared(comm, list, partitioner);
  auto const whole_graph = compared.divided().whole.view();
  auto const weights = glt_test::random_weights(list.num_edges(), 6);
  weighted_rows<glt::local_id> const whole(whole_graph, weights);
  weighted_rows<Vertex> const local(compared.graph().local(), weights);
  for (bool const with_tables : {false, true}) {
    for (auto const& options : options_to_try()) {
      glt::neighbor_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>> serial(
          whole_graph, options, whole.rule(with_tables));
      glt::dist::neighbor_sampler sampler(comm, compared.graph(), options, local.rule(with_tables));
      glt::sampled_subgraph<cpu> expected;
      glt::sampled_subgraph<cpu, Vertex> out;
      compared.check(
          comm,
          [&](auto const& ids, auto const&, auto key) {
            sampler.sample(ids, key, out);
            return plain(out, compared.original());
          },
          [&](auto const& seeds, auto key) {
            serial.sample(std::vector<glt::local_id>(seeds.begin(), seeds.end()), key, expected);
            return plain(expected);
          },
          2);
    }
  }
}

} // namespace

TEST_CASE("distributed weighted sampling equals serial sampling, bit for bit") {
  on_ranks([](auto comm) {
    auto const partitioners = glt_test::all_partitioners();
    for (auto const& list : glt_test::graphs_to_divide()) {
      check_equal_to_serial<glt::global_id>(comm, list, partitioners[1]);
    }
    for (auto const& partitioner : partitioners) {
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE("a rank whose weights are not those of its part is named on every rank") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    auto const last = comm.size() - 1;
    auto const count = graph.local().num_edges() + (comm.rank() == last ? 1 : 0);
    auto const weights = glt_test::random_weights(count);
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::neighbor_sampler(comm, graph, {.fanouts = {3}}, host_rule{weights}); });
    CHECK(glt_test::names(text, "rank " + std::to_string(last), " weights for ", "make_edge_values"));
  });
}

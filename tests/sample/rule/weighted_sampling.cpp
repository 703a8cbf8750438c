// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using glt::device::cpu;
using host_graph = glt::csr_view<glt::memory_space::host>;
using host_rule = glt::weighted_rule<glt::memory_space::host>;
using positions = std::vector<std::int64_t>;

positions draw(host_rule const& rule, host_graph graph, std::int64_t row, glt::hop_options options,
               glt::random_key key) {
  auto const subject = static_cast<std::uint64_t>(row);
  positions out(static_cast<std::size_t>(rule.count(graph, row, {}, options, key, subject)));
  rule.pick(graph, row, {}, options, key, subject, static_cast<std::int64_t>(out.size()), out.data());
  return out;
}

} // namespace

TEST_CASE("a sampler with the rule draws what the rule says for every vertex of every frontier") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const view = graph.view();
    auto const weights = glt::make_edge_values(view, glt_test::random_weights(list.num_edges(), 12));
    glt::weight_tables<cpu> const tables(view, weights.view());
    std::vector<glt::local_id> seeds;
    for (std::int64_t v = 0; v < list.num_vertices; v += 1 + list.num_vertices / 20) {
      seeds.push_back(static_cast<glt::local_id>(v));
    }
    for (bool const with_tables : {false, true}) {
      host_rule const rule{weights.view(), with_tables ? tables.view() : decltype(tables.view()){}};
      for (auto const& options :
           std::vector<glt::neighbor_options>{{.fanouts = {4, 2}, .edge_ids = true},
                                              {.fanouts = {3, -1}, .expand = glt::frontier::all, .edge_ids = true},
                                              {.fanouts = {3, 2}, .replace = true, .edge_ids = true}}) {
        glt::neighbor_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>> sampler(view, options,
                                                                                                       rule, cpu(2));
        glt::sampled_subgraph<cpu> out;
        glt::sample_key const key{.seed = 4, .step = 2};
        sampler.sample(seeds, key, out);
        positions expected;
        std::int64_t first = 0;
        std::int64_t known = out.num_sampled_nodes()[0];
        for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
          for (std::int64_t i = first; i < known; ++i) {
            auto const vertex = out.nodes()[i];
            for (auto const position : draw(rule, view, vertex, {options.fanouts[hop], options.replace},
                                            glt::detail::hop_key(key, static_cast<std::int64_t>(hop)))) {
              expected.push_back(view.id_of_edge(view.offset(vertex) + position));
            }
          }
          first = options.expand == glt::frontier::fresh ? known : 0;
          known += out.num_sampled_nodes()[hop + 1];
        }
        CHECK(glt_test::to_vector(out.edge_ids()) == expected);
      }
    }
  }
}

TEST_CASE("a sampler refuses weights of another graph") {
  auto const list = glt_test::random_graph(11, 50);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const weights = glt_test::random_weights(49);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::neighbor_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>>(
                              graph.view(), {.fanouts = {3}}, host_rule{weights});
                        }),
                        "49 weights for 50 edges"));
}

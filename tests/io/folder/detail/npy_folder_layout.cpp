// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/folder/npy_folder_writer.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using io::detail::npy_folder_tables;

TEST_CASE("meta.json is needed where names of files say something else") {
  using io::detail::needs_tables;
  npy_folder_tables plain{.nodes = {{.name = "node"}},
                          .edges = {{.source = "node", .name = "edge", .destination = "node"}}};
  CHECK(!needs_tables(plain));
  plain.nodes[0].features = {"node_feat"};
  plain.edges[0].features = {"edge_feat"};
  CHECK(!needs_tables(plain));
  plain.edges[0].features = {"node_feat"};
  CHECK(needs_tables(plain));
  plain.edges[0].features = {"edge_feat", "b"};
  CHECK(needs_tables(plain));

  npy_folder_tables typed{
      .nodes = {{.name = "a"}, {.name = "b"}},
      .edges = {{.source = "a", .name = "r", .destination = "b"}, {.source = "a", .name = "s", .destination = "a"}}};
  CHECK(!needs_tables(typed));
  auto changed = typed;
  std::swap(changed.nodes[0], changed.nodes[1]);
  CHECK(needs_tables(changed));
  changed = typed;
  std::swap(changed.edges[0], changed.edges[1]);
  CHECK(needs_tables(changed));
  changed = typed;
  changed.nodes.push_back({.name = "c"});
  CHECK(needs_tables(changed));
  for (char const* const name : {"r__r", "_r", "r_"}) {
    changed = typed;
    changed.edges.erase(changed.edges.begin() + 1);
    CHECK(!needs_tables(changed));
    changed.edges[0].name = name;
    CHECK(needs_tables(changed)); // a__r___b and a___r__b may be meant otherwise
  }
  changed.edges[0].name = "_r";
  changed.nodes[1].name = changed.edges[0].destination = "_b";
  std::ranges::sort(changed.nodes, {}, &io::detail::npy_node_table::name);
  CHECK(needs_tables(changed)); // a___r___b may be meant as OGB writes it
}

TEST_CASE("data sets of another layout have another fingerprint") {
  io::raw_data data{.name = "a", .nodes = {}, .edges = {}};
  data.nodes.emplace_back().num_nodes = 4;
  data.edges.emplace_back();
  auto const print = io::detail::layout_fingerprint(data.view());
  data.name = "b";
  CHECK(io::detail::layout_fingerprint(data.view()) == print);
  data.nodes[0].num_nodes = 5;
  CHECK(io::detail::layout_fingerprint(data.view()) != print);
  data.nodes[0].num_nodes = 4;
  data.edges[0].name = "other";
  CHECK(io::detail::layout_fingerprint(data.view()) != print);
}

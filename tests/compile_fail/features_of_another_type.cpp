// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_features_have_another_element_type_than_the_recipe
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(graph_type const& graph, glt::dist::feature_store<cpu, float> const& floats,
         glt::dist::feature_store<cpu, double> const& doubles) {
  using recipe_type = glt::dist::neighbor_batches<cpu, glt::global_id, float>;
  recipe_type good(graph, floats, {.fanouts = {5}});
  static_cast<void>(doubles);
#ifdef GLT_FAIL
  recipe_type bad(graph, doubles, {.fanouts = {5}});
#endif
}

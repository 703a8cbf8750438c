// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_layer_works_on_a_message_graph
// needs: torch
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/layers.hpp>

using glt::device::cpu;

at::Tensor use(glt::sage_conv& layer, at::Tensor const& x, glt::sampled_subgraph<cpu> const& batch) {
#ifdef GLT_FAIL
  return layer(x, batch);
#else
  return layer(x, batch.block(0));
#endif
}

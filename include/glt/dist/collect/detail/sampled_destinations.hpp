// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>
#include <utility>

namespace glt::detail {

template <class Nodes, class Col, memory_space Space>
struct gather_destinations {
  Nodes nodes;
  Col col;
  array_view<Space, global_id> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = static_cast<global_id>(nodes[col[i]]); }
};

/// The vertices at which the edges of a sample end: their owners know the edges. Reusable.
template <device_policy Policy>
class sampled_destinations {
public:
  explicit sampled_destinations(Policy policy) : policy_(std::move(policy)), destinations_(0, policy_) {}

  /// @shape  one for each edge of the sample, in its order; valid until the next call
  template <vertex_id Vertex>
  [[nodiscard]] array_view<Policy::space, global_id const>
  of(sampled_subgraph<Policy, Vertex> const& sample) {
    auto const nodes = sample.nodes();
    auto const col = sample.col();
    destinations_.clear();
    destinations_.resize(col.size());
    policy_.executor().for_each(
        col.size(),
        gather_destinations<decltype(nodes), decltype(col), Policy::space>{nodes, col, destinations_.view()});
    return std::as_const(destinations_).view();
  }

private:
  Policy policy_;
  buffer<Policy, global_id> destinations_;
};

} // namespace glt::detail

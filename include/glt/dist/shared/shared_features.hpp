// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/shared/detail/shared_arrays.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace glt::dist {

/// Features that the ranks of one machine hold together: one copy of each part.
template <device_policy Policy, bytes_copyable T>
struct shared_features {
  glt::feature_store<Policy, T> own;                         ///< of this rank, inside the shared memory
  node_views<feature_view<Policy::space, T>> neighborhood;   ///< of the ranks whose rows this one reads in place
};

/// Copies this rank's features to node-shared memory; afterwards the original may go.
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has no memory for its rows and cannot share either
/// @cost   one copy of the rows
template <device_policy Policy = device::cpu, node_memory Node, bytes_copyable T>
  requires(Policy::space == memory_space::host)
[[nodiscard]] shared_features<Policy, T> share_features(Node& node, feature_view<memory_space::host, T> rows,
                                                        Policy policy = {}) {
  std::array<std::int64_t, 2> const shape{rows.num_vertices(), rows.num_columns()};
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  constexpr auto label = static_cast<std::int64_t>(sizeof(label_type));
  shared_arrays<4> const own({sizeof(shape), shape[0] * shape[1] * element, rows.labels.size() * label,
                              rows.scales.size() * static_cast<std::int64_t>(sizeof(float))});
  auto const blocks = node.share(own.bytes(), [&](std::span<std::byte> block) {
    own.write(block, {shape.data(), rows.features.data(), rows.labels.data(), rows.scales.data()});
  });
  shared_features<Policy, T> made{
      .own = {shape[0], shape[1], own.template adopt<T>(blocks, 1, policy),
              own.template adopt<label_type>(blocks, 2, policy), own.template adopt<float>(blocks, 3, policy)},
      .neighborhood = {.of_rank = {}, .reason = blocks.reason, .keeper = blocks.keeper}};
  for (auto const& block : blocks.of_rank) {
    auto& view = made.neighborhood.of_rank.emplace_back();
    if (block) {
      auto const arrays = shared_arrays<4>::of(*block);
      auto const size = arrays.template view<std::int64_t>(*block, 0);
      view = {{arrays.template view<T>(*block, 1).data(), size[0], size[1]},
              arrays.template view<label_type>(*block, 2), arrays.template view<float>(*block, 3)};
    }
  }
  return made;
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Copies features into memory of a policy, with their labels and scales if there are any.
///
///     auto const on_gpu = copy_features<device::cuda>(store.view());
///
/// @shape  features [V, F], and so is the result
/// @where  from ordinary memory, which may change afterwards
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] feature_store<Policy, T> copy_features(feature_view<memory_space::host, T> features, Policy policy = {}) {
  return {features.num_vertices(), features.num_columns(), make_buffer<Policy>(features.features.flat(), policy),
          make_buffer<Policy>(features.labels, policy), make_buffer<Policy>(features.scales, policy)};
}

} // namespace glt

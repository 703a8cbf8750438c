// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <chrono>

namespace glt::detail {

/// Second argument of a loader: names the type of its seeds and the policy of its batches.
template <class R>
concept recipe = requires {
  typename R::seeds_type;
  typename R::policy_type;
};

/// Returns the reason why seeds do not fit a recipe.
template <class Seeds, class Wanted>
auto reason_of_recipe_seeds() {
  if constexpr (requires { typename Seeds::query_type; }) {
    return std::type_identity<a_rule_goes_to_the_recipe_and_the_third_argument_is_the_seeds>{};
  } else if constexpr (requires(Wanted const& wanted) { wanted.node_type; }) {
    return std::type_identity<seeds_of_this_loader_are_vertices_of_one_type_so_give_typed_seeds>{};
  } else if constexpr (requires(Wanted const& wanted) { wanted.sources; }) {
    return std::type_identity<seeds_of_this_loader_are_edges_so_give_edge_seeds>{};
  } else {
    return std::type_identity<seeds_of_this_loader_are_vertices_of_all_ranks_so_give_a_vector_of_global_id>{};
  }
}

} // namespace glt::detail

namespace glt::dist {

/// Order of a loader's seeds, and the way its batches are prepared. Batches do not depend on the five options from
/// `prefetch` to `buffer_bytes`.
struct loader_options {
  std::int64_t batch_size = 1024; ///< seeds of one rank and step
  bool shuffle = false;           ///< a new order in every epoch, of each rank's seeds another
  bool drop_last = false;         ///< leave out a rank's last batch if it is not full
  std::uint64_t seed = 0;         ///< of shuffling and sampling
  std::int64_t prefetch = 0;      ///< batches prepared in advance by threads of the loader; 0: by the caller's thread
  std::int64_t concurrency = 1;   ///< threads that prepare batches in turns; at most `prefetch`
  std::int64_t bulk = 1;          ///< batches whose messages are sent together
  /// Seconds until a consumer that takes no batch, while other ranks wait, causes an error on all ranks; 0: never.
  std::chrono::duration<double> stall_limit{0};
  /// Bytes of batches that a server may send ahead of a client, at least one batch; 0: limited only by `prefetch`.
  std::int64_t buffer_bytes = 0;
  std::int64_t steps_before = 0; ///< steps of an epoch before the first batch of the seeds; see `rest_of_epoch`
};

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

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

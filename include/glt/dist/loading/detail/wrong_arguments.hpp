// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Second argument of a loader: names the type of its seeds and the policy of its batches.
template <class R>
concept batch_recipe = requires {
  typename R::seeds_type;
  typename R::policy_type;
};

/// Explains at compile time why seeds do not fit a recipe.
template <class Seeds, class Wanted>
constexpr void explain_recipe_seeds() {
  if constexpr (requires { typename Seeds::query_type; }) {
    static_assert(never<Seeds>,
                  "a loader takes the seeds of its recipe as third argument, and this is a rule: a rule goes "
                  "to the recipe, as in neighbor_batches(graph, features, options, rule)");
  } else if constexpr (requires(Wanted const& wanted) { wanted.node_type; }) {
    static_assert(never<Seeds>,
                  "seeds of this loader are vertices of one type: dist::typed_seeds(node_type, {ids}), where "
                  "ids are a std::vector<glt::global_id>");
  } else if constexpr (requires(Wanted const& wanted) { wanted.sources; }) {
    static_assert(never<Seeds>, "seeds of this loader are edges: dist::edge_seeds<>{.sources = …, .destinations = …}");
  } else {
    static_assert(never<Seeds>,
                  "seeds of this loader are vertices of all ranks together: a std::vector<glt::global_id>, "
                  "or dist::vertex_seeds of one");
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Part of a recipe that names the rows to collect for the vertices and edges of a batch; `Recipe` derives from it.
template <class Recipe, device_policy StorePolicy, bytes_copyable T>
class row_recipe {
public:
  using element_type = T;

  /// Also collects named tensors of the vertices, or of the sampled edges, such as their times: the tensors in
  /// `wanted`, or all if it is empty. For edges set `edge_ids` in the options.
  Recipe& with(dist::named_features<StorePolicy> const& features, std::vector<dist::tensor_request> wanted = {}) {
    rows_.add(0, features, std::move(wanted));
    return static_cast<Recipe&>(*this);
  }

protected:
  row_recipe() = default;
  explicit row_recipe(dist::feature_store<StorePolicy, T> const& features) : rows_{&features} {}

  collected_things<StorePolicy, T> rows_;
};

} // namespace glt::detail

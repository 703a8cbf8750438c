// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/usual_tensors.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Tensors of vertices of other parts that came with a part.
template <device_policy Policy>
struct hot_data {
  buffer<Policy, global_id> vertices;
  feature_table<Policy> tensors;
};

// Returns a second owner of the vertices.
template <device_policy Policy>
[[nodiscard]] buffer<Policy, global_id> vertices_of(std::shared_ptr<hot_data<Policy> const> const& kept) {
  return second_owner<Policy, global_id>(kept->vertices.view(), kept, kept->vertices.policy());
}

/// Returns the rows of "x"; or none.
///
/// @throws precondition_error  if there are vertices, but not their float32 rows of "x"
template <device_policy Policy>
[[nodiscard]] dist::hot_rows<Policy, float> hot_matrix(std::shared_ptr<hot_data<Policy> const> const& kept,
                                                       partition_book const& book, int part) {
  if (kept == nullptr) {
    return {};
  }
  auto const tensors = kept->tensors.tensors();
  auto const* const x = find_rows(tensors, "x", element_type::float32);
  if (x == nullptr) {
    throw precondition_error(message("part ", part, " has hot rows, but not of the features \"x\" in float32; ",
                                     "partition the data set again"));
  }
  return {vertices_of(kept), second_owner<Policy, float>(*x, {}, kept, kept->tensors.policy()), book.partitioning()};
}

/// Returns the rows of all tensors; 0 rows if there are none.
template <device_policy Policy>
[[nodiscard]] dist::named_hot_rows<Policy> hot_tensors(std::shared_ptr<hot_data<Policy> const> const& kept,
                                                       partition_book const& book) {
  if (kept == nullptr) {
    return {{}, feature_table<Policy>(0)};
  }
  auto const& policy = kept->tensors.policy();
  feature_table<Policy> rows(kept->tensors.num_rows(), policy);
  for (auto const& [name, tensor] : kept->tensors.tensors()) {
    visit_element(tensor.type, [&]<class T>(std::type_identity<T>) {
      rows.add(name, second_owner<Policy, T>(tensor, {}, kept, policy));
    });
  }
  return {vertices_of(kept), std::move(rows), book.partitioning()};
}

} // namespace glt::detail

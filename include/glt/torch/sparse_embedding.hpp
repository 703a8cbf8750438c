// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/embedding/sparse_embedding.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/types.h>

namespace glt {

/// Fetches the rows of vertices as a leaf tensor, whose gradient `apply_gradients` takes.
///
///     auto const rows = glt::embedding_rows(table, batch.subgraph.nodes());
///     loss_of(network->forward(rows, batch.subgraph)).backward();
///     glt::apply_gradients(table, batch.subgraph.nodes(), rows.grad(), batch.num_seeds);
///
/// If a loader collects `table.store()`, the batch has the rows already: `to_tensor(batch.features())` is such a leaf
/// after `requires_grad_()`.
///
/// @shape  vertices [N] global ids → [N, columns]
/// @comm   collective; as `dist::sparse_embedding::collect`
/// @throws collective_error  as `dist::sparse_embedding::collect`
template <communicator Comm, host_policy Policy, class T, vertex_id Vertex>
[[nodiscard]] at::Tensor embedding_rows(dist::sparse_embedding<Comm, Policy, T>& table,
                                        array_view<Policy::space, Vertex const> vertices) {
  dist::collected_rows<Policy, T> rows;
  table.collect(vertices, rows);
  return to_tensor(std::move(rows.features)).view({vertices.size(), table.num_columns()}).requires_grad_();
}

/// Updates the rows of vertices by their gradients. A rank without a loss passes an undefined tensor: no gradients.
///
/// @shape  vertices [N] global ids · gradients [N, columns], or undefined
/// @comm   collective; as `dist::sparse_embedding::update`
/// @throws collective_error  on every rank, as `dist::sparse_embedding::update`
template <communicator Comm, host_policy Policy, class T, vertex_id Vertex>
void apply_gradients(dist::sparse_embedding<Comm, Policy, T>& table, array_view<Policy::space, Vertex const> vertices,
                     at::Tensor const& gradients, std::int64_t num_seeds) {
  using matrix = matrix_view<Policy::space, T const>;
  if (!gradients.defined()) {
    table.update(vertices.subview(0, 0), matrix(nullptr, 0, table.num_columns()), num_seeds);
  } else if (gradients.dim() != 2) {
    table.update(vertices.subview(0, 0), matrix(nullptr, 0, table.num_columns()), num_seeds,
                 detail::message("gradients ", detail::to_string(gradients), " of ", vertices.size(), " rows; pass [",
                                 vertices.size(), ", ", table.num_columns(), ']'));
  } else {
    auto const strided = gradients.layout() == at::kStrided ? gradients : gradients.to_dense();
    auto const rows = strided.detach().to(at::kCPU, detail::tensor_type<T>()).contiguous();
    table.update(vertices, matrix(rows.template data_ptr<T>(), rows.size(0), rows.size(1)), num_seeds);
  }
}

} // namespace glt

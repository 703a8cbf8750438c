// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/embedding/sparse_embedding.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
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

namespace detail {

/// Rows of the sources and of the destinations of pairs.
struct end_rows {
  at::Tensor sources;
  at::Tensor destinations;

  /// @throws precondition_error  if x is no matrix, or pairs are not two rows of integers
  end_rows(std::string_view call, at::Tensor const& x, at::Tensor const& pairs) {
    bool const are_pairs = pairs.defined() && pairs.dim() == 2 && pairs.size(0) == 2 &&
                           (pairs.scalar_type() == at::kInt || pairs.scalar_type() == at::kLong);
    if (!x.defined() || x.dim() != 2 || !are_pairs) {
      throw precondition_error(message(call, " of ", to_string(x), " for pairs ", to_string(pairs),
                                       "; pass rows [N, F] and integers [2, n], such as edge_label_index()"));
    }
    sources = x.index_select(0, pairs.select(0, 0));
    destinations = x.index_select(0, pairs.select(0, 1));
  }
};

} // namespace detail

/// Scores pairs by the dot product of their ends, the logit of an edge.
///
///     auto const scores = glt::dot_product(h, glt::to_tensor(batch.sample.edge_label_index()));
///
/// @shape  x [N, F] · pairs [2, n], places in x: sources, then destinations → [n]
/// @throws precondition_error  if x or pairs have other shapes
/// @throws c10::Error          if a place is not in [0, N)
[[nodiscard]] inline at::Tensor dot_product(at::Tensor const& x, at::Tensor const& pairs) {
  detail::end_rows const ends("dot_product", x, pairs);
  return (ends.sources * ends.destinations).sum(1);
}

namespace detail {

/// Relations and width of a `distmult`.
struct distmult_options {
  std::int64_t num_relations = 0;
  std::int64_t columns = 0; ///< of the rows of vertices
};

/// DistMult: the score of an edge of relation r from u to v is Σ_f x_uf · w_rf · x_vf.
///
/// @source Yang et al., "Embedding entities and relations for learning and inference in knowledge bases", ICLR 2015
class distmult_impl : public ::torch::nn::Module {
public:
  /// @throws precondition_error  if a number is below 1
  explicit distmult_impl(distmult_options options) : options_(options) {
    if (options.num_relations < 1 || options.columns < 1) {
      throw precondition_error(message("distmult of ", options.num_relations, " relations and ", options.columns,
                                       " columns; both are 1 or more"));
    }
    relations_ = register_parameter("relations", at::empty({options.num_relations, options.columns}));
    ::torch::nn::init::xavier_uniform_(relations_);
  }

  /// @shape  x [N, columns] · pairs [2, n], places in x: sources, then destinations · relations [n] → [n]
  /// @throws precondition_error  if these have other shapes
  /// @throws c10::Error          if a place or a relation is out of range
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, at::Tensor const& pairs, at::Tensor const& relations) const {
    end_rows const ends("distmult", x, pairs);
    if (x.size(1) != options_.columns || !relations.defined() || relations.dim() != 1 ||
        relations.size(0) != pairs.size(1)) {
      throw precondition_error(message("distmult of ", to_string(x), " with relations ", to_string(relations),
                                       "; pass rows of ", options_.columns, " columns and one relation for each of ",
                                       pairs.size(1), " pairs"));
    }
    return (ends.sources * relations_.index_select(0, relations) * ends.destinations).sum(1);
  }

private:
  distmult_options options_;
  at::Tensor relations_; // [relations, columns]
};

} // namespace detail

/// Decoder of typed edges; a shared handle, like the modules of LibTorch:
///
///     glt::distmult decoder({.num_relations = 3, .columns = 64});
///     auto const scores = decoder(h, pairs, relations);
///
/// Options: `num_relations`; `columns` of the rows of vertices.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class distmult : public ::torch::nn::ModuleHolder<detail::distmult_impl> {
public:
  using ::torch::nn::ModuleHolder<detail::distmult_impl>::ModuleHolder;
  using Impl = detail::distmult_impl;
  using options = detail::distmult_options;

  explicit distmult(options chosen) : ModuleHolder(std::make_shared<detail::distmult_impl>(chosen)) {}
};

} // namespace glt

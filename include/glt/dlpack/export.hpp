// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dlpack/tensor.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

namespace detail {

/// Tensor of DLPack and the objects to which it points.
template <std::size_t Dimensions>
struct kept_tensor {
  DLManagedTensor managed{};
  std::array<std::int64_t, Dimensions> shape;
  std::array<std::int64_t, Dimensions> strides;
  std::shared_ptr<void const> keeper;

  static void release(DLManagedTensor* tensor) noexcept { delete static_cast<kept_tensor*>(tensor->manager_ctx); }
};

template <device_policy Policy, class T, std::size_t Dimensions>
[[nodiscard]] dlpack_tensor keep_tensor(Policy const& policy, T* data, std::array<std::int64_t, Dimensions> shape,
                                        std::shared_ptr<void const> keeper) {
  if (keeper == nullptr) {
    throw precondition_error(
        "export of a tensor without a keeper; give an object that keeps its elements, or move a buffer in");
  }
  auto made = std::make_unique<kept_tensor<Dimensions>>();
  made->shape = shape;
  std::int64_t stride = 1;
  for (auto dimension = Dimensions; dimension-- > 0;) {
    made->strides[dimension] = stride;
    stride *= shape[dimension];
  }
  made->keeper = std::move(keeper);
  made->managed = {.dl_tensor = {.data = const_cast<std::remove_const_t<T>*>(data),
                                 .device = dlpack_device(policy),
                                 .ndim = static_cast<int>(Dimensions),
                                 .dtype = dlpack_type(element_type_of<std::remove_const_t<T>>),
                                 .shape = made->shape.data(),
                                 .strides = made->strides.data(),
                                 .byte_offset = 0},
                   .manager_ctx = made.get(),
                   .deleter = &kept_tensor<Dimensions>::release};
  return dlpack_tensor(&made.release()->managed);
}

} // namespace detail

/// Makes a tensor over elements that `keeper` keeps, without a copy; releases the keeper when its user is done. If the
/// elements outlive the user anyway, pass any shared pointer that is not null.
///
/// This version of DLPack has no const: a tensor over const elements is only for reading.
///
/// @shape  values [n] → tensor [n]
/// @where  on the device of the policy; does not wait for enqueued work: a user with another queue waits before it
///         reads, and is done reading before it releases the tensor
/// @throws precondition_error  if keeper is null
/// @cost   O(1)
template <device_policy Policy, class T>
[[nodiscard]] dlpack_tensor to_dlpack(Policy const& policy, array_view<Policy::space, T> values,
                                      std::shared_ptr<void const> keeper) {
  return detail::keep_tensor(policy, values.data(), std::array{values.size()}, std::move(keeper));
}

/// Makes a tensor over the elements of a matrix.
///
/// @shape  values [n, F] → tensor [n, F], row-major
template <device_policy Policy, class T>
[[nodiscard]] dlpack_tensor to_dlpack(Policy const& policy, matrix_view<Policy::space, T> values,
                                      std::shared_ptr<void const> keeper) {
  return detail::keep_tensor(policy, values.data(), std::array{values.rows(), values.columns()}, std::move(keeper));
}

/// Makes a tensor that owns the elements of a buffer from now on.
///
/// @shape  elements [n] → tensor [n]
/// @where  as above
/// @cost   O(1)
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] dlpack_tensor to_dlpack(buffer<Policy, T>&& elements) {
  auto const kept = std::make_shared<buffer<Policy, T>>(std::move(elements));
  return to_dlpack(kept->policy(), kept->view(), kept);
}

namespace detail {

/// List of tensors that share one keeper.
template <device_policy Policy>
struct tensor_list {
  Policy const& policy;
  std::shared_ptr<void const> keeper;
  std::vector<std::pair<std::string, dlpack_tensor>> tensors;

  template <class View>
  void add(std::string name, View view) {
    tensors.emplace_back(std::move(name), to_dlpack(policy, view, keeper));
  }
};

template <device_policy Policy, vertex_id Vertex>
void list_tensors(tensor_list<Policy>& list, sampled_subgraph<Policy, Vertex> const& sample) {
  list.add("nodes", sample.nodes());
  list.add("seed_index", sample.seed_index());
  list.add("batch", sample.batch());
  list.add("row", sample.row());
  list.add("col", sample.col());
  list.add("edge_ids", sample.edge_ids());
  for (int layer = 0; layer < sample.num_hops(); ++layer) {
    list.add(message("offsets/", layer), sample.block(layer).offsets);
  }
}

template <device_policy Policy, vertex_id Vertex>
void list_tensors(tensor_list<Policy>& list, hetero_subgraph<Policy, Vertex> const& sample) {
  for (int type = 0; type < sample.num_node_types(); ++type) {
    list.add(message("nodes/", type), sample.nodes(type));
    list.add(message("seed_index/", type), sample.seed_index(type));
    list.add(message("batch/", type), sample.batch(type));
  }
  for (int type = 0; type < sample.num_edge_types(); ++type) {
    list.add(message("row/", type), sample.row(type));
    list.add(message("col/", type), sample.col(type));
    list.add(message("edge_ids/", type), sample.edge_ids(type));
    for (int layer = 0; layer < sample.num_hops(); ++layer) {
      list.add(message("offsets/", type, "/", layer), sample.block(type, layer).offsets);
    }
  }
}

template <device_policy Policy>
void list_tensors(tensor_list<Policy>& list, std::string const& before, collected_table<Policy> const& table) {
  for (auto const& tensor : table.tensors) {
    visit_element(tensor.type, [&]<class T>(std::type_identity<T>) {
      list.add(before + tensor.name, tensor.rows().template as<T>());
    });
  }
}

template <device_policy Policy, vertex_id Vertex, bytes_copyable T>
void list_tensors(tensor_list<Policy>& list, dist::batch<Policy, Vertex, T> const& batch) {
  list_tensors(list, batch.subgraph);
  list.add("features", batch.features());
  list.add("labels", batch.labels());
  list_tensors(list, "tensors/", batch.tensors);
  list_tensors(list, "edge_tensors/", batch.edge_tensors);
}

} // namespace detail

/// Returns tensors over everything in a batch (a `sampled_subgraph`, a `hetero_subgraph` or a `dist::batch`) by name,
/// without a copy. Each tensor keeps the whole batch alive. Missing members become empty tensors.
///
/// The names are the names of the members: nodes, seed_index, batch, row, col, edge_ids, features and labels.
/// Tensors that were collected by name are tensors/NAME and edge_tensors/NAME, such as
/// edge_tensors/time. Every layer l of the blocks has offsets/l; its first entry counts. Names of a heterogeneous
/// sample also have the number of their node or edge type: nodes/0, row/2, offsets/2/l.
///
/// A batch that outlives all tensors needs no owner: `std::shared_ptr<Batch const>(std::shared_ptr<void>(), &batch)`.
///
/// @where  on the device of the policy; does not wait for enqueued work
/// @throws precondition_error  if batch is null
/// @cost   O(L), whatever the size
template <device_policy Policy, class Batch>
  requires requires(detail::tensor_list<Policy>& list, Batch const& batch) { detail::list_tensors(list, batch); }
[[nodiscard]] std::vector<std::pair<std::string, dlpack_tensor>> to_dlpack(Policy const& policy,
                                                                           std::shared_ptr<Batch> batch) {
  if (batch == nullptr) {
    throw precondition_error("export of no batch; give one that the tensors can keep");
  }
  detail::tensor_list<Policy> list{policy, batch, {}};
  detail::list_tensors(list, *batch);
  return std::move(list.tensors);
}

} // namespace glt

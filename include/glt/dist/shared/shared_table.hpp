// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/visit_element.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/shared/detail/shared_arrays.hpp>
#include <glt/feature/any_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/feature/named_rows.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// A table of features that the ranks of one machine hold together: one copy of each part.
template <device_policy Policy>
struct shared_table {
  feature_table<Policy> own; ///< of this rank, inside the shared memory
  node_views<std::vector<named_rows<Policy::space>>> neighborhood; ///< of the ranks whose rows this one reads in place
};

} // namespace glt::dist

namespace glt::detail {

// Where the tensors of a table lie in a block: what each is made of, all names in a line, all rows, each tensor on a
// cache line of its own; scales stay with their owners, who have the same.
struct shared_tensor {
  std::int64_t type = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t name_bytes = 0;
  std::int64_t first_byte = 0;
};

inline constexpr std::int64_t shared_tensor_alignment = 64;

template <memory_space Space>
[[nodiscard]] std::vector<shared_tensor> describe_shared(std::vector<named_rows<Space>> const& table) {
  std::vector<shared_tensor> made;
  std::int64_t first = 0;
  for (auto const& [name, rows] : table) {
    made.push_back({static_cast<std::int64_t>(rows.type), rows.num_rows, rows.num_columns,
                    static_cast<std::int64_t>(name.size()), first});
    auto const bytes = rows.num_rows * rows.row_bytes();
    first += (bytes + shared_tensor_alignment - 1) / shared_tensor_alignment * shared_tensor_alignment;
  }
  return made;
}

// The tensors of a block that a rank wrote.
[[nodiscard]] inline std::vector<named_rows<memory_space::host>> read_shared(std::span<std::byte const> block) {
  auto const arrays = dist::shared_arrays<3>::of(block);
  auto const names = arrays.template view<char>(block, 1);
  std::string_view rest(names.data(), static_cast<std::size_t>(names.size()));
  auto const rows = arrays.template view<std::byte>(block, 2);
  std::vector<named_rows<memory_space::host>> made;
  for (auto const& tensor : arrays.template view<shared_tensor>(block, 0)) {
    auto const length = static_cast<std::size_t>(tensor.name_bytes);
    made.push_back({std::string(rest.substr(0, length)),
                    {static_cast<element_type>(tensor.type), rows.data() + tensor.first_byte, tensor.rows,
                     tensor.columns}});
    rest.remove_prefix(length);
  }
  return made;
}

} // namespace glt::detail

namespace glt::dist {

/// Copies this rank's table of features to node-shared memory; afterwards the original may go.
///
///     auto shared = glt::dist::share_table(node, table);
///     glt::dist::named_features const features(comm, book, std::move(shared.own));
///     glt::dist::named_collector collector(comm, features);
///     collector.read_in_place(shared.neighborhood);
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has no memory for its rows and cannot share either
/// @cost   one copy of the rows
template <device_policy Policy = device::cpu, node_memory Node>
  requires(Policy::space == memory_space::host)
[[nodiscard]] shared_table<Policy> share_table(Node& node, feature_table<Policy> const& table, Policy policy = {}) {
  auto const tensors = table.tensors();
  auto const shape = detail::describe_shared(tensors);
  std::string names;
  std::int64_t bytes = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    names += tensors[t].name;
    bytes = shape[t].first_byte + shape[t].rows * tensors[t].rows.row_bytes();
  }
  shared_arrays<3> const own({static_cast<std::int64_t>(shape.size() * sizeof(detail::shared_tensor)),
                              static_cast<std::int64_t>(names.size()), bytes});
  auto const blocks = node.share(own.bytes(), [&](std::span<std::byte> block) {
    own.write(block, {shape.data(), names.data(), nullptr});
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      auto const& rows = tensors[t].rows;
      detail::copy_bytes(own.place(block, 2) + shape[t].first_byte, rows.data, rows.num_rows * rows.row_bytes());
    }
  });
  shared_table<Policy> made{.own = feature_table<Policy>(table.num_vertices(), policy),
                            .neighborhood = {.of_rank = {}, .reason = blocks.reason, .keeper = blocks.keeper}};
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    auto const& rows = tensors[t].rows;
    detail::visit_element(rows.type, [&]<class T>(std::type_identity<T>) {
      auto* const first = reinterpret_cast<T*>(own.place(blocks.own, 2) + shape[t].first_byte);
      made.own.add(tensors[t].name,
                   feature_store<Policy, T>(
                       rows.num_rows, rows.num_columns,
                       buffer<Policy, T>::adopt(first, rows.num_rows * rows.num_columns, blocks.keeper, policy), {},
                       make_buffer<Policy>(std::vector<float>(rows.scales.begin(), rows.scales.end()), policy)));
    });
  }
  for (auto const& block : blocks.of_rank) {
    auto& view = made.neighborhood.of_rank.emplace_back();
    if (block) {
      view = detail::read_shared(*block);
    }
  }
  return made;
}

} // namespace glt::dist

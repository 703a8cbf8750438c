// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Layout of N arrays in one block of bytes: their lengths, then the arrays, each from a new cache line on.
template <std::size_t N>
class shared_arrays {
public:
  /// @shape  sizes [N], in bytes
  explicit shared_arrays(std::array<std::int64_t, N> const& sizes) noexcept : sizes_(sizes) {}

  /// Reads the lengths from a block that was written.
  ///
  /// @throws precondition_error  if the length of the block contradicts them
  [[nodiscard]] static shared_arrays of(std::span<std::byte const> block) {
    std::array<std::int64_t, N> sizes{};
    if (block.size() >= sizeof(sizes)) {
      std::memcpy(sizes.data(), block.data(), sizeof(sizes));
    }
    shared_arrays const made(sizes);
    if (std::ssize(block) != made.bytes()) {
      throw precondition_error(message("block of ", block.size(), " bytes for arrays that take ", made.bytes(),
                                       "; share the same things on all ranks"));
    }
    return made;
  }

  /// Returns the bytes of the whole block.
  [[nodiscard]] std::int64_t bytes() const noexcept { return offset(N); }

  /// Writes the lengths and copies the arrays; the caller writes an array with a null pointer at its `place`.
  ///
  /// @shape  block [bytes()] · arrays [N], of the sizes given
  void write(std::span<std::byte> block, std::array<void const*, N> const& arrays) const noexcept {
    std::memcpy(block.data(), sizes_.data(), sizeof(sizes_));
    for (std::size_t i = 0; i < N; ++i) {
      if (arrays[i] != nullptr) {
        copy_bytes(place(block, i), arrays[i], sizes_[i]);
      }
    }
  }

  /// Returns the address of array i in a block.
  [[nodiscard]] std::byte* place(std::span<std::byte> block, std::size_t i) const noexcept {
    return block.data() + offset(i);
  }

  /// Returns array i of a block.
  template <bytes_copyable T>
  [[nodiscard]] host_view<T const> view(std::span<std::byte const> block, std::size_t i) const noexcept {
    return {reinterpret_cast<T const*>(block.data() + offset(i)), sizes_[i] / static_cast<std::int64_t>(sizeof(T))};
  }

private:
  static constexpr std::int64_t line_bytes = 64;
  [[nodiscard]] static constexpr std::int64_t lines(std::int64_t bytes) noexcept {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }
  [[nodiscard]] std::int64_t offset(std::size_t i) const noexcept {
    auto at = lines(static_cast<std::int64_t>(sizeof(sizes_)));
    for (std::size_t before = 0; before < i; ++before) {
      at += lines(sizes_[before]);
    }
    return at;
  }

  std::array<std::int64_t, N> sizes_;
};

/// Tensors of this rank in node-shared memory, and views of all ranks' tensors that this rank reads in place.
struct shared_tensors {
  using table = std::vector<named_rows<memory_space::host>>;

  table own;
  node_views<table> of_node;
  std::span<std::byte const> block; ///< of this rank; `read_shared` reads it

  /// Returns a local tensor as a buffer, without a copy.
  template <bytes_copyable T, device_policy Policy>
  [[nodiscard]] buffer<Policy, T> adopt(std::size_t tensor, Policy const& policy) const {
    auto const& rows = own[tensor].rows;
    // It is in this rank's block, which this rank may write.
    auto* const data = reinterpret_cast<T*>(const_cast<std::byte*>(rows.data));
    return buffer<Policy, T>::adopt(data, rows.num_rows * rows.num_columns / stored_elements<T>, of_node.keeper,
                                    policy);
  }

  /// Makes a view of the tensors of each rank.
  template <class View, class ViewOf>
  [[nodiscard]] node_views<View> views(ViewOf view_of) const {
    node_views<View> made{.of_rank = {}, .reason = of_node.reason, .keeper = of_node.keeper};
    for (auto const& tensors : of_node.of_rank) {
      auto& view = made.of_rank.emplace_back();
      if (tensors) {
        view = view_of(*tensors);
      }
    }
    return made;
  }
};

// Description of a tensor in a block, and the place of its rows.
struct shared_tensor {
  std::int64_t type = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t name_bytes = 0;
  std::int64_t first_byte = 0;
};

// Reads the tensors of a block: descriptions, then all names, then all rows, each tensor from a new cache line on.
[[nodiscard]] inline shared_tensors::table read_shared(std::span<std::byte const> block) {
  auto const arrays = shared_arrays<3>::of(block);
  auto const names = arrays.template view<char>(block, 1);
  std::string_view rest(names.data(), static_cast<std::size_t>(names.size()));
  auto const rows = arrays.template view<std::byte>(block, 2);
  shared_tensors::table made;
  for (auto const& tensor : arrays.template view<shared_tensor>(block, 0)) {
    auto const length = static_cast<std::size_t>(tensor.name_bytes);
    made.push_back(
        {std::string(rest.substr(0, length)),
         {static_cast<element_type>(tensor.type), rows.data() + tensor.first_byte, tensor.rows, tensor.columns}});
    rest.remove_prefix(length);
  }
  return made;
}

/// Copies tensors to node-shared memory. Scales are not copied, since each rank has the same scales.
///
/// @comm   collective; see `node_memory`
template <node_memory Node>
[[nodiscard]] shared_tensors share_tensors(Node& node, shared_tensors::table const& tensors) {
  constexpr std::int64_t alignment = 64;
  std::vector<shared_tensor> shape;
  std::string names;
  std::int64_t bytes = 0;
  for (auto const& [name, rows] : tensors) {
    bytes = (bytes + alignment - 1) / alignment * alignment;
    shape.push_back({static_cast<std::int64_t>(rows.type), rows.num_rows, rows.num_columns,
                     static_cast<std::int64_t>(name.size()), bytes});
    names += name;
    bytes += std::max<std::int64_t>(rows.num_rows * rows.row_bytes(), 1); // so that each has another address
  }
  shared_arrays<3> const layout({static_cast<std::int64_t>(shape.size() * sizeof(shared_tensor)),
                                 static_cast<std::int64_t>(names.size()), bytes});
  auto const blocks = node.share(layout.bytes(), [&](std::span<std::byte> block) {
    layout.write(block, {shape.data(), names.data(), nullptr});
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      auto const& rows = tensors[t].rows;
      check_addresses(rows.data, rows.num_rows * rows.num_columns, rows.storage);
      copy_bytes(layout.place(block, 2) + shape[t].first_byte, rows.data, rows.num_rows * rows.row_bytes());
    }
  });
  shared_tensors made{.own = read_shared(blocks.own),
                      .of_node = {.of_rank = {}, .reason = blocks.reason, .keeper = blocks.keeper},
                      .block = blocks.own};
  for (auto const& block : blocks.of_rank) {
    auto& table = made.of_node.of_rank.emplace_back();
    if (block) {
      table = read_shared(*block);
    }
  }
  return made;
}

/// Returns an array, or the elements of an id table, as a tensor of one column.
template <bytes_copyable T>
[[nodiscard]] any_rows<memory_space::host> array_rows(host_view<T const> values) {
  return without_type(feature_view<memory_space::host, T>{.features = {values.data(), values.size(), 1}});
}

/// Returns the elements of such a tensor.
template <bytes_copyable T>
[[nodiscard]] host_view<T const> array_of(any_rows<memory_space::host> const& rows) noexcept {
  return {reinterpret_cast<T const*>(rows.data), rows.num_rows};
}

/// Adds the look-up table of edges to their tensors, under names that no features have. `take_edges` removes and
/// returns it, or nothing if there is none.
inline void push_edges(shared_tensors::table& tensors, id_table_view<memory_space::host> edges) {
  tensors.push_back({"\1ids", array_rows(edges.ids())});
  tensors.push_back({"\1slots", array_rows(edges.slots())});
}
[[nodiscard]] inline std::optional<id_table_view<memory_space::host>> take_edges(shared_tensors::table& tensors) {
  if (tensors.empty() || tensors.back().name != "\1slots") {
    return {};
  }
  auto const slots = array_of<id_slot>(tensors.back().rows);
  tensors.pop_back();
  auto const ids = array_of<edge_id>(tensors.back().rows);
  tensors.pop_back();
  return id_table_view<memory_space::host>{ids, slots};
}

} // namespace glt::detail

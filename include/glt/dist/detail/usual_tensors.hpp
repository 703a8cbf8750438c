// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Second owners of memory that `keeper` keeps.
template <device_policy Policy, class T>
[[nodiscard]] buffer<Policy, T> second_owner(array_view<Policy::space, T const> values,
                                             std::shared_ptr<void const> const& keeper, Policy const& policy) {
  return buffer<Policy, T>::adopt(const_cast<T*>(values.data()), values.size(), keeper, policy);
}
template <device_policy Policy, element T>
[[nodiscard]] feature_store<Policy, T> second_owner(any_rows<Policy::space> const& rows,
                                                    array_view<Policy::space, label_type const> labels,
                                                    std::shared_ptr<void const> const& keeper, Policy const& policy) {
  return {rows.num_rows,
          rows.num_columns,
          rows.storage != nullptr && rows.data == nullptr
              ? buffer<Policy, T>(0, policy)
              : second_owner<Policy, T>(rows.template as<T>().flat(), keeper, policy),
          second_owner<Policy, label_type>(labels, keeper, policy),
          second_owner<Policy, float>(rows.scales, keeper, policy),
          std::shared_ptr<row_storage const>(keeper, rows.storage)};
}

/// Returns the tensor of that name, element type and number of columns (any if negative); null if there is none.
template <memory_space Space>
[[nodiscard]] any_rows<Space> const* find_rows(std::vector<named_rows<Space>> const& tensors, std::string_view name,
                                               element_type type, std::int64_t columns = -1) {
  auto const found = std::ranges::find(tensors, name, &named_rows<Space>::name);
  bool const fits =
      found != tensors.end() && found->rows.type == type && (columns < 0 || found->rows.num_columns == columns);
  return fits ? &found->rows : nullptr;
}

/// Returns the labels among the tensors of vertices: "y" of one int64 column; none if it is missing or another.
template <memory_space Space>
[[nodiscard]] array_view<Space, label_type const> labels_of(std::vector<named_rows<Space>> const& tensors) {
  auto const* const y = find_rows(tensors, "y", element_type::int64, 1);
  return y == nullptr ? array_view<Space, label_type const>() : y->template as<label_type>().flat();
}

/// Refuses labels that number no classes: one beyond the number of vertices, and 2¹⁶ or more.
inline void check_num_classes(std::int64_t classes, std::int64_t num_vertices) {
  constexpr std::int64_t always_fits = 1 << 16;
  if (classes > std::max(num_vertices, always_fits)) {
    throw precondition_error(message("a label is ", classes - 1, ", but there are only ", num_vertices,
                                     " vertices; number the classes from 0, as numpy.unique does"));
  }
}

/// Refuses tensors of vertices without labels, too.
template <memory_space Space>
void check_num_classes(std::int64_t classes, std::int64_t num_vertices, std::vector<named_rows<Space>> const& tensors) {
  if (classes == 0 && find_rows(tensors, "y", element_type::int64, 1) == nullptr) {
    throw precondition_error(message("no labels \"y\" of one int64 a vertex; the tensors are ",
                                     name_list(tensors, &named_rows<Space>::name), "; name the labels \"y\""));
  }
  check_num_classes(classes, num_vertices);
}

/// Returns one more than the largest label of a table, at least 0.
template <device_policy Policy>
[[nodiscard]] std::int64_t num_classes_of(feature_table<Policy> const& table) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  auto const largest = [](auto const& labels) {
    std::int64_t all = 0;
    for (auto const label : labels) {
      all = std::max(all, std::min(label, most - 1) + 1);
    }
    return all;
  };
  auto const labels = labels_of(table.tensors());
  if constexpr (host_accessible(Policy::space)) {
    return largest(labels);
  } else {
    return largest(to_vector(table.policy(), labels));
  }
}

} // namespace glt::detail

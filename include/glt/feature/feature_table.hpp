// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/core/half.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/named_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace glt {

/// Several feature tensors of the same vertices (or edges), by name; each has its element type and width; move-only.
///
///     table.add("text", std::move(halves));
///     auto const x = table.gather<float>("text", ids); // x.view().features is [S, F]
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  V vertices, a row in every tensor each
template <device_policy Policy>
class feature_table {
public:
  static constexpr memory_space space = Policy::space;

  /// @throws precondition_error  if num_vertices is negative
  explicit feature_table(std::int64_t num_vertices, Policy policy = {})
      : num_vertices_(num_vertices), policy_(std::move(policy)) {
    if (num_vertices < 0) {
      throw precondition_error(detail::message("feature table of ", num_vertices, " vertices; give 0 or more"));
    }
  }

  feature_table(feature_table&&) noexcept = default;
  feature_table& operator=(feature_table&&) noexcept = default;

  /// Takes a tensor over.
  ///
  /// @throws precondition_error  if there is a tensor of that name, or it does not have one row per vertex
  template <detail::element T>
  void add(std::string name, feature_store<Policy, T> store) {
    if (std::ranges::find(tensors_, name, &tensor::name) != tensors_.end()) {
      throw precondition_error(detail::message("features \"", name, "\" are there already; choose another name"));
    }
    if (store.view().num_vertices() != num_vertices_) {
      throw precondition_error(detail::message("features \"", name, "\" of ", store.view().num_vertices(),
                                               " rows in a table of ", num_vertices_,
                                               " vertices; give one per vertex"));
    }
    tensors_.push_back({std::move(name), std::move(store)});
  }

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return num_vertices_; }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  /// Returns the names, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& each : tensors_) {
      all.push_back(each.name);
    }
    return all;
  }

  /// Returns the element type of a tensor.
  ///
  /// @throws precondition_error  listing the names, if there is no tensor of that name
  [[nodiscard]] element_type type(std::string_view name) const {
    return std::visit([]<class T>(feature_store<Policy, T> const&) { return detail::element_type_of<T>; }, find(name));
  }
  [[nodiscard]] std::int64_t num_columns(std::string_view name) const {
    return std::visit([](auto const& store) { return store.view().num_columns(); }, find(name));
  }

  /// Returns a tensor as it is stored.
  ///
  /// @throws precondition_error  if there is no tensor of that name, or T is not its element type
  template <detail::element T>
  [[nodiscard]] feature_view<space, T> view(std::string_view name) const {
    auto const* const store = std::get_if<feature_store<Policy, T>>(&find(name));
    if (store == nullptr) {
      refuse<T>(name);
    }
    return store->view();
  }

  /// Returns all tensors, in the order in which they were added; without the labels of their stores.
  [[nodiscard]] std::vector<detail::named_rows<space>> tensors() const {
    std::vector<detail::named_rows<space>> all;
    for (auto const& each : tensors_) {
      all.push_back(
          {each.name, std::visit([](auto const& store) { return detail::without_type(store.view()); }, each.store)});
    }
    return all;
  }

  /// Copies rows of a tensor, converted as by `gather_rows`.
  ///
  /// @shape  ids [S] · out [S, F], written
  /// @pre    every id is in [0, V); not checked
  /// @throws precondition_error  if there is no tensor of that name, its elements cannot become `Out`, or out is
  ///                             not [S, F]
  template <class Id, detail::element Out>
  void gather(std::string_view name, array_view<space, Id const> ids, matrix_view<space, Out> out) const {
    std::visit(
        [&]<class T>(feature_store<Policy, T> const& store) {
          if constexpr (detail::gathers_as<T, Out>) {
            gather_rows(policy_.executor(), store.view(), ids, out);
          } else {
            refuse<Out>(name);
          }
        },
        find(name));
  }

  /// Copies rows of a tensor into new memory.
  template <detail::element Out, class Id>
  [[nodiscard]] feature_store<Policy, Out> gather(std::string_view name, array_view<space, Id const> ids) const {
    auto const columns = num_columns(name);
    buffer<Policy, Out> rows(ids.size() * columns, policy_);
    gather(name, ids, matrix_view<space, Out>(rows.data(), ids.size(), columns));
    return {ids.size(), columns, std::move(rows)};
  }

private:
  template <class... T>
  using any_of = std::variant<feature_store<Policy, T>...>;
  using any_store =
      any_of<std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>;

  struct tensor {
    std::string name;
    any_store store;
  };

  [[nodiscard]] any_store const& find(std::string_view name) const { return detail::find_named(tensors_, name).store; }

  template <class T>
  [[noreturn]] void refuse(std::string_view name) const {
    throw precondition_error(detail::message("features \"", name, "\" are ", detail::name_of(type(name)), ", not ",
                                             detail::name_of(detail::element_type_of<T>), "; ask for ",
                                             detail::name_of(type(name)), ", or gather them as float32 or float64"));
  }

  std::int64_t num_vertices_;
  Policy policy_;
  std::vector<tensor> tensors_;
};

} // namespace glt

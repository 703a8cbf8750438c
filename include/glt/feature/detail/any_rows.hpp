// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>

namespace glt {

namespace detail {

/// Borrowed rows of elements whose type is known only at run time.
///
/// With a tier, `data` holds only the cold rows.
///
/// @shape  data [num_rows, num_columns] elements of `type`, row-major · scales [num_columns] or empty
template <memory_space Space>
struct any_rows {
  element_type type = element_type::float32;
  std::byte const* data = nullptr;
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  array_view<Space, float const> scales{};
  row_tier<Space> tier{};
  row_storage const* storage = nullptr; // as in `feature_view`

  [[nodiscard]] std::int64_t row_bytes() const noexcept { return num_columns * size_of(type); }

  /// Returns the stored elements; scales, if there are any, are not applied.
  ///
  /// @shape  [num_rows, num_columns]
  /// @throws precondition_error  if T is not the type of the elements, or they have no addresses
  template <detail::element T>
  [[nodiscard]] matrix_view<Space, T const> as() const {
    check_addresses(data, num_rows * num_columns, storage);
    if (element_type_of<T> != type) {
      throw precondition_error(detail::message("rows of ", name_of(type), " read as ", name_of(element_type_of<T>),
                                               "; read them as ", name_of(type), ", or have them converted"));
    }
    return {reinterpret_cast<T const*>(data), num_rows, num_columns};
  }
};

// Returns the type in which elements are stored: types without an `element_type` are stored as bytes.
template <bytes_copyable T>
[[nodiscard]] constexpr element_type stored_type() noexcept {
  if constexpr (element<T>) {
    return element_type_of<T>;
  } else {
    return element_type::uint8;
  }
}

// Number of stored elements per element.
template <bytes_copyable T>
inline constexpr std::int64_t stored_elements = element<T> ? 1 : static_cast<std::int64_t>(sizeof(T));

/// Returns the rows of features without their type; types without an `element_type` count as bytes.
template <memory_space Space, bytes_copyable T>
[[nodiscard]] any_rows<Space> without_type(feature_view<Space, T> rows) noexcept {
  return {detail::stored_type<T>(),
          reinterpret_cast<std::byte const*>(rows.features.data()),
          rows.num_vertices(),
          rows.num_columns() * detail::stored_elements<T>,
          rows.scales,
          {},
          rows.storage};
}

/// One borrowed tensor of several that describe the same vertices or edges.
template <memory_space Space>
struct named_rows {
  std::string name;
  any_rows<Space> rows;
};

/// Borrowed tensors of the same vertices or edges; of edges with the view that finds the row of an edge.
template <memory_space Space>
struct table_view {
  std::vector<named_rows<Space>> rows;
  id_table_view<Space> edges{};
  bool of_edges = false;
};

// Returns the element of that name in a list of elements that have a `name`.
template <class List>
[[nodiscard]] auto const& find_named(List const& list, std::string_view name) {
  auto const found = std::ranges::find_if(list, [&](auto const& each) { return each.name == name; });
  if (found == list.end()) {
    throw precondition_error(
        message("no features \"", name, "\"; there are ", name_list(list, [](auto const& each) { return each.name; })));
  }
  return *found;
}

/// Returns true if rows of the first type can be gathered as the second: `gathers_as` of types that are known only at
/// run time.
[[nodiscard]] constexpr bool gathers(element_type from, element_type to) noexcept {
  return visit_element(from, [to]<class From>(std::type_identity<From>) {
    return visit_element(to, []<class To>(std::type_identity<To>) { return gathers_as<From, To>; });
  });
}

/// Conversions for element types that are known only at run time: all existing conversions are compiled.
struct any_conversion {
  template <class Convert>
  static void visit(element_type from, element_type to, Convert convert) {
    visit_element(from, [&]<class From>(std::type_identity<From>) {
      visit_element(to, [&]<class To>(std::type_identity<To>) {
        if constexpr (converts_to<From, To>) {
          convert.template operator()<From, To>();
        }
      });
    });
  }
};

/// No conversion: elements are copied as they are.
struct no_conversion {
  template <class Convert>
  static void visit(element_type, element_type, Convert) noexcept {}
};

/// Only the conversion from `From` to `To`, if there is one: no others are compiled.
template <class From, class To>
struct one_conversion {
  template <class Convert>
  static void visit(element_type, element_type, Convert convert) {
    if constexpr (converts_to<From, To>) {
      convert.template operator()<From, To>();
    }
  }
};

/// Conversions to one type from types that are known only at run time.
template <class Out>
struct conversions_to {
  template <class Convert>
  static void visit(element_type from, element_type, Convert convert) {
    visit_element(from, [&]<class From>(std::type_identity<From>) {
      if constexpr (converts_to<From, Out>) {
        convert.template operator()<From, Out>();
      }
    });
  }
};

/// True if rows may be in tiers: this is compiled only for the conversions of one matrix, and for devices.
template <class Conversions, executor Executor>
inline constexpr bool has_tiers = !std::is_same_v<Conversions, any_conversion> && !host_executor<Executor>;

// Without a conversion if the types are equal, or if `Conversions` has none for them.
template <class Writes, class Conversions, memory_space Space>
[[nodiscard]] row_transfer transfer_between(any_rows<Space> const& in, element_type out_type) {
  auto transfer = row_transfer::of_bytes(in.row_bytes());
  if (in.type != out_type) {
    Conversions::visit(in.type, out_type, [&]<class In, class Out>() {
      transfer = row_transfer::of<In, Out, Writes>(in.num_columns, in.scales.empty() ? nullptr : in.scales.data());
    });
  }
  return transfer;
}

/// Transfers rows as `transfer_rows`, with element types that are known only at run time, by one of `Conversions`.
///
/// @pre    gathers(in.type, out_type); not checked: nothing is written then
template <class Writes = cached_writes, class Conversions = any_conversion, executor Executor, memory_space Space,
          class From, class To>
void transfer_any_rows(Executor const& ex, std::int64_t count, any_rows<Space> in, From from, To to,
                       element_type out_type, std::byte* out) {
  if constexpr (has_tiers<Conversions, Executor>) {
    if (in.tier.slots != nullptr) {
      auto const transfer = [&]<class In, class Out>(std::int64_t columns) {
        transfer_located_rows<In, Out>(
            ex, count, columns, in.scales.empty() ? nullptr : in.scales.data(),
            tiered_rows_at<Space, From>{in.tier, in.data, from},
            rows_at<std::byte, To>{out, columns * static_cast<std::int64_t>(sizeof(Out)), to},
            in.tier.hot.addresses() | reinterpret_cast<std::uintptr_t>(in.data), reinterpret_cast<std::uintptr_t>(out),
            rows_far_away<memory_space::pinned>(in.num_rows, in.row_bytes())); // cold rows
      };
      if (in.type == out_type) {
        transfer.template operator()<std::byte, std::byte>(in.row_bytes());
      } else {
        Conversions::visit(in.type, out_type,
                           [&]<class In, class Out>() { transfer.template operator()<In, Out>(in.num_columns); });
      }
      return;
    }
  }
  if constexpr (host_executor<Executor>) {
    auto const transfer = transfer_between<Writes, Conversions>(in, out_type);
    if (in.type == out_type || transfer.convert != nullptr) {
      transfer_host_rows<Writes>(ex, count, in.data, in.storage, from,
                                 rows_at<std::byte, To>{out, in.num_columns * size_of(out_type), to}, transfer);
    }
  } else if (in.type == out_type) {
    feature_view<Space, std::byte> const bytes{.features = {in.data, in.num_rows, in.row_bytes()}};
    transfer_rows<Writes>(ex, count, bytes, from, to, out);
  } else {
    Conversions::visit(in.type, out_type, [&]<class In, class Out>() {
      feature_view<Space, In> const rows{
          .features = {reinterpret_cast<In const*>(in.data), in.num_rows, in.num_columns}, .scales = in.scales};
      transfer_rows<Writes>(ex, count, rows, from, to, reinterpret_cast<Out*>(out));
    });
  }
}

} // namespace detail

} // namespace glt

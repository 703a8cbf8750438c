// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/visit_element.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/row_chunks.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/row_tier.hpp>
#include <glt/feature/tier/detail/transfer_located_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

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

/// True if rows may be in tiers: this is compiled only for the conversions of one matrix, and for devices.
template <class Conversions, executor Executor>
inline constexpr bool has_tiers = !std::is_same_v<Conversions, any_conversion> && !host_executor<Executor>;

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
            in.tier.hot.addresses() | reinterpret_cast<std::uintptr_t>(in.data), reinterpret_cast<std::uintptr_t>(out));
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
  if (in.type == out_type) {
    feature_view<Space, std::byte> const bytes{.features = {in.data, in.num_rows, in.row_bytes()}};
    transfer_rows<Writes>(ex, count, bytes, from, to, out);
    return;
  }
  Conversions::visit(in.type, out_type, [&]<class In, class Out>() {
    feature_view<Space, In> const rows{.features = {reinterpret_cast<In const*>(in.data), in.num_rows, in.num_columns},
                                       .scales = in.scales};
    transfer_rows<Writes>(ex, count, rows, from, to, reinterpret_cast<Out*>(out));
  });
}

} // namespace glt::detail
